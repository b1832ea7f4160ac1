import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import '../support/process-sources.ts';

const run = promisify(execFile);
const { bin } = JSON.parse(readFileSync('package.json', 'utf8'));
const crossbook = (...args: string[]) =>
  run(bin.crossbook, args, { env: { PATH: process.env['PATH'] } });

test('the command of the package runs the product: it prints and ends', async () => {
  const { stdout, stderr } = await crossbook('schema', 'print');
  expect(stdout).toBe(readFileSync('schema.graphql', 'utf8'));
  const subgraph = await crossbook('schema', 'print', '--subgraph');
  expect(subgraph.stdout).toBe(readFileSync('subgraph.graphql', 'utf8'));
  expect(stderr).toBe('');
  expect((await crossbook('--help')).stdout).toContain('Usage: crossbook');
});

test('the npm script without a command prints the usage, and starts no server', async () => {
  const env = { PATH: process.env['PATH'], npm_lifecycle_event: 'crossbook' };
  const { stdout } = await run(bin.crossbook, [], { env });
  expect(stdout).toContain('Usage: crossbook');
});

test('the command prints its version', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect((await crossbook('--version')).stdout).toBe(`${version}\n`);
});

describe('an environment file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'crossbook-env-'));
  const file = join(folder, 'settings');
  writeFileSync(
    file,
    'PORT=many\nCROSSBOOK_MAX_REQUESTS=none\nDATABASE_URL=postgres://127.0.0.1:1/none\n',
  );
  const env = { PATH: process.env['PATH'], CROSSBOOK_DATA: folder, CROSSBOOK_MAX_REQUESTS: '10' };
  const fail = (...args: string[]) => run(bin.crossbook, args, { env }).catch((error) => error);
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    ['behind the option', ['--env-file', file]],
    ['joined to it', [`--env-file=${file}`]],
    ['for a command', ['--env-file', file, 'apps', 'list']],
  ])('given %s is read, and variables of the environment take precedence', async (_, args) => {
    const { code, stderr } = await fail(...args);
    expect(code).toBe(1);
    expect(stderr).toContain('PORT');
    expect(stderr).not.toContain('CROSSBOOK_MAX_REQUESTS');
  });

  // Node 20 looks for the file itself, and ends with words and a code of its own.
  test.each([['--env-file', `${file}.gone`], [`--env-file=${file}.gone`]])(
    'must exist: %s',
    async (...args) => {
      const { code, stderr } = await fail(...args);
      expect([2, 9]).toContain(code);
      expect(stderr).toContain('settings.gone');
    },
  );

  test('must be named', async () => {
    expect(await fail('--env-file')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--env-file ""'),
    });
  });
});

test('the exit code of the command is its result', async () => {
  await expect(crossbook('nonsense')).rejects.toMatchObject({ code: 2, stdout: '' });
});

describe('the output of the command', () => {
  test('can be closed by its reader: the command ends without an error', async () => {
    const child = spawn(bin.crossbook, ['schema', 'print'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const complaints = text(child.stderr);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await complaints).toBe('');
  });

  test('can have no reader: the exit code is still the result', async () => {
    const child = spawn(bin.crossbook, ['nonsense'], { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.destroy();
    expect(await once(child, 'exit')).toEqual([2, null]);
  });

  test.runIf(process.platform === 'linux')('can fail on a full disk, with a message', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(bin.crossbook, ['schema', 'print'], { stdio: ['ignore', full, 'pipe'] });
    const complaints = text(child.stderr as Readable);
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(await complaints).toMatch(/^The output cannot be written: .*ENOSPC.*\n$/);
    closeSync(full);
  });
});

test('the command can be called by its name after an installation', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crossbook-bin-'));
  // As npm does.
  symlinkSync(resolve(bin.crossbook), join(folder, 'crossbook'));
  expect((await run(join(folder, 'crossbook'), ['--help'])).stdout).toContain('Usage: crossbook');
  rmSync(folder, { recursive: true });
});
