import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const { bin } = JSON.parse(readFileSync('package.json', 'utf8'));
const crossbook = (...args: string[]) =>
  run(process.execPath, [bin.crossbook, ...args], { env: { PATH: process.env['PATH'] } });

test('the command of the package is the product itself: it prints and ends', async () => {
  const { stdout, stderr } = await crossbook('schema', 'print');
  expect(stdout).toBe(readFileSync('schema.graphql', 'utf8'));
  expect(stderr).toBe('');
  expect((await crossbook('--help')).stdout).toContain('Usage: crossbook');
});

test('its exit code says how it ended', async () => {
  await expect(crossbook('nonsense')).rejects.toMatchObject({ code: 2, stdout: '' });
});

test('it can be called by its name once it is installed', () => {
  expect(readFileSync(bin.crossbook, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
});
