import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import '../support/process-sources.ts';

const ROOT = join(import.meta.dirname, '../..');
const USER = `
import { createClient, CrossbookError, type Contact } from 'crossbook/client';

const client = createClient({ url: 'http://127.0.0.1:1/graphql', apiKey: 'key' });
const search = { customerId: 'a', provider: 'HUBSPOT', filter: { email: 'ada@example.com' } } as const;
try {
  const { nodes } = await client.searchContacts(search);
  const names: (string | null)[] = nodes.map((contact: Contact) => contact.firstName);
  console.log(names);
} catch (error) {
  if (error instanceof CrossbookError && error.code === 'NO_ANSWER') console.log('typed');
}
// @ts-expect-error a filter is exactly one of three
client.searchContacts({ ...search, filter: { email: 'a', emailDomain: 'b' } }).catch(() => {});
// @ts-expect-error a key or a token, not both
createClient({ url: '', apiKey: 'key', token: 'token' });
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'crossbook-user-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/crossbook'));
  writeFileSync(join(folder, 'user.ts'), USER);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rmSync(folder, { recursive: true }));

test('who depends on the package imports `crossbook/client`, typed to its arguments', () => {
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom'];
  const types = ['--types', '', '--outDir', 'out', 'user.ts'];
  expect(run(join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, ...types)).toBe('');
  expect(run('out/user.js')).toBe('typed\n');
});

test('the client imports nothing: it runs wherever there is a fetch', () => {
  const code = readFileSync(join(ROOT, 'dist/client/index.js'), 'utf8');
  expect(code).toContain('createClient');
  expect(code).not.toMatch(/\bimport\b|\brequire\b/);
});

function run(script: string, ...args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stdout + stderr;
}
