import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { COMMANDS, SERVERS } from '../../src/cli/run.ts';
import { openRest } from '../rest/open-rest.ts';
import { DOCUMENTS, readSamples } from '../support/documents.ts';
import { runCli } from '../support/run-cli.ts';

const { document } = await openRest();
/** As it is called in a checkout, of a build, in the image, and where it is installed. */
const COMMAND =
  /(?:npm run (?:-s|--silent) crossbook --|\S*\b(?:dist|\.bin)\/crossbook|(?:^|[|&(] )crossbook) (.+)/;
const LINES = readSamples()
  .filter(({ language }) => ['sh', 'console'].includes(language))
  .flatMap(({ path, line, code }) => {
    // Text that is written into a file is not a command; a continued line, and what a variable is set to, is one command.
    const commands = code
      .replaceAll(/<<END\n[\s\S]*?^END$/gm, '')
      .replaceAll('\\\n', ' ')
      .replaceAll(/^export \w+=\$\((.*)\)$/gm, '$1');
    return commands.split('\n').map((text) => ({ place: `${path}:${line}`, text }));
  });
/** Without the changelog, which also names commands of former versions. */
const INLINE = [...DOCUMENTS].flatMap(([place, text]) =>
  place === 'CHANGELOG.md'
    ? []
    : [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(
        ([, code = '']) => ({
          place,
          text: code,
        }),
      ),
);

describe('a printed command', () => {
  const calls = LINES.flatMap(({ place, text }) => {
    const [, words = ''] = COMMAND.exec(text) ?? [];
    return words === '' ? [] : [{ place, args: toArguments(words) }];
  }).filter(({ args }) => args.length > 0);

  test('is found in several documents', () => {
    expect(calls.length).toBeGreaterThan(8);
    expect(new Set(calls.map(({ place }) => place.split(':')[0])).size).toBeGreaterThan(2);
  });

  test.each(calls)('has valid arguments: $args ($place)', async ({ args }) => {
    // Valid arguments fail later, at the wrong setting, with exit code 1; wrong arguments end with 2.
    const { code, stdout, stderr } = await runCli(args, { env: { PORT: 'x' } });
    expect([code, stdout + stderr]).toEqual([1, expect.stringContaining('PORT')]);
  });

  test.each(INLINE.filter(({ text }) => /^crossbook [a-z]/.test(text)))(
    'is an existing command: $text ($place)',
    ({ text }) => {
      const words = text.split(' ').slice(1);
      const servers = SERVERS.map((name) => ({ name, options: {} }));
      const named = [...COMMANDS, ...servers].filter(({ name }) =>
        name.split(' ').every((word, at) => word === words[at]),
      );
      expect(named).toHaveLength(1);
      const options = [...text.matchAll(/--([a-z-]+)/g)].map(([, option = '']) => option);
      expect(Object.keys(named[0]?.options ?? {})).toEqual(expect.arrayContaining(options));
    },
  );
});

test('a block ends with a command that keeps running, so that all of its lines can be pasted at once', () => {
  const KEEPS_RUNNING =
    /\bnpm (?:start|run dev)\b|(?:dist|\.bin)\/crossbook(?: --env-file \S+)?$|\bdocker compose .*\bup\b(?!.* --detach)/;
  const blocks = readSamples().filter(({ language }) => ['sh', 'console'].includes(language));
  const servers = blocks.filter(({ code }) =>
    code
      .trim()
      .split('\n')
      .some((line) => KEEPS_RUNNING.test(line)),
  );
  expect(servers.length).toBeGreaterThan(4);
  const hanging = servers.filter(({ code }) =>
    code
      .trim()
      .split('\n')
      .slice(0, -1)
      .some((line) => KEEPS_RUNNING.test(line)),
  );
  expect(hanging.map(({ path, line }) => `${path}:${line}`)).toEqual([]);
});

test('every script in the documents is in its package', () => {
  const named = [...LINES, ...INLINE].flatMap(({ place, text }) => {
    const [, folder = '.'] = / --prefix (\S+)/.exec(text) ?? [];
    return [...text.matchAll(/\bnpm run (?:-\S+ )*([a-z][\w:]*)/g)].map(([, name = '']) => ({
      place,
      folder,
      name,
    }));
  });
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ folder, name }) => readScripts(folder)[name] === undefined)).toEqual([]);
});

test('a program that npx runs is installed before, because npx installs whatever has its name', () => {
  const PACKAGES: Readonly<Record<string, string>> = {
    'graphql-codegen': '@graphql-codegen/cli',
    hive: '@graphql-hive/cli',
    'hive-gateway': '@graphql-hive/gateway',
    wgc: 'wgc',
  };
  // In a checkout of Crossbook, `npm ci` installs it.
  const calls = [...DOCUMENTS].flatMap(([path, text]) =>
    [...text.matchAll(/\bnpx (?:-\S+ )*([\w@/-]+)/g)]
      .filter(([, name = '']) => !['crossbook', 'vitest'].includes(name))
      .map(({ 1: name = '', index }) => ({ path, name, before: text.slice(0, index) })),
  );
  expect(calls.length).toBeGreaterThan(5);
  const missing = calls.filter(({ name, before }) => {
    const installed = [...before.matchAll(/\bnpm (?:install|i) ([^\n`|]+)/g)].flatMap(
      ([, words = '']) => words.split(' '),
    );
    return !installed.includes(PACKAGES[name] ?? '');
  });
  expect(missing.map(({ path, name }) => `${path}: npx ${name}`)).toEqual([]);
});

describe('a request', () => {
  const paths = Object.entries(document.paths).map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    methods: Object.keys(methods).map((method) => method.toUpperCase()),
  }));
  const isThere = (method: string, path: string) =>
    OTHERS.includes(path) ||
    path.startsWith('/admin/') ||
    paths.some(({ pattern, methods }) => pattern.test(path) && methods.includes(method));

  test('has an existing path when it is made by curl', () => {
    // Those to the sandbox are made in guides.test.ts.
    const requests = LINES.filter(
      ({ text }) => text.includes('curl ') && !text.includes('$SANDBOX'),
    );
    expect(requests.length).toBeGreaterThan(10);
    const lost = requests.filter(({ text }) => {
      const [, path = ''] =
        /(?:localhost:4000|10\.0\.0\.10|\$CROSSBOOK_URL)(\/[\w/.-]+)/.exec(text) ?? [];
      const [, method = text.includes(" -d '") ? 'POST' : 'GET'] = /-X (\w+)/.exec(text) ?? [];
      return !isThere(method, path);
    });
    expect(lost).toEqual([]);
  });

  test('exists when a sentence or a table names it', () => {
    const named = INLINE.flatMap(({ place, text }) => {
      const [, methods = '', path = ''] =
        /^((?:(?:GET|POST|PUT|PATCH|DELETE)(?:, | \| )?)+) (\/\S*)$/.exec(text) ?? [];
      return methods.split(/, | \| /).map((method) => ({ place, method, path }));
    }).filter(({ path }) => path !== '' && !/[:<…]/.test(path));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter(({ method, path }) => !isThere(method, path.split('?')[0] ?? ''))).toEqual(
      [],
    );
  });
});

/** What is no part of the REST document. */
const OTHERS = [
  ...['/graphql', '/livez', '/readyz', '/metrics', '/openapi.json', '/docs', '/health', '/mcp'],
  '/__sandbox',
];

/** As a shell makes them: without what it does itself, and without the file of settings, which is not here. */
function toArguments(words: string): readonly string[] {
  const [own = ''] = words
    .replaceAll(/<[a-z][a-z ]*>/g, 'GIVEN')
    .replace(/--env-file \S+ ?/, '')
    .split(/ [|<>&;#] ?/);
  return [...own.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain);
}

function readScripts(folder: string): Readonly<Record<string, string>> {
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')).scripts;
}
