import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRawClient } from '../../../../test/support/raw-client.ts';
import { openSandbox, type Sandbox } from '../../src/open-sandbox.ts';
import { byFilter, createClient, ids, SEARCH } from './client.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await openSandbox({ enforceLimits: false });
});
afterAll(() => sandbox.close());

async function control(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${sandbox.hubspot.origin}/__sandbox${path}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test('the control API lists the demo with its tokens, the faults and the routes', async () => {
  const { status, body } = await control('GET', '');
  expect(status).toBe(200);
  expect(body).toMatchObject({
    crm: 'hubspot',
    origin: sandbox.hubspot.origin,
    demo: {
      accessToken: sandbox.hubspot.demo.accessToken,
      staticToken: expect.stringMatching(/^pat-na1-/),
    },
    faults: expect.arrayContaining(['bad-gateway']),
    verbs: expect.arrayContaining([expect.stringContaining('calls')]),
  });
});

test('another process creates an account over the control API, fills it, and reads its recorded calls', async () => {
  const created = await control('POST', '/accounts', { people: [{ email: 'one@example.com' }] });
  expect(created.status).toBe(201);
  const account = sandbox.hubspot.accounts().find((one) => one.id === created.body['id']);
  if (account === undefined) throw new Error('The account is not there.');
  const path = `/accounts/${account.id}`;
  const send = createClient(sandbox, account);

  const added = await control('POST', `${path}/people`, { email: 'two@example.com' });
  expect(added.body).toEqual({ id: '502' });
  await control('PATCH', `${path}/people/502`, { email: 'zwei@example.com' });
  expect(ids(await send(SEARCH, byFilter('email', 'EQ', 'zwei@example.com')))).toEqual(['502']);
  expect((await control('DELETE', `${path}/people/502`)).body).toEqual({ done: true });
  expect((await control('DELETE', `${path}/people/999`)).body).toEqual({ done: false });

  expect(
    (await control('PATCH', `${path}/quirks`, { searchTotalWithoutResults: true })).body,
  ).toMatchObject({
    searchTotalWithoutResults: true,
  });
  expect((await send(SEARCH, {})).body).toEqual({ total: 1, results: [] });
  await control('POST', `${path}/faults`, { fault: 'bad-gateway' });
  await control('POST', `${path}/faults`, { fault: { kind: 'answer', status: 418 } });
  expect([(await send(SEARCH, {})).status, (await send(SEARCH, {})).status]).toEqual([502, 418]);
  await control('PATCH', `${path}/limits`, { searchPerSecond: 0 });
  expect((await send(SEARCH, {})).status).toBe(429);

  const { refreshToken } = account;
  const approved = await control('POST', `${path}/approve`, {});
  expect(approved.body).toEqual({ refreshToken: account.refreshToken });
  expect(account.refreshToken).not.toBe(refreshToken);

  const { body } = await control('GET', `${path}/calls`);
  expect(body).toMatchObject({ total: 5 });
  expect((body['calls'] as object[])[0]).toMatchObject({
    operation: 'contacts.search',
    path: SEARCH,
    inputs: 1,
    status: 200,
  });
  await control('DELETE', `${path}/calls`);
  expect((await control('GET', `${path}/calls`)).body).toEqual({ total: 0, calls: [] });
  await control('POST', `${path}/expire`);
  expect((await send(SEARCH, {})).status).toBe(401);
});

test('the control API responds 404 to unknown paths and 400 to unknown names', async () => {
  expect((await control('GET', '/nothing')).status).toBe(404);
  expect((await control('GET', '/accounts/404')).status).toBe(404);
  expect((await control('POST', '/accounts/demo/faults', { fault: 'nope' })).status).toBe(400);
});

test('the control API rejects requests from a page in a browser', async () => {
  const origin = { origin: 'https://page.example' };
  expect((await control('POST', '/accounts', {}, origin)).status).toBe(403);
  expect((await control('POST', '/accounts', {}, { 'content-type': 'text/plain' })).status).toBe(
    403,
  );
});

test('the control API rejects a foreign host name that resolves to this machine (DNS rebinding)', async () => {
  const client = openRawClient(sandbox.hubspot.origin);
  client.send('GET /__sandbox HTTP/1.1\r\nhost: rebound.example\r\nconnection: close\r\n\r\n');
  const heard = await client.ended;
  expect(heard).toMatch(/^HTTP\/1\.1 403 /);
  expect(heard).not.toContain(sandbox.hubspot.demo.accessToken);
});
