import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { type Product, startProduct } from '../support/product.ts';
import { openRawClient } from '../support/raw-client.ts';
import { createSandboxControl } from '../support/sandbox-control.ts';
import { startClients } from './closed-loop.ts';

const ROUNDS = 6;
const CLIENTS = 16;
const data = mkdtempSync(join(tmpdir(), 'crossbook-'));
let database: TestDatabase | undefined;
let sandboxPort = 0;
const running: Product[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
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
  test(`under load, ${ROUNDS} times: every accepted request gets its response`, async () => {
    const totals = { answered: 0, slow: 0, refused: 0, dropped: [] as string[] };
    for (let round = 0; round < ROUNDS; round++) {
      const product = await start();
      // So that the signal arrives while requests wait for a CRM.
      const sandbox = createSandboxControl(sandboxPort);
      await sandbox.liftLimits();
      await sandbox.fail({ kind: 'slow', delayMs: 150 }, { times: 100_000 });
      const clients = startClients({
        ...product,
        bodies: [SEARCH, CUSTOMER, SEARCH],
        count: CLIENTS,
      });
      // A connection that the listener has not accepted yet would be reset: each client has one that it has used.
      await expect.poll(clients.leastAnswered, { interval: 5 }).toBeGreaterThan(0);
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
    // Each client has a request in flight when the signal comes, and ends only once connections are refused.
    expect(totals.slow).toBeGreaterThanOrEqual(ROUNDS * CLIENTS);
    expect(totals.refused).toBe(ROUNDS * CLIENTS);
  });

  test('requests that take longer than the shutdown deadline are cut off, and the exit reports it', async () => {
    const product = await start({ CROSSBOOK_SHUTDOWN_MS: '300' });
    const socket = connect(Number(new URL(product.url).port), '127.0.0.1').resume();
    socket.write('POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{');
    await once(socket, 'connect');
    await fetch(`${product.url}/livez`);
    const closed = once(socket, 'close');
    expect(await product.stop()).toBe(1);
    await closed;
  });

  test('makes the process not ready immediately, on keep-alive connections', async () => {
    const product = await start();
    const socket = connect(Number(new URL(product.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    // Keeps the process running until the body is completed.
    socket.write('POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{');
    const client = openRawClient(product.url);
    client.send('GET /readyz HTTP/1.1\r\nhost: localhost\r\n\r\nGET /readyz HTTP/1.1\r\nhost:');
    await expect.poll(client.heard).toMatch(/^HTTP\/1.1 200 [\s\S]*"ok":true/);
    product.child.kill('SIGTERM');
    await expect.poll(() => isListening(product.url)).toBe(false);
    client.send(' localhost\r\n\r\n');
    expect(await client.ended).toMatch(
      /HTTP\/1.1 503 [\s\S]*connection: close[\s\S]*\{"ok":false,"running":false\}$/i,
    );
    socket.destroy();
    await product.ended;
  });

  test('a second signal exits immediately', async () => {
    const product = await start();
    const socket = connect(Number(new URL(product.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{');
    await fetch(`${product.url}/livez`);
    product.child.kill('SIGTERM');
    await expect.poll(() => isListening(product.url)).toBe(false);
    // A signal that arrives together with the first counts as the same.
    const endsWith = () => {
      product.child.kill('SIGTERM');
      return product.child.exitCode;
    };
    await expect.poll(endsWith).toBe(1);
  });

  test('a request that is half sent gets its response, and then its connection is closed', async () => {
    const product = await start();
    const client = openRawClient(product.url);
    client.send('GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\nGET /livez HTTP/1.1\r\nhost:');
    await expect.poll(client.heard).toMatch(/connection: keep-alive[\s\S]*\{"ok":true\}$/i);
    product.child.kill('SIGTERM');
    await expect.poll(() => isListening(product.url)).toBe(false);
    client.send(' localhost\r\n\r\n');
    expect(await client.ended).toMatch(/keep-alive[\s\S]*connection: close[\s\S]*\{"ok":true\}$/i);
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
    ...(database && { DATABASE_URL: database.url, CROSSBOOK_SANDBOX: 'on' }),
    CROSSBOOK_DATA: data,
    CROSSBOOK_SANDBOX_PORT: String(sandboxPort),
    LOG_LEVEL: 'error',
    ...env,
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
