import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import '../support/process-sources.ts';

const run = promisify(execFile);
const { bin } = JSON.parse(readFileSync('package.json', 'utf8'));
const crossbook = (...args: string[]) => run(bin.crossbook, args, { env: { PATH: process.env['PATH'] } });

test('the command of the package is the product itself: it prints and ends', async () => {
  const { stdout, stderr } = await crossbook('schema', 'print');
  expect(stdout).toBe(readFileSync('schema.graphql', 'utf8'));
  expect(stderr).toBe('');
  expect((await crossbook('--help')).stdout).toContain('Usage: crossbook');
});

test('its exit code says how it ended', async () => {
  await expect(crossbook('nonsense')).rejects.toMatchObject({ code: 2, stdout: '' });
});

test('it can be called by its name once it is installed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crossbook-bin-'));
  // As npm does.
  symlinkSync(resolve(bin.crossbook), join(folder, 'crossbook'));
  expect((await run(join(folder, 'crossbook'), ['--help'])).stdout).toContain('Usage: crossbook');
  rmSync(folder, { recursive: true });
});
