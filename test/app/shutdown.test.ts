import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startClients } from '../support/closed-loop.ts';
import { createPostgresDatabase, HAS_POSTGRES, type PostgresDatabase } from '../support/engines.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { type Product, startProduct } from '../support/product.ts';
import { createSandboxControl } from '../support/sandbox-control.ts';

const ROUNDS = 20;
const data = mkdtempSync(join(tmpdir(), 'crossbook-'));
let database: PostgresDatabase | undefined;
let sandboxPort = 0;
const running: Product[] = [];
beforeAll(async () => {
  // A start on PostgreSQL takes half a second, on the embedded database two.
  database = HAS_POSTGRES ? await createPostgresDatabase() : undefined;
  sandboxPort = await findFreePorts();
});
afterAll(async () => {
  await database?.drop();
  rmSync(data, { recursive: true, force: true });
});

afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});

describe('SIGTERM', () => {
  test(`under load, ${ROUNDS} times: every request that was accepted is answered`, {
    timeout: 180_000,
  }, async () => {
    const totals = { answered: 0, slow: 0, refused: 0, dropped: [] as string[] };
    for (let round = 0; round < ROUNDS; round++) {
      const product = await start();
      // So that a signal finds requests that wait for a CRM.
      const sandbox = createSandboxControl(sandboxPort);
      await sandbox.liftLimits();
      await sandbox.fail({ kind: 'slow', delayMs: 150 }, { times: 100_000 });
      const clients = startClients({ ...product, bodies: [SEARCH, CUSTOMER, SEARCH], count: 16 });
      await expect.poll(() => clients.tally.answered, { interval: 5, timeout: 20_000 }).toBeGreaterThan(20);
      const before = clients.tally.answered;
      const code = await product.stop();
      const tally = await clients.done;
      expect([code, product.complaints()]).toEqual([0, '']);
      totals.answered += tally.answered;
      totals.slow += tally.answered - before;
      totals.refused += tally.refused;
      totals.dropped.push(...tally.dropped);
    }
    expect(totals.dropped).toEqual([]);
    // Else the signals came when nothing was under way, and the test says nothing.
    expect(totals.slow).toBeGreaterThan(ROUNDS * 10);
    expect(totals.refused).toBe(ROUNDS * 16);
  });

  test('what takes longer than the bound is cut off, and the exit says so', async () => {
    const product = await start({ CROSSBOOK_SHUTDOWN_MS: '300' });
    const socket = connect(Number(new URL(product.url).port), '127.0.0.1').resume();
    socket.write('POST /graphql HTTP/1.1\r\nhost: crossbook\r\ncontent-length: 100\r\n\r\n{');
    await once(socket, 'connect');
    await fetch(`${product.url}/livez`);
    const closed = once(socket, 'close');
    expect(await product.stop()).toBe(1);
    await closed;
  });

  test('a second one ends at once', async () => {
    const product = await start();
    const socket = connect(Number(new URL(product.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('POST /graphql HTTP/1.1\r\nhost: crossbook\r\ncontent-length: 100\r\n\r\n{');
    await fetch(`${product.url}/livez`);
    product.child.kill('SIGTERM');
    await expect.poll(() => isListening(product.url)).toBe(false);
    expect(await product.stop()).toBe(1);
  });

  test('connections that are kept alive are told to go elsewhere, and get their answer first', async () => {
    const product = await start();
    const socket = connect(Number(new URL(product.url).port), '127.0.0.1').setEncoding('utf8');
    let answered = '';
    socket.on('data', (text) => {
      answered += text;
    });
    const ask = 'GET /livez HTTP/1.1\r\nhost: crossbook\r\n\r\n';
    socket.write(ask);
    await expect.poll(() => answered).toContain('{"ok":true}');
    expect(answered.toLowerCase()).toContain('connection: keep-alive');
    answered = '';
    product.child.kill('SIGTERM');
    await expect.poll(() => isListening(product.url)).toBe(false);
    socket.write(ask);
    await once(socket, 'close');
    expect(answered).toContain('{"ok":true}');
    expect(answered.toLowerCase()).toContain('connection: close');
    expect(await product.ended).toBe(0);
  });
});

const HEADERS = { 'x-customer-id': 'demo', 'x-provider-name': 'hubspot' };
const SEARCH = JSON.stringify({
  query: '{ searchContacts(filter: { email: "ada@example.com" }) { totalCount } }',
});
const CUSTOMER = JSON.stringify({ query: '{ customer { name } }' });

async function start(env: Record<string, string> = {}): Promise<Product> {
  const product = await startProduct({
    ...(database && { DATABASE_URL: database.url }),
    ...{ CROSSBOOK_DATA: data, CROSSBOOK_SANDBOX_PORT: String(sandboxPort), LOG_LEVEL: 'error', ...env },
  });
  running.push(product);
  return { ...product, headers: { ...product.headers, ...HEADERS } };
}

async function isListening(url: string): Promise<boolean> {
  return fetch(`${url}/livez`, { headers: { connection: 'close' } }).then(
    () => true,
    () => false,
  );
}
