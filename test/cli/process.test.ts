import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import '../support/process-sources.ts';

const run = promisify(execFile);
const { bin } = JSON.parse(readFileSync('package.json', 'utf8'));
const crossbook = (...args: string[]) => run(bin.crossbook, args, { env: { PATH: process.env['PATH'] } });

test('the command of the package is the product itself: it prints and ends', async () => {
  const { stdout, stderr } = await crossbook('schema', 'print');
  expect(stdout).toBe(readFileSync('schema.graphql', 'utf8'));
  const subgraph = await crossbook('schema', 'print', '--subgraph');
  expect(subgraph.stdout).toBe(readFileSync('subgraph.graphql', 'utf8'));
  expect(stderr).toBe('');
  expect((await crossbook('--help')).stdout).toContain('Usage: crossbook');
});

test('it says its version', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect((await crossbook('--version')).stdout).toBe(`${version}\n`);
});

describe('settings may come from a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crossbook-env-'));
  const file = join(folder, 'settings');
  writeFileSync(file, 'PORT=many\nCROSSBOOK_MAX_REQUESTS=none\nDATABASE_URL=postgres://127.0.0.1:1/none\n');
  const env = { PATH: process.env['PATH'], CROSSBOOK_DATA: folder, CROSSBOOK_MAX_REQUESTS: '10' };
  const fail = (...args: string[]) => run(bin.crossbook, args, { env }).catch((error) => error);
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    ['behind the option', ['--env-file', file]],
    ['joined to it', [`--env-file=${file}`]],
    ['for a command', ['--env-file', file, 'apps', 'list']],
  ])('whose name stands %s; what the environment has as well wins', async (_, args) => {
    const { code, stderr } = await fail(...args);
    expect(code).toBe(1);
    expect(stderr).toContain('PORT');
    expect(stderr).not.toContain('CROSSBOOK_MAX_REQUESTS');
  });

  // Node 20 looks for the file itself, and ends with words and a code of its own.
  test.each([['--env-file', `${file}.gone`], [`--env-file=${file}.gone`]])(
    'which has to exist: %s',
    async (...args) => {
      const { code, stderr } = await fail(...args);
      expect([2, 9]).toContain(code);
      expect(stderr).toContain('settings.gone');
    },
  );

  test('which has to be named', async () => {
    expect(await fail('--env-file')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--env-file ""'),
    });
  });
});

test('its exit code says how it ended', async () => {
  await expect(crossbook('nonsense')).rejects.toMatchObject({ code: 2, stdout: '' });
});

describe('what it prints', () => {
  test('may be read in part: it ends without a word', async () => {
    const child = spawn(bin.crossbook, ['schema', 'print'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const complaints = text(child.stderr);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await complaints).toBe('');
  });

  test('may be read by nobody: its exit code says how it ended', async () => {
    const child = spawn(bin.crossbook, ['nonsense'], { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.destroy();
    expect(await once(child, 'exit')).toEqual([2, null]);
  });

  test.runIf(process.platform === 'linux')('may find no room: that is a failure, in words', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(bin.crossbook, ['schema', 'print'], { stdio: ['ignore', full, 'pipe'] });
    const complaints = text(child.stderr as Readable);
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(await complaints).toMatch(/^What it says cannot be written: .*ENOSPC.*\n$/);
    closeSync(full);
  });
});

test('it can be called by its name once it is installed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crossbook-bin-'));
  // As npm does.
  symlinkSync(resolve(bin.crossbook), join(folder, 'crossbook'));
  expect((await run(join(folder, 'crossbook'), ['--help'])).stdout).toContain('Usage: crossbook');
  rmSync(folder, { recursive: true });
});
