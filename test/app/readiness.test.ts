import { afterEach, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/databases.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';
import { toFetch } from '../support/to-fetch.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

test('a product that runs is alive, and ready once its database, its tables and its keys are there', async () => {
  const crossbook = await open();
  expect(await ask(crossbook, '/livez')).toEqual([200, { ok: true }]);
  expect(await ask(crossbook, '/readyz')).toEqual([200, READY]);
});

describe('a database that goes away and comes back', () => {
  test('takes readiness along, and leaves the process alive', async () => {
    const { crossbook, proxy } = await openBehindProxy();
    expect(await ask(crossbook, '/readyz')).toEqual([200, READY]);
    await proxy.cut();
    expect(await ask(crossbook, '/readyz')).toEqual([503, { ...AWAY, ok: false }]);
    expect(await ask(crossbook, '/livez')).toEqual([200, { ok: true }]);
    await proxy.mend();
    await expect.poll(() => ask(crossbook, '/readyz')).toEqual([200, READY]);
  });

  test('meets requests with 503 that says when to try again, in the one shape', async () => {
    const { crossbook, proxy } = await openBehindProxy();
    await proxy.cut();
    const { status, body } = await crossbook.rest('GET', '/customers/demo');
    await proxy.mend();
    expect([status, body.errors[0]]).toEqual([
      503,
      expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', status: '503' }),
    ]);
    await expect.poll(async () => (await crossbook.rest('GET', '/customers/demo')).status).toBe(200);
  });
});

const READY = { ok: true, database: true, migrations: true, keys: true };
const AWAY = { database: false, migrations: false, keys: false };

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
  const crossbook = await openApp(patch);
  closing.push(crossbook.close);
  return crossbook;
}

async function ask({ app }: TestApp, path: string): Promise<readonly [number, unknown]> {
  const response = await toFetch(app.answer)(new Request(`http://crossbook.test${path}`));
  return [response.status, await response.json()];
}
