import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { parseKeyRing } from '../../src/storage/key-ring.ts';
import { type Collector, openCollector } from '../support/collector.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { toFetch } from '../support/to-fetch.ts';
import { findInFiles, readAllRows, toSpellings } from './find-in-storage.ts';

const RING_SECRET = Buffer.alloc(32, 'a ring that nobody knows').toString('base64');
const PLANTED = {
  token: 'planted-token-5f1c',
  access: 'planted-access-token-77aa',
  refresh: 'planted-refresh-token-9b2e',
  another: 'planted-token-of-graphql-1d3d',
  refused: 'planted-in-what-was-refused-4e4e',
};
/** Personal data in the simulated CRMs, which a search returns and the cache stores. */
const PERSONAL = ['ada@example.com', 'Lovelace'];

let root: string;
let crossbook: TestApp;
let collector: Collector;
let secrets: Record<string, string>;
/** Bodies and headers of all responses but those that issue a token. */
const answered: string[] = [];
const output: string[] = [];

beforeAll(async () => {
  root = makeTemporaryFolder();
  collector = await openCollector();
  const storedKey = await createStoredKey();
  crossbook = await openApp({
    database: { directory: join(root, 'data') },
    keys: `planted:${RING_SECRET}`,
    logLevel: 'debug',
    traces: { endpoint: collector.endpoint, headers: {}, serviceName: 'crossbook' },
  });
  const issued = await ask('POST', '/customers/demo/tokens', {}, { isSecret: true });
  const { hubspot, salesforce } = crossbook.sandbox;
  secrets = {
    ...PLANTED,
    key: crossbook.key,
    keySecret: crossbook.key.split('_').slice(2).join('_'),
    storedKey,
    storedKeySecret: storedKey.split('_').slice(2).join('_'),
    ring: RING_SECRET,
    customerToken: issued.token,
    signature: issued.token.split('.')[2],
    hubspotToken: hubspot.demo.staticToken ?? '',
    hubspotClient: hubspot.demo.clientSecret,
    salesforceAccess: salesforce.demo.accessToken,
    salesforceRefresh: salesforce.demo.refreshToken,
    salesforceClient: salesforce.demo.clientSecret,
  };
  await live();
  output.push(
    await (
      await toFetch(crossbook.app.answer)(new Request('http://crossbook.test/metrics'))
    ).text(),
  );
  await crossbook.close();
  secrets['createdKey'] = await createKey();
  output.push(...crossbook.log, JSON.stringify(collector.spans()));
});
afterAll(async () => {
  await collector.close();
  rmSync(root, { recursive: true });
});

test('every secret of the list was in use during the run', () => {
  for (const [name, secret] of Object.entries(secrets))
    expect(secret.length, name).toBeGreaterThan(15);
  expect(new Set(Object.values(secrets)).size).toBe(Object.keys(secrets).length);
});

test('logs, traces and metrics contain no secret and no personal data', () => {
  expect(output.join('')).toContain('"route":"/contacts/_search"');
  expect(collector.spans().length).toBeGreaterThan(10);
  expect(findIn(output, [...Object.values(secrets), ...PERSONAL])).toEqual([]);
});

test('no response contains a secret', () => {
  expect(answered.length).toBeGreaterThan(15);
  const toldOn = ['ada@example.com', '[withheld]'];
  expect(findIn(answered, toldOn)).toEqual(toldOn);
  expect(findIn(answered, Object.values(secrets))).toEqual([]);
});

test('no table row contains a secret in plain text, and the cache contains no name or email', async () => {
  const rows = await readAllRows(join(root, 'data'));
  const tables = new Set(rows.map(({ table }) => table));
  for (const table of ['api_keys', 'credentials', 'contact_cache', 'customers', 'connections']) {
    expect(tables).toContain(table);
  }
  const texts = rows.map(({ text }) => text);
  // Proves that the search finds what is there.
  expect(findIn(texts, ['demo@example.com'])).toEqual(['demo@example.com']);
  expect(findIn(texts, [...Object.values(secrets), ...PERSONAL])).toEqual([]);
});

test('no database file contains one: neither a table, nor an index, nor the write-ahead log', () => {
  expect(findInFiles(root, ['demo@example.com'])).toEqual(['demo@example.com']);
  const spelt = [...Object.values(secrets), ...PERSONAL].flatMap(toSpellings);
  expect(findInFiles(root, spelt)).toEqual([]);
});

/** The demo's key is derived and not stored: this one is stored, like those of real applications. */
async function createKey(): Promise<string> {
  const keyRing = parseKeyRing(`planted:${RING_SECRET}`);
  const database = await openDatabase({ directory: join(root, 'data') }, { keyRing });
  const { id } = await database.admin.createApplication('Acme');
  const { key } = await database.admin.createKey({ applicationId: id, name: 'planted' });
  await database.close();
  return key;
}

/** Uses all of the product: successes, rejected requests, and a CRM that echoes what it received. */
async function live(): Promise<void> {
  await storeCredentials();
  const search = { filter: { email: 'ada@example.com' } };
  for (const provider of ['hubspot', 'salesforce', 'pipedrive']) {
    const target = { 'x-provider-name': provider };
    await ask('POST', '/contacts/_search?include_raw_data=true', search, { headers: target });
    await ask('POST', '/contacts/_search?read_from_cache=true', search, { headers: target });
  }
  await query(
    '{ customer { name connections { status searchContacts(filter: { emailDomain: "example.com" }) { totalCount nodes { rawData } } } } }',
  );
  await query('mutation { issueCustomerToken(input: { customerId: "nobody" }) { token } }');
  await ask('GET', '/customers/demo', undefined, {
    headers: { 'x-api-key': '', authorization: `Bearer ${secrets['customerToken']}` },
  });
  await beRefused();
  await meetTalkativeProviders();
  // The refusals have deleted what was cached of both connections.
  const target = { headers: { 'x-provider-name': 'hubspot' } };
  await ask('POST', '/contacts/_search?include_raw_data=true', search, target);
}

/** The demo's own key is stored nowhere. */
async function createStoredKey(): Promise<string> {
  const keyRing = parseKeyRing(`planted:${RING_SECRET}`);
  const database = await openDatabase({ directory: join(root, 'data') }, { keyRing });
  try {
    const { id } = await database.admin.createApplication('Stored');
    return (await database.admin.createKey({ applicationId: id, name: 'stored' })).key;
  } finally {
    await database.close();
  }
}

async function storeCredentials(): Promise<void> {
  const { errors } = await ask('GET', '/customers/nobody', undefined, {
    headers: { 'x-api-key': secrets['storedKey'] ?? '' },
  });
  expect(errors[0].code).toBe('NOT_FOUND');
  const customer = { customer_id: 'acme', name: 'Acme', email: 'it@acme.example' };
  const oauth2 = { type: 'oauth2', access_token: PLANTED.access, refresh_token: PLANTED.refresh };
  const connections = [
    { provider_name: 'hubspot', credentials: { type: 'token', value: PLANTED.token } },
    { provider_name: 'slack', credentials: oauth2 },
  ];
  const stored = await ask('PUT', '/customers', { ...customer, connections });
  expect(stored.connections).toHaveLength(2);
  const { data } =
    await query(`mutation { upsertCustomer(input: { customerId: "acme", name: "A", email: "a@acme.example",
    connections: [{ provider: GONG, credentials: { token: { value: "${PLANTED.another}" } } }] }) { created customer { connections { status } } } }`);
  expect(data.upsertCustomer.customer.connections).toHaveLength(3);
}

/** A request error is described without repeating what was sent. */
async function beRefused(): Promise<void> {
  const { refused } = PLANTED;
  const upsert = (credentials: unknown, more = {}) =>
    ask('PUT', '/customers', {
      customer_id: 'acme',
      name: 'A',
      email: 'a@acme.example',
      ...more,
      connections: [{ provider_name: 'hubspot', credentials }],
    });
  await upsert({ type: 'token', value: refused, other: refused });
  await upsert({ type: refused, value: refused });
  await upsert(refused);
  await upsert({ type: 'token', value: refused }, { email: 'no email' });
  const mutation = `mutation ($value: String!, $input: UpsertCustomerInput!) { upsertCustomer(input: $input) { created } }`;
  await query(mutation, {
    value: refused,
    input: { customerId: refused, connections: [{ credentials: { token: refused } }] },
  });
  await query(`{ customer(customerId: "acme") { name } `);
  const invalidKey = { 'x-api-key': `${crossbook.key.slice(0, -1)}_` };
  await ask('GET', '/customers/demo', undefined, { headers: invalidKey });
  const altered = `Bearer ${secrets['customerToken']?.slice(0, -2)}`;
  await ask('GET', '/customers/demo', undefined, {
    headers: { 'x-api-key': '', authorization: altered },
  });
}

/** Responses that echo the tokens of the request, and a rejected refresh that echoes its refresh token. */
async function meetTalkativeProviders(): Promise<void> {
  const { hubspot, salesforce } = crossbook.sandbox;
  for (const [provider, account, token] of [
    ['hubspot', hubspot.demo, hubspot.demo.staticToken ?? ''],
    ['salesforce', salesforce.demo, salesforce.demo.accessToken],
  ] as const) {
    const answer = { body: { message: `You sent ${token}` }, headers: { 'x-you-sent': token } };
    account.fail({ kind: 'answer', status: 403, ...answer }, { times: 1 });
    const headers = { 'x-provider-name': provider };
    await ask('POST', '/contacts/_search', { filter: { email: 'grace@example.com' } }, { headers });
    account.clearFaults();
  }
  salesforce.demo.fail(
    {
      kind: 'answer',
      status: 401,
      body: [{ errorCode: 'INVALID_SESSION_ID', message: salesforce.demo.refreshToken }],
    },
    { times: 5 },
  );
  await ask(
    'POST',
    '/contacts/_search',
    { filter: { email: 'alan@example.com' } },
    { headers: { 'x-provider-name': 'salesforce' } },
  );
  salesforce.demo.clearFaults();
}

async function query(text: string, variables = {}) {
  return ask('POST', '/graphql', { query: text, variables });
}

async function ask(
  method: string,
  path: string,
  body?: unknown,
  { headers = {}, isSecret = false }: Asked = {},
) {
  const sent: Record<string, string> = {
    'x-api-key': crossbook.key,
    'x-customer-id': 'demo',
    ...headers,
  };
  if (sent['x-api-key'] === '') delete sent['x-api-key'];
  const response = await toFetch(crossbook.app.answer)(
    new Request(`http://crossbook.test${path}`, {
      method,
      headers: { ...sent, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  if (!isSecret)
    answered.push(`${response.status} ${JSON.stringify([...response.headers])} ${text}`);
  return JSON.parse(text);
}

/** The strings that occur anywhere in there, in any encoding. */
function findIn(places: readonly string[], texts: readonly string[]): readonly string[] {
  const all = places.join('\n');
  return texts.filter((text) => toSpellings(text).some((spelling) => all.includes(spelling)));
}

interface Asked {
  readonly headers?: Record<string, string>;
  readonly isSecret?: boolean;
}
