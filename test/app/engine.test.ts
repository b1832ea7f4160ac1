import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { type Product, startProduct } from '../support/product.ts';

const data = mkdtempSync(join(tmpdir(), 'crossbook-'));
let database: TestDatabase | undefined;
let product: Product | undefined;

afterEach(async () => {
  await product?.stop();
  await database?.drop();
  rmSync(data, { recursive: true, force: true });
});

/**
 * Reports from within the process for which primitives V8 cannot inline method calls (their prototype lost fast
 * properties).
 */
const WITNESS = `data:text/javascript,${encodeURIComponent(`
  const names = ['String', 'Number', 'Boolean', 'Symbol', 'BigInt'];
  const isSlow = (name) => !%HasFastProperties(globalThis[name].prototype);
  process.on('message', () => process.send(names.filter(isSlow)));
  process.channel.unref();
`)}`;

test.each([
  ['without Redis', {}],
  // The server need not exist: the same modules are loaded.
  ['with Redis', { REDIS_URL: 'redis://127.0.0.1:1' }],
])(
  'no loaded module deoptimizes the methods of strings and other primitives, %s',
  async (_, env) => {
    database = await createTestDatabase();
    product = await startProduct(
      { CROSSBOOK_DATA: data, DATABASE_URL: database.url, CROSSBOOK_SANDBOX: 'on', ...env },
      ['--allow-natives-syntax', '--import', WITNESS],
    );
    const headers = { accept: 'text/html', 'accept-encoding': 'gzip' };
    expect((await fetch(`${product.url}/graphql`, { headers })).status).toBe(200);
    product.child.send('slow?');
    expect((await once(product.child, 'message'))[0]).toEqual([]);
  },
);
