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

/** Answers from within the process whether the engine can compile calls of a primitive's methods into its callers. */
const WITNESS = `data:text/javascript,${encodeURIComponent(`
  const names = ['String', 'Number', 'Boolean', 'Symbol', 'BigInt'];
  const isSlow = (name) => !%HasFastProperties(globalThis[name].prototype);
  process.on('message', () => process.send(names.filter(isSlow)));
  process.channel.unref();
`)}`;

test.each([
  ['without Redis', {}],
  // That nobody is there makes no difference to what is loaded.
  ['with Redis', { REDIS_URL: 'redis://127.0.0.1:1' }],
])('nothing that is loaded slows down what every text can do, %s', async (_, env) => {
  database = await createTestDatabase();
  product = await startProduct(
    { CROSSBOOK_DATA: data, DATABASE_URL: database.url, CROSSBOOK_SANDBOX: 'on', ...env },
    ['--allow-natives-syntax', '--import', WITNESS],
  );
  const headers = { accept: 'text/html' };
  expect((await fetch(`${product.url}/graphql`, { headers })).status).toBe(200);
  product.child.send('slow?');
  expect((await once(product.child, 'message'))[0]).toEqual([]);
});
