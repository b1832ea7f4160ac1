import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { toFetch } from '../support/to-fetch.ts';

const KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const NO_KEYS = expect.stringContaining('apps create NAME');

test('the demo API key works only while the sandbox is on; without the sandbox its data are removed', async () => {
  const demo = await open({ CROSSBOOK_SANDBOX: 'on', CROSSBOOK_SANDBOX_PORT: '0' });
  const key = demo.demo?.key ?? '';
  expect((await ask(demo, { key })).status).toBe(200);
  const { body } = await ask(demo, {
    key,
    method: 'POST',
    path: '/customers/demo/tokens',
    json: {},
  });
  expect((await ask(demo, { token: body.token })).status).toBe(200);

  // Another process is using the demo's data: the rows stay, and this process ignores them.
  const beside = await open({ NODE_ENV: 'production' });
  expect(beside.notes).toEqual([]);
  expect((await ask(beside, { key })).status).toBe(401);
  expect((await ask(beside, { token: body.token })).status).toBe(401);
  await beside.close();
  expect((await ask(demo, { key })).status).toBe(200);
  await demo.close();

  const production = await open({ NODE_ENV: 'production' });
  expect(production.notes).toEqual([
    expect.stringContaining('demo application and its data were removed'),
    NO_KEYS,
  ]);
  expect((await ask(production, { key })).status).toBe(401);
  expect((await ask(production, { token: body.token })).status).toBe(401);
  await production.close();

  const later = await open({ NODE_ENV: 'production' });
  expect(later.notes).toEqual([NO_KEYS]);
  await later.close();
});

test('with the sandbox on, a Host header that is not local is rejected on every page and API', async () => {
  const app = await open({
    CROSSBOOK_SANDBOX: 'on',
    CROSSBOOK_SANDBOX_PORT: '0',
    CROSSBOOK_HOSTS: 'devbox.example',
  });
  for (const path of ['/', '/docs', '/graphql', '/openapi.json', '/customers/demo', '/livez']) {
    const refused = await ask(app, {
      key: app.demo?.key,
      path,
      host: 'rebind.attacker.example:4000',
    });
    expect(refused.status, path).toBe(403);
    expect(refused.text).not.toContain(app.demo?.key);
  }
  for (const host of ['localhost:4000', '127.0.0.1', '[::1]:4000', 'DevBox.example:80']) {
    expect((await ask(app, { key: app.demo?.key, host })).status, host).toBe(200);
  }
  await app.close();
});

function open(env: Record<string, string>): Promise<App> {
  const settings = {
    DATABASE_URL: database.url,
    CROSSBOOK_KEYS: KEYS,
    LOG_LEVEL: 'silent',
    ...env,
  };
  return createApp(readConfig(settings), { output: { write: () => true }, readable: false });
}

async function ask(
  app: App,
  { key, token, path = '/customers/demo', method = 'GET', json, host = 'localhost' }: Asked,
) {
  const headers = {
    host,
    ...(key && { 'x-api-key': key }),
    ...(token && { authorization: `Bearer ${token}` }),
    ...(json !== undefined && { 'content-type': 'application/json' }),
  };
  const init = { method, headers, ...(json !== undefined && { body: JSON.stringify(json) }) };
  const response = await toFetch(app.answer)(new Request(`http://localhost${path}`, init));
  const text = await response.text();
  return {
    status: response.status,
    text,
    body: text.startsWith('{') ? JSON.parse(text) : undefined,
  };
}

interface Asked {
  readonly key?: string | undefined;
  readonly token?: string;
  readonly path?: string;
  readonly method?: string;
  readonly json?: unknown;
  readonly host?: string;
}
