import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FREE_LICENCES } from '../support/free-licences.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import '../support/process-sources.ts';

const BUILD = JSON.parse(readFileSync('dist/build.json', 'utf8')) as {
  files: Record<string, string[]>;
};
/** The files of this build: those of the previous one are there too. */
const FILES = Object.keys(BUILD.files);
/** Our sources, as a source map names them. */
const OURS = /^\.\.\/(?:src|packages\/[\w-]+\/src)\//;
const folder = makeTemporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a stack trace refers to our sources', () => {
  const env = {
    PATH: process.env['PATH'],
    CROSSBOOK_DATA: join(folder, 'never'),
    PORT: 'x',
    LOG_LEVEL: 'debug',
  };
  const { stderr, status } = spawnSync('dist/crossbook', { env, encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^ {4}at readConfig \(.*src\/config\.ts:\d+:\d+\)$/m);
});

test('source maps contain neither sources nor references to packages, because Node reads them at every start', () => {
  const maps = FILES.filter((name) => name.endsWith('.map'));
  expect(maps.length).toBeGreaterThan(3);
  for (const name of maps) {
    const map = JSON.parse(readFileSync(join('dist', name), 'utf8')) as {
      sources: string[];
      sourcesContent?: unknown;
    };
    expect(map.sourcesContent).toBeUndefined();
    expect(map.sources.filter((source) => !OURS.test(source))).toEqual([]);
  }
});

test('the licence of every bundled package is shipped, and is an allowed one', () => {
  const text = readFileSync('dist/third-party-licences.txt', 'utf8');
  const named = [...text.matchAll(/^={80}\n(\S+) \S+ \((.+?)(?:, by .*)?\)\n={80}\n/gm)];
  expect(named.map(([, name]) => name)).toEqual(
    expect.arrayContaining([...packagesOf(() => true)]),
  );
  expect(
    named.filter(([, , licence = '']) => !FREE_LICENCES.includes(licence)).map(([head]) => head),
  ).toEqual([]);
});

describe('A start in production', () => {
  let child: ChildProcess;
  let loaded: readonly string[];

  beforeAll(async () => {
    const coverage = join(folder, 'coverage');
    child = spawn('dist/crossbook', {
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        CROSSBOOK_DATA: join(folder, 'data'),
        CROSSBOOK_SANDBOX: 'off',
        // Node writes the list of loaded files there.
        NODE_V8_COVERAGE: coverage,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    for await (const chunk of child.stdout ?? []) {
      printed += String(chunk);
      if (printed.includes('ready at')) break;
    }
    child.kill('SIGTERM');
    await once(child, 'exit');
    loaded = readdirSync(coverage).flatMap((name) => {
      const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as Coverage;
      return result.flatMap(({ url }) => /\/dist\/([^/]+\.js)$/.exec(url)?.[1] ?? []);
    });
  });
  afterAll(() => child.kill('SIGKILL'));

  test('loads few files', () => {
    expect(loaded).toContain('main.js');
    expect(loaded.length).toBeLessThan(50);
  });

  test.each(['ioredis', 'rate-limiter-flexible', '@graphql-yoga/render-graphiql'])(
    'does not load %s',
    (name) => {
      expect(packagesOf(() => true)).toContain(name);
      expect(packagesOf((file) => loaded.includes(file))).not.toContain(name);
    },
  );

  test.each([
    ['the sandbox', 'packages/sandbox/src/http.ts'],
    ['the page of the OpenAPI document', 'src/rest/openapi/page.ts'],
    ['the OpenAPI document', 'src/rest/openapi/document.ts'],
    ['the trace exporter', 'src/telemetry/traces.ts'],
    ['the MCP server’s protocol and tools', 'src/mcp/protocol.ts'],
    ['the CLI commands', 'src/cli/run.ts'],
    ['the supervisor of several workers', 'src/supervise.ts'],
    ['what workers need', 'src/workers/forwarding.ts'],
  ])('does not load %s', (_, source) => {
    const holding = FILES.filter((name) => sourcesOf(name).includes(`../${source}`));
    expect(holding.length).toBeGreaterThan(0);
    expect(holding.filter((name) => loaded.includes(name))).toEqual([]);
  });
});

function sourcesOf(name: string): readonly string[] {
  if (!FILES.includes(`${name}.map`)) return [];
  return (JSON.parse(readFileSync(join('dist', `${name}.map`), 'utf8')) as { sources: string[] })
    .sources;
}

function packagesOf(isWanted: (file: string) => boolean): readonly string[] {
  return Object.entries(BUILD.files).flatMap(([file, packages]) =>
    isWanted(file) ? packages : [],
  );
}

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}
