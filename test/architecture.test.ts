import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { describe, expect, test } from 'vitest';

/** Folder → the folders that it may import. A folder missing here fails: name it, then use it. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  domain: ['provider-texts.ts', 'lib'],
  admission: ['domain', 'lib'],
  usecases: ['domain', 'lib'],
  providers: ['domain', 'lib'],
  outbound: ['admission', 'domain', 'lib'],
  storage: ['admission', 'domain', 'lib'],
  sync: ['admission', 'domain', 'lib'],
  telemetry: ['domain', 'lib'],
  request: ['usecases', 'admission', 'domain', 'lib'],
  limits: ['domain', 'lib'],
  http: ['admission', 'domain', 'lib'],
  graphql: ['usecases', 'request', 'admission', 'domain', 'lib'],
  rest: ['usecases', 'request', 'admission', 'domain', 'lib'],
  mcp: ['usecases', 'request', 'admission', 'domain', 'lib'],
  connect: ['usecases', 'admission', 'domain', 'lib'],
  console: ['request', 'domain', 'lib'],
  demo: ['domain', 'lib'],
  workers: ['http', 'limits', 'domain', 'lib'],
  cli: [
    'usecases',
    'request',
    'storage',
    'sync',
    'limits',
    'providers',
    'graphql',
    'config.ts',
    'checks.ts',
    'version.ts',
    'domain',
    'lib',
  ],
};

/** Files at the top of src, and what each may import beside itself. */
const TOP_FILES: Readonly<Record<string, readonly string[]>> = {
  'main.ts': [
    'serve.ts',
    'serve-jobs.ts',
    'serve-worker.ts',
    'supervise.ts',
    'version.ts',
    'cli',
    'storage',
    'lib',
  ],
  'index.ts': ['crossbook.ts', 'embedding.ts'],
  'embedding.ts': [],
  'crossbook.ts': [
    'app.ts',
    'config.ts',
    'embedding.ts',
    'foundation.ts',
    'graphql',
    'http',
    'telemetry',
  ],
  'serve.ts': ['app.ts', 'config.ts', 'crossbook.ts', 'http', 'storage', 'domain', 'lib'],
  'serve-jobs.ts': ['config.ts', 'foundation.ts', 'jobs.ts', 'http', 'lib'],
  'jobs.ts': [
    'background-jobs.ts',
    'config.ts',
    'foundation.ts',
    'measuring.ts',
    'http',
    'telemetry',
    'lib',
  ],
  'serve-worker.ts': [
    'app.ts',
    'config.ts',
    'crossbook.ts',
    'foundation.ts',
    'jobs.ts',
    'http',
    'storage',
    'telemetry',
    'workers',
    'lib',
  ],
  'supervise.ts': [
    'config.ts',
    'serve.ts',
    'demo',
    'http',
    'storage',
    'telemetry',
    'workers',
    'lib',
  ],
  'app.ts': [
    ...Object.keys(MAY_IMPORT).filter((folder) => !['cli', 'demo', 'workers'].includes(folder)),
    'background-jobs.ts',
    'connecting.ts',
    'config.ts',
    'operating.ts',
    'foundation.ts',
    'measuring.ts',
  ],
  'foundation.ts': [
    'admission',
    'config.ts',
    'version.ts',
    'demo',
    'domain',
    'graphql',
    'http',
    'limits',
    'outbound',
    'providers',
    'request',
    'storage',
    'telemetry',
    'usecases',
    'lib',
  ],
  'measuring.ts': ['background-jobs.ts', 'foundation.ts', 'domain', 'outbound', 'telemetry'],
  'connecting.ts': ['foundation.ts', 'connect', 'domain', 'http', 'request', 'storage', 'outbound'],
  'checks.ts': ['config.ts', 'domain', 'lib', 'limits', 'providers', 'storage', 'usecases'],
  'operating.ts': [
    'checks.ts',
    'foundation.ts',
    'console',
    'domain',
    'request',
    'rest',
    'storage',
    'lib',
  ],
  'config.ts': ['settings.ts', 'domain', 'lib'],
  'settings.ts': ['domain', 'lib'],
  'background-jobs.ts': [
    'foundation.ts',
    'settling.ts',
    'syncing.ts',
    'usecases',
    'outbound',
    'storage',
    'lib',
  ],
  'syncing.ts': ['foundation.ts', 'admission', 'domain', 'lib', 'outbound', 'sync', 'usecases'],
  'settling.ts': ['foundation.ts', 'admission', 'domain', 'outbound', 'usecases'],
  'provider-texts.ts': ['providers'],
  'version.ts': [],
};

/** Package → the only folders (or top files) that may import it. */
const PACKAGE_HOMES: readonly { packages: RegExp; homes: readonly string[] }[] = [
  { packages: /^(graphql|graphql-.*|@pothos\/.*|@graphql-.*)$/, homes: ['graphql'] },
  { packages: /^undici$/, homes: ['outbound', 'workers'] },
  { packages: /^pg$/, homes: ['storage', 'sync'] },
  { packages: /^(drizzle-orm|@crossbook\/child-postgres)$/, homes: ['storage'] },
  { packages: /^(dataloader|jose)$/, homes: ['request'] },
  { packages: /^(pino|prom-client|@opentelemetry\/.*)$/, homes: ['telemetry'] },
  { packages: /^(ioredis|rate-limiter-flexible)$/, homes: ['limits'] },
  { packages: /^@crossbook\/executor$/, homes: ['graphql', 'request', 'lib'] },
  { packages: /^@crossbook\/sandbox$/, homes: ['demo', 'foundation.ts'] },
  {
    packages: /^zod$/,
    homes: [
      'providers',
      'request',
      'graphql',
      'rest',
      'mcp',
      'storage',
      'settings.ts',
      'config.ts',
    ],
  },
];

const SRC = normalize(join(import.meta.dirname, '../src'));
const ROOT = dirname(SRC);

const sources = listFiles(SRC).map(readSource);
const tests = listFiles(join(ROOT, 'test')).map(readSource);
const workspaces = readdirSync(join(ROOT, 'packages')).map((name) => {
  const folder = join(ROOT, 'packages', name);
  return {
    name,
    manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest,
    sources: listFiles(join(folder, 'src')).map(readSource),
    tests: listFiles(join(folder, 'test')).map(readSource),
  };
});

const everything = [...sources, ...workspaces.flatMap((own) => own.sources)];

describe('imports', () => {
  test('the source files are found', () => {
    expect(sources.length).toBeGreaterThan(50);
    // Vite makes an import of each: a change in any of them runs this file again.
    const files = import.meta.glob('../{packages,src,test}/**/*.ts');
    expect(Object.keys(files).length).toBeGreaterThan(sources.length);
  });

  test.each(sources)('$file imports only allowed folders', ({ home, ours }) => {
    const allowed = TOP_FILES[home] ?? MAY_IMPORT[home];
    expect(allowed, `${home} has no place in the table`).toBeDefined();
    expect(ours.filter((folder) => folder !== home && !allowed?.includes(folder))).toEqual([]);
  });

  test.each(sources)(
    '$file imports packages only in the folders that may use them',
    ({ home, packages }) => {
      const strangers = packages.filter(
        (name) =>
          !PACKAGE_HOMES.some((entry) => entry.packages.test(name) && entry.homes.includes(home)),
      );
      expect(strangers).toEqual([]);
    },
  );

  test.each(sources.filter(({ home }) => home === 'providers'))(
    '$file knows no other provider',
    (source) => {
      const own = providerOf(source.file);
      const others = source.targets
        .map(providerOf)
        .filter((name) => name !== undefined && name !== own);
      expect(own === undefined ? [] : others).toEqual([]);
    },
  );

  test('of use cases, the context of a request knows only types', () => {
    const values = /^import (?!type )[^;]*from '\.\.\/usecases\//m;
    const knowing = sources.filter(({ home, code }) => home === 'request' && values.test(code));
    expect(knowing.map(({ file }) => file)).toEqual([]);
  });

  test('no file imports itself by way of others, types included', () => {
    const targetsOf = new Map(sources.map(({ file, targets }) => [file, targets]));
    const done = new Set<string>();
    const findCycle = (file: string, path: readonly string[]): readonly string[] | undefined => {
      if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
      if (done.has(file)) return undefined;
      for (const target of targetsOf.get(file) ?? []) {
        const cycle = findCycle(target, [...path, file]);
        if (cycle) return cycle;
      }
      done.add(file);
      return undefined;
    };
    expect([...targetsOf.values()].flat().length).toBeGreaterThan(1_000);
    for (const { file } of sources) expect(findCycle(file, []), file).toBeUndefined();
  });

  test('only the composition root, and the supervisor of several workers, import the demo', () => {
    const knowing = sources.filter(({ home, ours }) => home !== 'demo' && ours.includes('demo'));
    expect(knowing.map(({ file }) => file)).toEqual(['src/foundation.ts', 'src/supervise.ts']);
  });

  test('time is read only from the clock, so that a step of the wall clock changes no duration', () => {
    const own = /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)|\bperformance\.now\b|\bhrtime\b/;
    const readers = sources.filter(({ code }) => own.test(code));
    expect(readers.map(({ file }) => file)).toEqual(['src/lib/clock.ts']);
    // Workspaces have no clock of ours. They measure durations; these compare with a date of another machine, or date people.
    const wall = /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)/;
    const dating = workspaces.flatMap((own) => own.sources.filter(({ code }) => wall.test(code)));
    expect(dating.map(({ file }) => file)).toEqual([
      'packages/child-postgres/src/directory-lock.ts',
      'packages/client/src/token-cache.ts',
      'packages/client/src/verify-webhook.ts',
      'packages/sandbox/src/open-sandbox.ts',
    ]);
  });

  test('the environment is read in main.ts alone', () => {
    const readers = sources.filter(({ code }) => /process\s*\.\s*env|process\[/.test(code));
    expect(readers.map(({ file }) => file)).toEqual(['src/main.ts']);
  });
});

describe.each(workspaces)('The workspace packages/$name', ({ name, manifest, ...own }) => {
  test('imports nothing outside of its folder but the packages that it declares', () => {
    const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    const leaving = own.sources.flatMap(({ file, targets, packages }) =>
      [
        ...targets.filter((target) => !target.startsWith(`packages/${name}/src/`)),
        ...packages.filter((used) => !declared.includes(used)),
      ].map((target) => `${file} → ${target}`),
    );
    expect(leaving).toEqual([]);
  });

  test('has tests that use nothing of the product', () => {
    expect(own.tests.length).toBeGreaterThan(0);
    const reached = new Set<string>();
    const follow = (targets: readonly string[]) => {
      for (const target of targets.filter((one) => !reached.has(one))) {
        reached.add(target);
        follow(tests.find(({ file }) => file === target)?.targets ?? []);
      }
    };
    for (const { targets, packages } of own.tests) {
      follow(targets);
      expect(packages.filter((used) => used.startsWith('@crossbook/'))).toEqual([]);
    }
    const outside = [...reached].filter((target) => !target.startsWith(`packages/${name}/`));
    expect(outside.filter((target) => !target.startsWith('test/support/'))).toEqual([]);
  });

  test('is private, with at most two entries and a README of one page', () => {
    expect(manifest).toMatchObject({ private: true, type: 'module' });
    expect(Object.keys(manifest.exports).length).toBeLessThanOrEqual(2);
    const readme = readFileSync(join(ROOT, 'packages', name, 'README.md'), 'utf8');
    expect(readme).toContain(`# ${manifest.name}\n`);
    expect(readme.split('\n').length).toBeLessThanOrEqual(60);
  });
});

test('workspaces are imported by their names', () => {
  const byPath = [...sources, ...tests].filter(({ targets }) =>
    // What a workspace's own tests share is not one of its entries.
    targets.some((target) => /^packages\/\w[^/]*\/src\//.test(target)),
  );
  expect(byPath.map(({ file }) => file)).toEqual([]);
});

test('docs/architecture.md says which folder may import which', () => {
  const rows = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8').matchAll(
    /^\| ([a-z, ]+) \| (.+) \|$/gm,
  );
  const told = [...rows].flatMap(([, folders = '', allowed = '']) => {
    const names = allowed.replaceAll(/ \(.*?\)/g, '').split(', ');
    return folders.split(', ').map((folder) => [folder, names.sort()]);
  });
  const table = Object.entries(MAY_IMPORT).map(([folder, allowed]) => [
    folder,
    allowed.length > 0 ? allowed.toSorted() : ['nothing of ours'],
  ]);
  expect(Object.fromEntries(told)).toMatchObject(Object.fromEntries(table));
});

test('docs/architecture.md names existing files with their symbols', () => {
  const rows = [
    ...readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8').matchAll(
      /^\| .+ \| `((?:src|packages)\/.+)` \| `(\w+)` \|$/gm,
    ),
  ];
  const wrong = rows.filter(
    ([, file, symbol]) =>
      !new RegExp(`export (?:async )?(?:function|const|class) ${symbol}\\b`).test(
        everything.find((source) => source.file === file)?.code ?? '',
      ),
  );
  expect(rows.length).toBeGreaterThan(15);
  expect(wrong.map(([row]) => row)).toEqual([]);
});

describe('shape', () => {
  test('src has only sources, and no compiled files', () => {
    const names = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
    // Types that a package leaves out are written by hand, in a file of its name.
    const written = ['telemetry/metrics/prom-client.d.ts'];
    expect(names.filter((name) => /\.(?:js|map|d\.ts)$/.test(name))).toEqual(written);
  });

  test('main.ts stays below 60 lines', () => {
    expect(
      readFileSync(join(SRC, 'main.ts'), 'utf8').trimEnd().split('\n').length,
    ).toBeLessThanOrEqual(60);
  });

  test.each(Object.keys(MAY_IMPORT).filter((folder) => folder !== 'lib'))(
    'src/%s opens with a README',
    (folder) => {
      const lines = readFileSync(join(SRC, folder, 'README.md'), 'utf8')
        .trimEnd()
        .split('\n');
      expect(lines.length).toBeLessThanOrEqual(10);
      const named = [...lines.join('\n').matchAll(/`(?:[\w./-]*\/)?([\w-]+\.ts)`/g)].map(
        ([, name = '']) => name,
      );
      const names = new Set(
        [...sources.map(({ file }) => file), ...listFiles(join(ROOT, 'test'))].map((file) =>
          file.split(sep).at(-1),
        ),
      );
      expect(named.filter((name) => !names.has(name))).toEqual([]);
    },
  );

  test('no code or text names a provider outside of its folder, the registry and the demo', () => {
    const names = /hubspot|salesforce|pipedrive|zendesk|dynamics 365|zoho|capsule/i;
    const naming = sources.filter(
      ({ file, home, code }) =>
        !['providers', 'demo', 'provider-texts.ts'].includes(home) &&
        file !== 'src/domain/provider-names.ts' &&
        names.test(withoutComments(code)),
    );
    expect(naming.map(({ file }) => file)).toEqual([]);
  });

  test('texts of a provider are data, which the domain may read', () => {
    const texts = sources.filter(({ file }) => /^src\/providers\/\w+\/texts\.ts$/.test(file));
    expect(texts.length).toBeGreaterThan(1);
    for (const { file, targets, packages } of texts)
      expect([...targets, ...packages], file).toEqual([]);
    const collected = sources.find(({ file }) => file === 'src/provider-texts.ts')?.targets;
    expect(collected?.toSorted()).toEqual(texts.map(({ file }) => file).toSorted());
  });

  test('objects that are made for each request have no getters: each would keep its request in memory', () => {
    // The getter of an object literal makes a hidden class for each object, which keeps the closure until a major
    // collection. This one is made once, with the schema.
    const madeOnce = ['src/graphql/subgraph/to-subgraph.ts'];
    const withGetter = sources
      .filter(({ code }) => /^ {4,}(?:get|set) \w+\(/m.test(code))
      .map(({ file }) => file);
    expect(withGetter).toEqual(madeOnce);
  });

  test('no file exports a default', () => {
    expect(
      sources.filter(({ code }) => /^export default/m.test(code)).map(({ file }) => file),
    ).toEqual([]);
  });
});

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .filter((entry) => !entry.parentPath.includes('node_modules'))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Strings keep their `//`, as in URLs. */
function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

function toRelative(path: string): string {
  return path.slice(ROOT.length + 1).replaceAll(sep, '/');
}

function readSource(path: string) {
  const code = readFileSync(path, 'utf8');
  const imported = [
    ...code.matchAll(/(?:^|\n)(?:import|export)\s[^;]*?from\s+['"]([^'"]+)['"]/g),
    ...code.matchAll(/(?:^|\n)import\s+['"]([^'"]+)['"]/g),
    ...code.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g),
  ].map((match) => match[1] ?? '');
  const targets = imported
    .filter((name) => name.startsWith('.'))
    .map((name) => toRelative(normalize(join(dirname(path), name))));
  return {
    file: toRelative(path),
    code,
    home: homeOf(toRelative(path)),
    targets,
    ours: [...new Set(targets.map(homeOf))],
    packages: imported
      .filter((name) => !name.startsWith('.') && !name.startsWith('node:'))
      .map(packageOf),
  };
}

function homeOf(file: string): string {
  return file.split('/')[1] ?? file;
}

function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

function providerOf(file: string): string | undefined {
  return /^src\/providers\/([^/]+)\//.exec(file)?.[1];
}
