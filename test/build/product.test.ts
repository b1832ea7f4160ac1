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

const children: ChildProcess[] = [];
afterAll(() => children.forEach((child) => void child.kill('SIGKILL')));

/** Starts the product, stops it when it is ready, and resolves with the files of `dist` that it has loaded. */
async function listLoaded(name: string, settings: Readonly<Record<string, string>>) {
  const coverage = join(folder, `${name}-coverage`);
  const child = spawn('dist/crossbook', {
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      CROSSBOOK_DATA: join(folder, name),
      CROSSBOOK_SANDBOX: 'off',
      // Node writes the list of loaded files there.
      NODE_V8_COVERAGE: coverage,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  let printed = '';
  for await (const chunk of child.stdout ?? []) {
    printed += String(chunk);
    if (printed.includes('ready at')) break;
  }
  child.kill('SIGTERM');
  await once(child, 'exit');
  return readdirSync(coverage).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(coverage, file), 'utf8')) as Coverage;
    return result.flatMap(({ url }) => /\/dist\/([^/]+\.js)$/.exec(url)?.[1] ?? []);
  });
}

describe('A start in production', () => {
  let loaded: readonly string[];

  beforeAll(async () => {
    loaded = await listLoaded('data', {});
  });

  test('loads few files', () => {
    expect(loaded).toContain('main.js');
    // Parts that are loaded later share modules with those of the start, and each combination is a file.
    expect(loaded.length).toBeLessThan(64);
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
    ['the console', 'src/console/console.ts'],
    ['the admin API', 'src/rest/admin.ts'],
    ['what operators look at', 'src/storage/operator-views.ts'],
    ['the checks of doctor', 'src/checks.ts'],
    ['the CLI commands', 'src/cli/run.ts'],
    ['the supervisor of several workers', 'src/supervise.ts'],
    ['what workers need', 'src/workers/forwarding.ts'],
  ])('does not load %s', (_, source) => {
    const holding = FILES.filter((name) => sourcesOf(name).includes(`../${source}`));
    expect(holding.length).toBeGreaterThan(0);
    expect(holding.filter((name) => loaded.includes(name))).toEqual([]);
  });
});

test('with an admin key and CROSSBOOK_CONSOLE=off, the admin API is loaded and nothing of the console is', async () => {
  const loaded = await listLoaded('admin', {
    CROSSBOOK_ADMIN_KEY_HASH: 'a'.repeat(64),
    CROSSBOOK_CONSOLE: 'off',
  });
  const sources = loaded.filter((name) => FILES.includes(name)).flatMap(sourcesOf);
  expect(sources).toContain('../src/rest/admin.ts');
  expect(sources.filter((name) => name.startsWith('../src/console/'))).toEqual([]);
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
