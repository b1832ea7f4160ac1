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

/** Root passes over modes: what stops it is a mount. */
const AS_ROOT = `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"`;

describe.runIf(IS_ROOT ? canUnshare() : process.platform !== 'win32')(
  'a data folder that cannot be written to is refused in one line that says what to do',
  () => {
    test('when it is empty', async () => {
      expect(await start(makeFolder())).toMatch(REFUSED);
    });

    test('when it is still to be made', async () => {
      const folder = makeFolder();
      const told = await start(folder, join(folder, 'below', 'deeper'));
      expect(told).toMatch(REFUSED);
      expect(told).toContain(join('below', 'deeper'));
    });

    test('when there is a database in it, which is whole afterwards', async () => {
      const folder = makeFolder();
      const env = { CROSSBOOK_DATA: folder };
      expect(await (await startProduct(env)).stop()).toBe(0);
      expect(await start(folder)).toMatch(REFUSED);
      expect(await (await startProduct(env)).stop()).toBe(0);
    });

    test.runIf(IS_ROOT)('when the database alone is on a read-only mount', async () => {
      const folder = makeFolder();
      expect(await (await startProduct({ CROSSBOOK_DATA: folder })).stop()).toBe(0);
      expect(await start(join(folder, 'data'), folder)).toMatch(
        /^The database in \S+ cannot be started: .*Read-only file system$/m,
      );
    });
  },
);

const REFUSED = /^The data directory \S+ cannot be used: (EROFS|EACCES).*CROSSBOOK_DATA/m;

/** What it writes to its standard error, until it ends. */
async function start(readOnly: string, data = readOnly): Promise<string> {
  const product = [process.execPath, 'dist/main.js'];
  const [program = '', ...args] = IS_ROOT
    ? ['unshare', '--mount', 'sh', '-c', AS_ROOT, readOnly, ...product]
    : product;
  if (!IS_ROOT) chmodSync(readOnly, 0o555);
  const env = { PATH: process.env['PATH'], PORT: '0', CROSSBOOK_SANDBOX_PORT: '0', CROSSBOOK_DATA: data };
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let told = '';
  child.stderr.on('data', (text: Buffer) => {
    told += text;
  });
  const [code] = await once(child, 'close');
  if (!IS_ROOT) chmodSync(readOnly, 0o755);
  expect(code).toBe(1);
  expect(told).not.toMatch(/\n\s+at /);
  return told;
}

function makeFolder(): string {
  const folder = mkdtempSync(join(root, 'data-'));
  chmodSync(folder, 0o755);
  return folder;
}
