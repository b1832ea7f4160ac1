import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseManifest, readManifest } from '../../src/graphql/over-http/persisted-operations.ts';
import { createTestServer, DEMO, EXTENSIONS, type TestServer } from './test-server.ts';

const FIND = '{ searchContacts(filter: { email: "ada@example.com" }) { totalCount } }';
const FOUND = { data: { searchContacts: { totalCount: 1 } } };

test('a document that was sent with its hash can be omitted the next time, with POST and GET', async () => {
  const server = await createTestServer();
  expect((await ask(server, apq(FIND))).body).toMatchObject({
    errors: [{ message: 'PersistedQueryNotFound' }],
  });
  expect((await ask(server, { query: FIND, ...apq(FIND) })).body).toEqual(FOUND);
  expect((await ask(server, apq(FIND))).body).toEqual(FOUND);
  expect((await ask(server, { documentId: `sha256:${sha256(FIND)}` })).body).toEqual(FOUND);

  const extensions = encodeURIComponent(JSON.stringify(apq(FIND).extensions));
  const got = await server.send(
    new Request(`http://localhost/graphql?extensions=${extensions}`, { headers: DEMO }),
  );
  expect(await got.json()).toEqual(FOUND);
});

test('an unknown hash gives the error that clients expect, in the common format', async () => {
  const server = await createTestServer();
  for (const [accept, status] of [
    ['application/json', 200],
    ['application/graphql-response+json', 404],
  ] as const) {
    const answer = await ask(server, apq(FIND), { accept });
    expect(answer.status).toBe(status);
    const [error] = answer.body.errors;
    expect(error.message).toBe('PersistedQueryNotFound');
    expect(error.extensions).toMatchObject({ code: 'PERSISTED_QUERY_NOT_FOUND', status: '404' });
    expect(Object.keys(error.extensions).sort()).toEqual(EXTENSIONS);
  }
});

test.each([
  ['a hash of something else', { query: '{ __typename }', ...apq(FIND) }],
  ['a hash that is none', { extensions: { persistedQuery: { version: 1, sha256Hash: 'abc' } } }],
  ['another version', { extensions: { persistedQuery: { version: 2, sha256Hash: sha256(FIND) } } }],
  ['an id of another kind', { documentId: 'md5:abc' }],
  ['neither document nor hash', { extensions: { persistedQuery: null } }],
])('%s is 400, and is not cached', async (_name, body) => {
  const server = await createTestServer();
  const answer = await ask(server, body);
  expect(answer.status).toBe(400);
  expect(answer.body.errors[0].extensions.code).toBe('BAD_REQUEST');
  expect((await ask(server, apq(FIND))).body.errors[0].message).toBe('PersistedQueryNotFound');
});

test('the least recently used documents are evicted first, and each application fills its own share', async () => {
  const server = await createTestServer();
  const long = (name: string) => `{ ${name}: __typename } ${'#'.repeat(31 * 1024)}`;
  const other = { 'x-api-key': 'other-key' };
  await ask(server, { query: long('other'), ...apq(long('other')) }, other);
  await ask(server, { query: FIND, ...apq(FIND) });
  for (let index = 0; index < 100; index += 1) {
    const query = long(`a${index}`);
    await ask(server, { query, ...apq(query) });
    expect((await ask(server, apq(FIND))).body).toEqual(FOUND);
  }
  expect((await ask(server, apq(long('a99')))).body).toEqual({ data: { a99: 'Query' } });
  expect((await ask(server, apq(long('a0')))).body.errors[0].message).toBe(
    'PersistedQueryNotFound',
  );
  expect((await ask(server, apq(long('other')), other)).body).toEqual({ data: { other: 'Query' } });
});

test('neither requests without a caller nor huge documents can fill the cache', async () => {
  const server = await createTestServer();
  const schema = '{ __schema { queryType { name } } }';
  await server.post({ query: schema, ...apq(schema) });
  expect((await ask(server, apq(schema))).body.errors[0].message).toBe('PersistedQueryNotFound');
  const huge = `{ __typename } ${'#'.repeat(33 * 1024)}`;
  expect((await ask(server, { query: huge, ...apq(huge) })).body).toEqual({
    data: { __typename: 'Query' },
  });
  expect((await ask(server, apq(huge))).body.errors[0].message).toBe('PersistedQueryNotFound');
});

test('documents of requests without a caller are not cached', async () => {
  const server = await createTestServer();
  const query = '{ __schema { queryType { name } } }';
  const response = await server.post({ query, ...apq(query) });
  expect(await response.json()).toEqual({ data: { __schema: { queryType: { name: 'Query' } } } });
  const again = await server.post(apq(query));
  expect(await again.json()).toMatchObject({ errors: [{ message: 'PersistedQueryNotFound' }] });
});

test('a hash is valid for its application only, not without a key or with another’s', async () => {
  const server = await createTestServer();
  await ask(server, { query: FIND, ...apq(FIND) });
  for (const headers of [{}, { 'x-api-key': 'other-key' }]) {
    const response = await server.post(apq(FIND), {
      ...headers,
      accept: 'application/graphql-response+json',
    });
    expect(response.status).toBe(404);
  }
  expect((await server.post({ query: FIND, ...apq(FIND) })).status).toBe(401);
});

test('with a manifest, known operations are executed by text and by hash, and all others are rejected', async () => {
  const server = await createTestServer({ operations: new Map([[sha256(FIND), FIND]]) });
  for (const known of [
    { query: FIND },
    apq(FIND),
    { query: FIND, ...apq(FIND) },
    { documentId: sha256(FIND) },
  ]) {
    expect((await ask(server, known)).body).toEqual(FOUND);
  }
  const unknown = '{ customer { name } }';
  for (const body of [
    { query: unknown },
    apq(unknown),
    { query: unknown, ...apq(unknown) },
    { query: `${FIND} ` },
  ]) {
    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const answer = await ask(server, body, { accept });
      expect(answer.status).toBe(403);
      expect(Object.keys(answer.body.errors[0].extensions).sort()).toEqual(EXTENSIONS);
    }
  }
  expect((await ask(server, { query: unknown, ...apq(FIND) })).status).toBe(400);
  expect(
    (await ask(server, [{ query: FIND }, { query: unknown }])).body.errors[0].extensions.code,
  ).toBe('FORBIDDEN');
});

test('the manifest of codegen is valid, and has all operations of our client', async () => {
  const manifest = readManifest('operations.json');
  expect([...manifest.values()].map((text) => /^\w+ \w+/.exec(text)?.[0]).sort()).toEqual([
    'mutation CancelConnectLink',
    'mutation ConfirmConnectLink',
    'mutation CreateCompanies',
    'mutation CreateConnectLink',
    'mutation CreateContacts',
    'mutation CreateDeals',
    'mutation CreateMappingLink',
    'mutation CreateWebhookEndpoint',
    'mutation DeleteCustomer',
    'mutation DeleteOAuthClient',
    'mutation DeleteSyncDestination',
    'mutation DeleteWebhookEndpoint',
    'mutation DisconnectProvider',
    'mutation IssueCustomerToken',
    'mutation LinkRecords',
    'mutation PauseSync',
    'mutation RedeliverEvents',
    'mutation ResumeSync',
    'mutation RotateWebhookSecret',
    'mutation SetCustomFieldDefinitions',
    'mutation SetCustomFieldMappings',
    'mutation SetOAuthClient',
    'mutation SetSyncConfiguration',
    'mutation SetSyncDestination',
    'mutation StartSync',
    'mutation UnlinkRecords',
    'mutation UpdateBranding',
    'mutation UpdateCompanies',
    'mutation UpdateContacts',
    'mutation UpdateDeals',
    'mutation UpdateWebhookEndpoint',
    'mutation UpsertCompanies',
    'mutation UpsertContacts',
    'mutation UpsertCustomer',
    'query Branding',
    'query ConnectLink',
    'query CustomFieldDefinitions',
    'query CustomFieldMappings',
    'query Customer',
    'query Customers',
    'query Events',
    'query Owners',
    'query Pipelines',
    'query ProviderFields',
    'query Providers',
    'query SearchCompanies',
    'query SearchContacts',
    'query SearchDeals',
    'query SyncConfigurations',
    'query SyncDestination',
    'query Syncs',
    'query WebhookEndpoints',
    'query WritableFields',
    'query Write',
    'query Writes',
  ]);
  const server = await createTestServer({ operations: manifest });
  const query = [...manifest.values()].find((text) => text.startsWith('query SearchContacts'));
  const answer = await ask(server, { query, variables: { filter: { email: 'ada@example.com' } } });
  expect(answer.body).toMatchObject({
    data: { searchContacts: { nodes: [{ firstName: 'Ada' }] } },
  });
});

test('manifests of Relay and Apollo are accepted, and an invalid one gives an error with the position', () => {
  const hash = sha256(FIND);
  const operations = [{ id: hash, name: 'Find', type: 'query', body: FIND }];
  const apollo = { format: 'apollo-persisted-query-manifest', version: 1, operations };
  for (const manifest of [{ [hash]: FIND }, { [hash.toUpperCase()]: FIND }, apollo]) {
    expect(parseManifest(JSON.stringify(manifest))).toEqual(new Map([[hash, FIND]]));
  }
  expect(() => parseManifest(JSON.stringify({ [hash]: `${FIND} ` }))).toThrow(
    `under ${hash} has a different SHA-256`,
  );
  expect(() => parseManifest('[]')).toThrow('an object from hash to operation');
  expect(() => parseManifest('{')).toThrow('not JSON');
  expect(() => readManifest('nowhere.json')).toThrow(
    /operations of nowhere.json cannot be read.*ENOENT/,
  );
  expect(readFileSync('operations.json', 'utf8').endsWith('}\n')).toBe(true);
});

function apq(query: string) {
  return { extensions: { persistedQuery: { version: 1, sha256Hash: sha256(query) } } };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function ask(server: TestServer, body: unknown, headers: Record<string, string> = {}) {
  const response = await server.post(body, { ...DEMO, ...headers });
  // biome-ignore lint/suspicious/noExplicitAny: each test says what it expects.
  return { status: response.status, body: (await response.json()) as any };
}
