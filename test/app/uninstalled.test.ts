import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { consent } from '../support/connect-browser.ts';
import { type ConnectWorld, openConnectWorld } from '../support/connect-world.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { type Listener, listen } from '../support/listen.ts';

let world: ConnectWorld;
let listener: Listener;
beforeAll(async () => {
  const port = await findFreePorts();
  world = await openConnectWorld(undefined, {
    publicUrl: `http://127.0.0.1:${port}`,
    sandbox: { port: 0, hosts: [], all: true },
    pagesPerMinute: 1_000,
  });
  const { app } = world.crossbook;
  const { bounds } = readConfig({});
  listener = await listen({ ...app, bounds, host: '127.0.0.1', port });
});
afterAll(async () => {
  await listener.close(1_000);
  await world.close();
});

test('an app that is uninstalled in Pipedrive ends the connection of its user, with one event', async () => {
  const account = createAccount();
  const other = await connect();
  const { customerId } = await connect(account);
  world.crossbook.clearLog();
  expect(await account.uninstall()).toEqual([204]);
  expect(await readStatus(customerId)).toEqual(['reauthorize', 'refresh_token_refused']);
  const events = ['connection.connected', 'connection.reauthorize'];
  expect(await readEvents(customerId)).toEqual(events);
  expect((await report(account)).status).toBe(204);
  expect(await readEvents(customerId)).toEqual(events);
  const found = await search(customerId);
  expect(found.body.errors).toMatchObject([{ code: 'REMOTE_PROVIDER_UNAUTHORIZED' }]);
  expect(await readStatus(other.customerId)).toEqual(['connected', 'not_tried']);
  const lines = world.crossbook.log.filter((line) => line.includes('endUninstalled'));
  expect(lines[0]).toContain('/connect/callback/{provider_name}');
  expect(lines[0]).toContain(customerId);
  for (const secret of [app().clientSecret, basic()])
    expect(world.crossbook.log.join('').includes(secret)).toBe(false);
});

test('a customer who connects again after that has a working connection', async () => {
  const account = createAccount();
  const { customerId } = await connect(account);
  await account.uninstall();
  await connect(account, customerId);
  expect((await search(customerId)).body).toMatchObject({ records: [{ id: account.recordId(1) }] });
});

test('a report that does not prove its sender, or is about nobody, changes nothing and gets one and the same response', async () => {
  const account = createAccount();
  await connect(account);
  const before = await world.snapshot();
  const answers = await Promise.all([
    report(account, { authorization: basic({ clientSecret: 'x'.repeat(40) }) }),
    report(account, { authorization: basic({ clientId: 'unknown' }) }),
    report(account, { authorization: basic({ clientId: 'unknown' }), client_id: 'unknown' }),
    report(account, { authorization: '' }),
    report(account, { authorization: `Bearer ${app().clientSecret}` }),
    report(account, { client_id: 'unknown' }),
    report(account, { company_id: 1 }),
    report(account, { company_id: 'x\u0000' }),
    report(account, { user_id: 1 }),
    report(account, { user_id: undefined }),
    send('{', basic()),
    send('[]', basic()),
    send('', basic()),
  ]);
  const [first] = answers;
  expect(first?.status).toBe(401);
  expect(first?.headers.get('www-authenticate')).toContain('Basic');
  const plain = ({ status, text }: (typeof answers)[number]) => ({
    status,
    text: text.replace(/[0-9a-f-]{36}/, ''),
  });
  for (const answer of answers) expect(plain(answer)).toEqual(plain(first as never));
  expect(await world.snapshot()).toEqual(before);
});

test('the body of a report may have 8 KiB', async () => {
  const account = createAccount();
  const { status } = await report(account, { padding: 'x'.repeat(9_000) });
  expect(status).toBe(413);
});

test('an application that registers the client id of another cannot end its connections', async () => {
  const account = createAccount();
  const { customerId } = await connect(account);
  const clientSecret = 'y'.repeat(40);
  const body = { client_id: app().clientId, client_secret: clientSecret };
  const own = { 'x-api-key': world.otherKey };
  await world.crossbook.rest('PUT', '/oauth_clients/pipedrive', body, own);
  const answer = await report(account, { authorization: basic({ clientSecret }) });
  expect(answer.status).toBe(401);
  expect(await readStatus(customerId)).toEqual(['connected', 'not_tried']);
});

test('the callback of a provider that reports no uninstalled app refuses DELETE', async () => {
  for (const provider of ['hubspot', 'salesforce', 'zendesk_sell', 'none'])
    expect((await send('{}', basic(), provider)).status).toBe(405);
});

test('reports are limited by address, as the pages are', async () => {
  const limited = await openConnectWorld(undefined, {
    sandbox: { port: 0, hosts: [], all: true },
    pagesPerMinute: 2,
  });
  const { answer } = limited.crossbook.app;
  const ask = async () => {
    const url = new URL('http://localhost/connect/callback/pipedrive');
    const request = {
      method: 'DELETE',
      url,
      pathname: url.pathname,
      headers: new Headers(),
      hasBody: false,
      receiveBody: async () => {},
      readBody: () => Buffer.alloc(0),
      onClose: () => {},
    };
    return (await answer(request, '192.0.2.0/24')).status;
  };
  expect([await ask(), await ask(), await ask()]).toEqual([401, 401, 429]);
  await limited.close();
});

function app() {
  return world.crossbook.sandbox.pipedrive.demo;
}

function createAccount() {
  return world.crossbook.sandbox.pipedrive.createAccount({
    people: [{ email: 'ada@uninstalled.example' }],
    limits: null,
  });
}

type Account = ReturnType<typeof createAccount>;

/** Connects a company by a link, for a new customer or one more time for the same. */
async function connect(account = createAccount(), customer?: string) {
  const customerId = customer ?? (await world.addCustomer());
  const options = { providers: ['pipedrive'], confirm: false };
  const { body } = await world.create(customerId, options);
  const { browser } = await world.link(options);
  const { consentUrl } = await browser.start(body.url, { provider: 'pipedrive' });
  await browser.visit(await consent(consentUrl, { account: account.id }));
  return { customerId };
}

function basic({ clientId, clientSecret } = { clientId: '', clientSecret: '' } as Credentials) {
  const id = clientId || app().clientId;
  return `Basic ${Buffer.from(`${id}:${clientSecret || app().clientSecret}`).toString('base64')}`;
}

interface Credentials {
  readonly clientId?: string;
  readonly clientSecret?: string;
}

/** The report of an account, with what is given in place of its own. */
function report(
  { id }: Account,
  { authorization = basic(), ...more }: Record<string, unknown> = {},
) {
  const body = {
    client_id: app().clientId,
    company_id: Number(id),
    user_id: 16_166_912,
    timestamp: new Date().toISOString(),
    ...more,
  };
  return send(JSON.stringify(body), String(authorization));
}

async function send(body: string, authorization: string, provider = 'pipedrive') {
  const response = await fetch(new URL(`/connect/callback/${provider}`, listener.url), {
    method: 'DELETE',
    headers: { authorization, 'content-type': 'application/json' },
    body,
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function readStatus(customerId: string) {
  const path = `/customers/${customerId}/connections/pipedrive`;
  const { body } = await world.crossbook.rest('GET', path);
  return [body.status, body.status_reason];
}

async function readEvents(customerId: string) {
  const { body } = await world.crossbook.rest('GET', '/events?page_size=100');
  return body.records
    .filter((event: { customer_id: string }) => event.customer_id === customerId)
    .map(({ type }: { type: string }) => type)
    .filter((type: string) => type.startsWith('connection.'))
    .toSorted();
}

function search(customerId: string) {
  return world.crossbook.rest(
    'POST',
    '/contacts/_search',
    { filter: { email: 'ada@uninstalled.example' } },
    { 'x-customer-id': customerId, 'x-provider-name': 'pipedrive' },
  );
}
