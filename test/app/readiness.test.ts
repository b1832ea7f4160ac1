import { afterEach, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/databases.ts';
import { listenApp } from '../support/listen-app.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { PRODUCTION_TIMEOUTS } from '../support/patience.ts';
import { openRival } from '../support/postgres-rival.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';
import { toFetch } from '../support/to-fetch.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

test('a running process is live and ready, and reports on its database, its tables and its keys', async () => {
  const crossbook = await open();
  expect(await ask(crossbook, '/livez')).toEqual([200, { ok: true }]);
  expect(await ask(crossbook, '/readyz')).toEqual([200, READY]);
});

test.each(['/livez', '/readyz', '/'])('HEAD %s responds like GET without a body', async (path) => {
  const { url, close } = await listenApp();
  closing.push(close);
  const [head, get] = await Promise.all(
    ['HEAD', 'GET'].map((method) => fetch(`${url}${path}`, { method })),
  );
  expect([head?.status, head?.headers.get('content-type')]).toEqual([
    200,
    get?.headers.get('content-type'),
  ]);
  expect([await head?.text(), (await get?.text()) !== '']).toEqual(['', true]);
});

describe('A database that refuses connections for a while', () => {
  test('leaves the process live and ready, so that clients get its errors, and is reported in the body', async () => {
    const { crossbook, proxy } = await openBehindProxy();
    expect(await ask(crossbook, '/readyz')).toEqual([200, READY]);
    await proxy.cut();
    expect(await ask(crossbook, '/readyz')).toEqual([200, AWAY]);
    const head = new Request('http://crossbook.test/readyz', { method: 'HEAD' });
    expect((await toFetch(crossbook.app.answer)(head)).status).toBe(200);
    expect(await ask(crossbook, '/livez')).toEqual([200, { ok: true }]);
    await proxy.mend();
    await expect.poll(() => ask(crossbook, '/readyz')).toEqual([200, READY]);
  });

  test('turns requests into 503 with Retry-After, in the common error format', async () => {
    const { crossbook, proxy } = await openBehindProxy();
    await proxy.cut();
    const { status, body } = await crossbook.rest('GET', '/customers/demo');
    await proxy.mend();
    expect([status, body.errors[0]]).toEqual([
      503,
      expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', status: '503' }),
    ]);
    await expect
      .poll(async () => (await crossbook.rest('GET', '/customers/demo')).status)
      .toBe(200);
  });
});

describe('A database that accepts connections and never responds', () => {
  test('is detected by a probe, and from then on requests are rejected immediately', async () => {
    const { crossbook, proxy } = await openBehindProxy();
    proxy.freeze();
    const { status } = await crossbook.rest('GET', '/customers/demo');
    expect(status).toBe(503);
    const refused = await Promise.all(
      Array.from({ length: 50 }, () => crossbook.rest('GET', '/customers/demo')),
    );
    for (const { status, headers } of refused)
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(await ask(crossbook, '/readyz')).toEqual([200, AWAY]);
    proxy.thaw();
    await expect
      .poll(async () => (await crossbook.rest('GET', '/customers/demo')).status)
      .toBe(200);
    await expect.poll(() => ask(crossbook, '/readyz')).toEqual([200, READY]);
  });
});

describe('A reachable database', () => {
  test('counts as available while its tables are locked and the connection pool is exhausted', async () => {
    const { crossbook, url } = await openOwn();
    const rival = await openRival(url);
    closing.push(rival.close);
    await rival.run('begin');
    await rival.run('lock table crossbook.customers, crossbook.credentials, crossbook.migrations');
    const stuck = Array.from({ length: 30 }, () => crossbook.rest('GET', '/customers/demo'));
    expect(await ask(crossbook, '/readyz')).toEqual([200, READY]);
    await rival.run('rollback');
    for (const { status } of await Promise.all(stuck)) expect([200, 503]).toContain(status);
  });

  test('that is read-only leaves the process ready, so that searches still succeed', async () => {
    const { crossbook, url } = await openOwn();
    const rival = await openRival(url);
    closing.push(rival.close);
    const set = async (value: string) => {
      await rival.run(
        `alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = ${value}`,
      );
      await rival.run(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
    };
    const filter = { filter: { email: 'ada@example.com' } };
    const path = '/contacts/_search?read_from_cache=true';
    const search = () => crossbook.rest('POST', path, filter, { 'x-provider-name': 'hubspot' });
    expect((await search()).status).toBe(200);
    await set('on');
    await expect.poll(() => ask(crossbook, '/readyz')).toEqual([200, READ_ONLY]);
    expect((await crossbook.rest('GET', '/customers/demo')).status).toBe(200);
    expect((await search()).status).toBe(200);
    const customer = { customer_id: 'ada', name: 'Ada', email: 'ada@example.com' };
    expect((await crossbook.rest('PUT', '/customers', customer)).status).toBe(503);
    await set('off');
    await expect
      .poll(async () => (await crossbook.rest('PUT', '/customers', customer)).status)
      .toBe(200);
    await expect.poll(() => ask(crossbook, '/readyz')).toEqual([200, READY]);
  });
});

const READY = { ok: true, database: true, writable: true, migrations: true, keys: true };
const AWAY = { ...READY, ok: false, database: false, writable: false };
const READ_ONLY = { ...READY, ok: false, writable: false };

async function openOwn() {
  const { url, drop } = await createTestDatabase();
  closing.push(drop);
  return { crossbook: await open({ database: { url } }), url };
}

async function openBehindProxy() {
  const { url, drop } = await createTestDatabase();
  closing.push(drop);
  const direct = new URL(url);
  const proxy = await openTcpProxy({ host: direct.hostname, port: Number(direct.port || 5432) });
  closing.push(proxy.cut);
  const behind = new URL(url);
  behind.host = `127.0.0.1:${proxy.port}`;
  return { crossbook: await open({ database: { url: behind.href } }), proxy };
}

async function open(patch: Parameters<typeof openApp>[0] = {}): Promise<TestApp> {
  const crossbook = await openApp(patch, PRODUCTION_TIMEOUTS);
  closing.push(crossbook.close);
  return crossbook;
}

async function ask({ app }: TestApp, path: string): Promise<readonly [number, unknown]> {
  const response = await toFetch(app.answer)(new Request(`http://crossbook.test${path}`));
  return [response.status, await response.json()];
}
