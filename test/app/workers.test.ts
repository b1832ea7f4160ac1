import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { chunk } from '../../src/lib/batcher.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { isAlive, listDescendants } from '../support/processes.ts';
import { type Product, startProduct } from '../support/product.ts';
import { readMetrics } from '../support/read-metrics.ts';
import { createSandboxControl } from '../support/sandbox-control.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { openReceiver } from '../support/webhook-receiver.ts';
import { startClients } from './closed-loop.ts';

const CLIENTS = 16;
const data = makeTemporaryFolder();
let database: TestDatabase;
let sandboxPort = 0;
const running: Product[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  sandboxPort = await findFreePorts();
});
afterAll(async () => {
  await database.drop();
  rmSync(data, { recursive: true, force: true });
});
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});

describe('Two workers', () => {
  test('serve one port, write one log with the number of the worker in each line, and add up their metrics', async () => {
    const product = await start();
    await useBoth(product);
    const { url, headers, lines } = product;
    await expect
      .poll(() => [...new Set(lines().map((line) => JSON.parse(line).worker))])
      .toEqual(expect.arrayContaining([1, 2]));
    const count = async () => {
      const read = readMetrics(await (await fetch(`${url}/metrics`)).text());
      return {
        ok: read('crossbook_requests_total')['api="rest",operation="getCustomer",outcome="ok"'],
        workers: read('crossbook_workers')[''],
      };
    };
    const before = await count();
    expect(before.workers).toBe(2);
    for (let number = 0; number < 20; number += 1)
      await fetch(`${url}/customers/demo`, {
        headers: { ...headers, connection: number % 2 ? 'close' : 'keep-alive' },
      });
    expect((await count()).ok).toBe((before.ok ?? 0) + 20);
    expect(await product.stop()).toBe(0);
    expect(product.complaints()).toBe('');
  });

  test('keep the rate limit of a caller together', async () => {
    const product = await start({ CROSSBOOK_REQUESTS_PER_MINUTE: '31' });
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async (_, number) => {
        const response = await readCustomer(product, `c${number}`);
        return response.status;
      }),
    );
    expect(statuses.filter((status) => status === 429).length).toBe(29);
  });

  test('make at most one call to the CRM more than one worker, when look-ups of one customer come over many connections', async () => {
    const sandbox = createSandboxControl(sandboxPort);
    const countCalls = async (workers: string) => {
      const product = await start({ CROSSBOOK_WORKERS: workers });
      await sandbox.liftLimits();
      // In parts: a busy machine may not begin all of them within the five seconds that a request may wait.
      const searchAll = async (afterPart: (sent: readonly Promise<number>[]) => unknown) => {
        const emails = Array.from({ length: 300 }, (_, number) => `nobody-${number}@example.com`);
        const sent: Promise<number>[] = [];
        for (const part of chunk(emails, 50)) {
          sent.push(...part.map((email) => search(product, email)));
          await afterPart(sent);
        }
        return sent;
      };
      const found = Array(300).fill(200);
      expect(await Promise.all(await searchAll((sent) => Promise.all(sent)))).toEqual(found);
      const before = (await sandbox.calls()).length;
      const countMore = async () => (await sandbox.calls()).length - before;
      // Calls wait for the CRM until all look-ups have arrived. Three are in flight, and the other look-ups wait for them.
      await sandbox.fail({ kind: 'slow', delayMs: 3_600_000 }, { times: 1_000 });
      const sent = await searchAll(({ length }) =>
        expect.poll(() => readWaiting(product)).toBe(length),
      );
      await sandbox.clearFaults();
      expect(await Promise.all(sent)).toEqual(found);
      const calls = await countMore();
      expect(await product.stop()).toBe(0);
      return calls;
    };
    expect(await countCalls('1')).toBeLessThanOrEqual(6);
    // The first request of a worker may be alone there, and makes a call of its own.
    expect(await countCalls('2')).toBeLessThanOrEqual(7);
  });
});

describe('A worker that is killed', () => {
  test('is replaced; no acknowledged change is lost, no request gets a wrong response, and then all succeed', async () => {
    const product = await start();
    await useBoth(product);
    const { url, headers } = product;
    const [victim = 0] = await findWorkers(product);
    const acknowledged: string[] = [];
    /** Without a response, or with 503: the client does not know whether the change was made. */
    let unknown = 0;
    const wrong: unknown[] = [];
    let isOver = false;
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let number = 0; !isOver; number += 1) {
        const id = `killed-${client}-${number}`;
        const body = JSON.stringify({ customer_id: id, name: 'N', email: 'n@example.com' });
        try {
          const response = await fetch(`${url}/customers`, { method: 'PUT', headers, body });
          const answer = (await response.json()) as { readonly customer_id?: string };
          if (response.ok && answer.customer_id === id) acknowledged.push(id);
          else if (response.status === 503) unknown += 1;
          else wrong.push([id, response.status, answer]);
        } catch {
          unknown += 1;
        }
      }
    });
    await expect.poll(() => acknowledged.length).toBeGreaterThan(100);
    process.kill(victim, 'SIGKILL');
    const atKill = acknowledged.length;
    await expect.poll(async () => (await findWorkers(product)).includes(victim)).toBe(false);
    await expect.poll(async () => (await readCounts(product)).ready).toBe(2);
    const [after, unknownAfter] = [acknowledged.length, unknown];
    await expect.poll(() => acknowledged.length).toBeGreaterThan(after + 100);
    isOver = true;
    await Promise.all(clients);
    expect(wrong).toEqual([]);
    expect(unknown - unknownAfter).toBe(0);
    // Around the kill, and the last ones.
    const checked = [
      ...acknowledged.slice(Math.max(0, atKill - 250)).slice(0, 500),
      ...acknowledged.slice(-100),
    ];
    for (const id of checked) {
      const response = await fetch(`${url}/customers/${id}`, { headers });
      expect([id, response.status]).toEqual([id, 200]);
    }
    expect((await readCounts(product)).restarts).toBe(1);
    expect(await product.stop()).toBe(0);
  });
});

describe('A worker whose event loop hangs', () => {
  test('is killed and replaced, and then all customers are served', async () => {
    const product = await start();
    await useBoth(product);
    const before = await findWorkers(product);
    const [victim = 0] = before;
    process.kill(victim, 'SIGSTOP');
    await expect.poll(() => isAlive(victim)).toBe(false);
    await expect.poll(() => findWorkers(product)).toHaveLength(3);
    await expect.poll(async () => (await readCounts(product)).ready).toBe(2);
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => (await readCustomer(product, `c${n}`)).status),
    );
    expect(new Set(statuses)).toEqual(new Set([404]));
    const messages = product.lines().map((line) => JSON.parse(line).msg);
    expect(messages).toContain('a worker does not respond and is killed');
    expect(await product.stop()).toBe(0);
  });
});

describe('The worker for jobs', () => {
  test('delivers webhooks alone, and what is due while it is killed or stopped is delivered after it', async () => {
    const receiver = await openReceiver((response) => response.writeHead(204).end());
    const product = await start();
    const { url, headers } = product;
    const put = (id: string) =>
      fetch(`${url}/customers`, {
        method: 'PUT',
        headers,
        body: JSON.stringify({
          customer_id: id,
          name: 'N',
          email: 'n@example.com',
          connections: [{ provider_name: 'hubspot', credentials: { type: 'token', value: 'x' } }],
        }),
      });
    const endpoint = await fetch(`${url}/webhook_endpoints`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ url: receiver.url }),
    });
    expect(endpoint.status).toBe(201);
    const isDelivered = (id: string) => receiver.calls.some(({ body }) => body.includes(`"${id}"`));
    expect((await put('before')).status).toBe(200);
    await expect.poll(() => isDelivered('before')).toBe(true);
    const [, , jobs = 0] = await findWorkers(product);
    process.kill(jobs, 'SIGSTOP');
    expect((await put('stopped')).status).toBe(200);
    expect((await readCustomer(product, 'stopped')).status).toBe(200);
    process.kill(jobs, 'SIGKILL');
    process.kill(jobs, 'SIGCONT');
    expect((await put('killed')).status).toBe(200);
    for (const id of ['stopped', 'killed']) await expect.poll(() => isDelivered(id)).toBe(true);
    expect((await readCounts(product)).restarts).toBe(1);
    expect(await product.stop()).toBe(0);
    await receiver.close();
  });
});

describe('A rolling restart', () => {
  test.each(['SIGUSR2', 'SIGHUP'] as const)(
    'by %s replaces all workers, and every request gets its response',
    async (signal) => {
      const product = await start();
      const before = await findWorkers(product);
      const clients = startClients({ ...product, bodies: [SEARCH, CUSTOMER], count: CLIENTS });
      await expect.poll(clients.leastAnswered, { interval: 5 }).toBeGreaterThan(0);
      product.child.kill(signal);
      await expect
        .poll(() => product.lines().filter((line) => line.includes('all workers were restarted')))
        .toHaveLength(1);
      const answered = clients.tally.answered;
      await expect.poll(() => clients.tally.answered).toBeGreaterThan(answered + CLIENTS);
      clients.stop();
      const { refused, dropped, statuses } = await clients.done;
      expect([refused, dropped, Object.keys(statuses)]).toEqual([0, [], ['200']]);
      const after = await findWorkers(product);
      expect(after.length).toBe(3);
      expect(after.filter((pid) => before.includes(pid))).toEqual([]);
      expect(await product.stop()).toBe(0);
    },
  );
});

describe('The end', () => {
  test('by SIGTERM under load: every accepted request gets its response, and no process is left', async () => {
    const product = await start();
    const bodies = [SEARCH, CUSTOMER];
    const clients = startClients({ ...product, bodies, count: CLIENTS, mayReset: true });
    await expect.poll(clients.leastAnswered, { interval: 5 }).toBeGreaterThan(0);
    const pids = listDescendants(product.child.pid ?? 0);
    expect(await product.stop()).toBe(0);
    const { dropped, refused, statuses } = await clients.done;
    expect([dropped, refused, Object.keys(statuses)]).toEqual([[], CLIENTS, ['200']]);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  test('of a supervisor that is killed ends its workers, and its embedded database', async () => {
    const product = await start({ DATABASE_URL: '', CROSSBOOK_DATA: `${data}/embedded` });
    await useBoth(product);
    const pids = listDescendants(product.child.pid ?? 0);
    expect(pids.length).toBeGreaterThan(3);
    product.child.kill('SIGKILL');
    await product.ended;
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  });
});

test('a start that fails says why once, and leaves no process', async () => {
  const failed = startProduct({
    CROSSBOOK_DATA: data,
    CROSSBOOK_WORKERS: '2',
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  });
  await expect(failed).rejects.toThrow(/ended with 1:[\s\S]*PostgreSQL at 127\.0\.0\.1:1\/none/);
  await expect(failed).rejects.not.toThrow(/before it was ready/);
});

const SEARCH = JSON.stringify({
  query: '{ searchContacts(filter: { email: "ada@example.com" }) { totalCount } }',
});
const CUSTOMER = JSON.stringify({ query: '{ customer { name } }' });

async function start(env: Record<string, string> = {}): Promise<Product> {
  const product = await startProduct({
    DATABASE_URL: database.url,
    CROSSBOOK_SANDBOX: 'on',
    CROSSBOOK_DATA: data,
    CROSSBOOK_SANDBOX_PORT: String(sandboxPort),
    CROSSBOOK_WORKERS: '2',
    ...env,
  });
  running.push(product);
  const named = { 'x-customer-id': 'demo', 'x-provider-name': 'hubspot' };
  return { ...product, headers: { ...product.headers, ...named } };
}

/** Sends requests over new connections, until the log has some of both workers. */
async function useBoth({ url, headers, lines }: Product): Promise<void> {
  await expect
    .poll(async () => {
      for (let number = 0; number < 8; number += 1) {
        const own = { ...headers, connection: 'close' };
        await (await fetch(`${url}/customers/c${number}`, { headers: own })).arrayBuffer();
      }
      const requests = lines()
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => msg === 'request');
      return new Set(requests.map(({ worker }) => worker));
    })
    .toEqual(new Set([1, 2]));
}

function readCustomer({ url, headers }: Product, id: string): Promise<Response> {
  return fetch(`${url}/customers/${id}`, { headers });
}

async function search({ url, headers }: Product, email: string): Promise<number> {
  const query = `{ searchContacts(filter: { email: "${email}" }) { totalCount } }`;
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** How many operations wait for a CRM. */
async function readWaiting({ url }: Product): Promise<number | undefined> {
  const read = readMetrics(await (await fetch(`${url}/metrics`)).text());
  return read('crossbook_provider_waiting')[''];
}

async function readCounts({ url }: Product) {
  const read = readMetrics(await (await fetch(`${url}/metrics`)).text());
  return {
    ready: read('crossbook_workers')[''],
    restarts: read('crossbook_worker_restarts_total')[''],
  };
}

/** The processes of the workers: two that serve requests, and one for jobs. */
async function findWorkers({ child }: Product): Promise<readonly number[]> {
  const { readFile } = await import('node:fs/promises');
  const found: number[] = [];
  for (const pid of listDescendants(child.pid ?? 0)) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.endsWith('main.js\0worker\0') && isAlive(pid)) found.push(pid);
  }
  return found;
}
