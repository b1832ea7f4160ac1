import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { canUnshare, IS_ROOT } from '../support/machine.ts';
import { startProduct } from '../support/product.ts';

const root = mkdtempSync(join(tmpdir(), 'crossbook-'));
chmodSync(root, 0o711);
afterAll(() => rmSync(root, { recursive: true }));

/** Root ignores file modes, so the tests use a read-only mount. */
const AS_ROOT = `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"`;

describe.runIf(IS_ROOT ? canUnshare() : process.platform !== 'win32')(
  'A data directory that is not writable stops the start with one line that says what to do',
  () => {
    test('when it is empty', async () => {
      expect(await start(makeFolder())).toMatch(REFUSED);
    });

    test('when it does not exist yet', async () => {
      const folder = makeFolder();
      const stderr = await start(folder, join(folder, 'below', 'deeper'));
      expect(stderr).toMatch(REFUSED);
      expect(stderr).toContain(join('below', 'deeper'));
    });

    test('when it contains a database, which stays intact', async () => {
      const folder = makeFolder();
      const env = { CROSSBOOK_DATA: folder };
      expect(await (await startProduct(env)).stop()).toBe(0);
      expect(await start(folder)).toMatch(REFUSED);
      expect(await (await startProduct(env)).stop()).toBe(0);
    });

    test.runIf(IS_ROOT)('when only the database inside it is on a read-only mount', async () => {
      const folder = makeFolder();
      expect(await (await startProduct({ CROSSBOOK_DATA: folder })).stop()).toBe(0);
      expect(await start(join(folder, 'data'), folder)).toMatch(
        /^The database in \S+ cannot be started: .*Read-only file system$/m,
      );
    });
  },
);

const REFUSED = /^The data directory \S+ cannot be used: (EROFS|EACCES).*CROSSBOOK_DATA/m;

/** Runs the start to its end, and returns its standard error. */
async function start(readOnly: string, data = readOnly): Promise<string> {
  const product = [process.execPath, 'dist/main.js'];
  const [program = '', ...args] = IS_ROOT
    ? ['unshare', '--mount', 'sh', '-c', AS_ROOT, readOnly, ...product]
    : product;
  if (!IS_ROOT) chmodSync(readOnly, 0o555);
  const env = {
    PATH: process.env['PATH'],
    PORT: '0',
    CROSSBOOK_SANDBOX_PORT: '0',
    CROSSBOOK_DATA: data,
  };
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (text: Buffer) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  if (!IS_ROOT) chmodSync(readOnly, 0o755);
  expect(code).toBe(1);
  expect(stderr).not.toMatch(/\n\s+at /);
  return stderr;
}

function makeFolder(): string {
  const folder = mkdtempSync(join(root, 'data-'));
  chmodSync(folder, 0o755);
  return folder;
}
