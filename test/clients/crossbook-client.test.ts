import {
  type Client,
  type Contact,
  type ContactSearch,
  CrossbookError,
  type CrossbookErrorCode,
  createClient,
} from 'crossbook-client';
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { type ListeningApp, listenApp } from '../support/listen-app.ts';

let crossbook: ListeningApp;
let client: Client;
const ADA: ContactSearch = {
  customerId: 'demo',
  provider: 'HUBSPOT',
  filter: { email: 'ada@example.com' },
};

beforeAll(async () => {
  crossbook = await listenApp();
  client = createClient({ url: `${crossbook.url}/graphql`, apiKey: crossbook.key });
});
afterAll(() => crossbook.close());

test('the client finds a contact, and fetches only the selected fields', async () => {
  const { nodes, pageInfo, ...rest } = await client.searchContacts(ADA);
  expect(nodes).toMatchObject([
    { firstName: 'Ada', lifecycleStage: 'CUSTOMER', provider: 'HUBSPOT' },
  ]);
  expect(nodes[0]).not.toHaveProperty('rawData');
  expect(nodes[0]).not.toHaveProperty('associations');
  expect(pageInfo.hasNextPage).toBe(false);
  expect(rest).toEqual({ modifiedUntil: null, fetchedAt: expect.stringMatching(/^\d{4}-/) });
});

test('optional fields are fetched on request', async () => {
  const more = {
    includeRawData: true,
    includeTotalCount: true,
    associations: ['COMPANY'],
  } as const;
  const { nodes, totalCount } = await client.searchContacts({ ...ADA, ...more });
  expect(totalCount).toBe(1);
  expect(nodes[0]).toMatchObject({ rawData: expect.any(Object), associations: expect.any(Array) });
});

test('contacts are listed by the time of modification, with further raw fields', async () => {
  const { nodes, modifiedUntil } = await client.searchContacts({
    ...ADA,
    filter: { modifiedSince: '1970-01-01T00:00:00Z' },
    first: 2,
    rawFields: ['jobtitle'],
  });
  expect(nodes).toHaveLength(2);
  expect(modifiedUntil).toMatch(/^\d{4}-.*:\d\d\.000Z$/);
  expect(nodes[0]?.rawData).toMatchObject({ properties: { jobtitle: expect.any(String) } });
});

test('pages are fetched lazily, one after the other', async () => {
  const seen: Contact[] = [];
  let pages = 0;
  crossbook.requests.length = 0;
  const search = { ...ADA, filter: { emailDomain: 'example.com' }, first: 4 };
  for await (const { nodes } of client.searchAll(search)) {
    pages += 1;
    expect(crossbook.requests).toHaveLength(pages);
    seen.push(...nodes);
  }
  const complete = await client.searchContacts({ ...search, first: 100 });
  expect(pages).toBe(3);
  expect(seen).toEqual(complete.nodes);
});

test('custom fields are declared, mapped and read', async () => {
  const fields = [
    {
      name: 'color',
      type: 'TEXT',
      sources: [{ provider: 'HUBSPOT', field: 'favorite_color' }],
    },
    { name: 'title', type: 'TEXT', sources: [] },
  ] as const;
  const { customFieldDefinitions } = await client.setCustomFieldDefinitions({
    definitions: fields,
  });
  expect(await client.customFieldDefinitions()).toEqual(customFieldDefinitions);
  const found = await client.searchContacts({ ...ADA, customFields: true });
  expect(found.nodes[0]?.customFields).toEqual({ color: 'violet', title: null });
  const { connection } = await client.setCustomFieldMappings({
    customerId: 'demo',
    provider: 'HUBSPOT',
    mappings: [
      { field: 'title', source: 'jobtitle' },
      { field: 'color', source: 'not_there' },
    ],
  });
  const mapped = await client.searchContacts({ ...ADA, customFields: ['title'] });
  expect(mapped.nodes[0]?.customFields).toEqual({ title: 'Countess of Computing' });
  expect(await client.customFieldMappings(connection.id)).toMatchObject({
    customFieldMappings: connection.customFieldMappings,
    mappingProblems: [{ field: 'color', source: 'not_there', problem: 'MISSING' }],
  });
  const listed = await client.providerFields({ connectionId: connection.id });
  expect(listed.find(({ name }) => name === 'jobtitle')).toMatchObject({ label: 'Job Title' });
});

test('a customer is created, and a token for it gives access to its own contacts only', async () => {
  const input = { customerId: 'acme', name: 'Acme', email: 'office@acme.example' };
  expect(await client.upsertCustomer(input)).toMatchObject({
    created: true,
    customer: { version: 1 },
  });
  expect(await client.upsertCustomer({ ...input, expectedVersion: 1 })).toMatchObject({
    created: false,
  });
  await expect(client.upsertCustomer({ ...input, expectedVersion: 9 })).rejects.toMatchObject({
    code: 'CONFLICT',
    status: 409,
  });

  const { token, expiresAt } = await client.issueCustomerToken({ customerId: 'demo' });
  expect(Date.parse(expiresAt)).toBeGreaterThan(0);
  const frontend = createClient({ url: `${crossbook.url}/graphql`, token: async () => token });
  const { customerId: _customer, ...mine } = ADA;
  expect((await frontend.searchContacts(mine)).nodes).toHaveLength(1);
  await expect(frontend.upsertCustomer(input)).rejects.toMatchObject({
    code: 'FORBIDDEN',
    status: 403,
  });
});

test('a connection is deleted, and then its customer', async () => {
  const { customerId } = { customerId: 'leaving' };
  const connections = [
    { provider: 'HUBSPOT', credentials: { token: { value: 'pat-x' } } },
  ] as const;
  const { customer } = await client.upsertCustomer({
    customerId,
    name: 'L',
    email: 'l@example.com',
    connections,
  });
  expect(customer.version).toBe(1);
  const removed = await client.disconnectProvider({ customerId, provider: 'HUBSPOT' });
  expect(removed).toEqual({ revocation: 'NOT_SUPPORTED', customer: { version: 2 } });
  await expect(client.deleteCustomer({ customerId, expectedVersion: 1 })).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  const deleted = await client.deleteCustomer({ customerId, expectedVersion: 2 });
  expect(deleted.deletedCustomerId).toMatch(/./);
  await expect(client.deleteCustomer({ customerId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('customers are read and listed, also by the status of a connection', async () => {
  const connections = [
    { provider: 'HUBSPOT', credentials: { token: { value: 'pat-y' } } },
  ] as const;
  const input = { customerId: 'listed', name: 'L', email: 'l@example.com', connections };
  const { customer } = await client.upsertCustomer(input);
  expect(await client.customer('listed')).toEqual(customer);
  const { nodes, pageInfo } = await client.customers({
    filter: { customerIds: ['listed', 'demo'] },
  });
  expect(nodes.map(({ customerId }) => customerId).sort()).toEqual(['demo', 'listed']);
  expect(pageInfo.hasNextPage).toBe(false);
  expect((await client.customers({ first: 1 })).pageInfo.hasNextPage).toBe(true);
  await expect(client.customer('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('all customers and all events are read page by page', async () => {
  for (const customerId of ['page-1', 'page-2', 'page-3'])
    await client.upsertCustomer({ customerId, name: 'P', email: 'pages@example.com' });
  const filter = { email: 'pages@example.com' };
  const seen: string[] = [];
  let pages = 0;
  for await (const { nodes } of client.allCustomers({ filter, first: 2 })) {
    pages += 1;
    seen.push(...nodes.map(({ customerId }) => customerId));
  }
  expect([pages, seen]).toEqual([2, ['page-1', 'page-2', 'page-3']]);

  const all = await client.events({ first: 200 });
  const events: string[] = [];
  for await (const { nodes } of client.allEvents({ first: 2 }))
    events.push(...nodes.map(({ id }) => id));
  expect(events).toEqual(all.nodes.map(({ id }) => id));
});

test('providers are listed, and an OAuth client is set and deleted', async () => {
  const providers = await client.providers();
  expect(providers).toHaveLength(18);
  expect(providers.find(({ name }) => name === 'SALESFORCE')).toMatchObject({ canConnect: true });
  const input = { provider: 'SALESFORCE', clientId: 'app', clientSecret: 'secret' } as const;
  const { oauthClient } = await client.setOAuthClient(input);
  expect(oauthClient).toMatchObject({ provider: 'SALESFORCE', clientId: 'app' });
  expect(await client.deleteOAuthClient({ provider: 'SALESFORCE' })).toEqual({
    deletedProvider: 'SALESFORCE',
  });
});

test('an operation of one’s own is executed with typed data', async () => {
  interface Found {
    readonly customer: { readonly name: string; readonly connections: readonly object[] } | null;
  }
  const found = await client.query<Found>(
    'query ($id: ID!) { customer(customerId: $id) { name connections { status } } }',
    { id: 'demo' },
  );
  expect(found.customer?.connections.length).toBeGreaterThan(0);
  await expect(client.query('{ nothing }')).rejects.toMatchObject({ code: 'BAD_REQUEST' });
});

test('contacts are checked, created, changed and found in the audit', async () => {
  const target = { customerId: 'demo', provider: 'HUBSPOT' } as const;
  const email = 'grace@client.example';
  const records = [{ email, changes: { firstName: 'Grace', lastName: 'Hopper' } }];
  const dry = await client.upsertContacts({ ...target, dryRun: true, records });
  expect(dry).toMatchObject({ write: null, results: [{ outcome: 'CREATED', remoteId: null }] });
  const { write, results } = await client.upsertContacts({
    ...target,
    records,
    includeContact: true,
  });
  expectTypeOf(results[0]?.contact?.lastName).toEqualTypeOf<string | null | undefined>();
  expect(results).toMatchObject([
    {
      outcome: 'CREATED',
      contact: { lastName: 'Hopper', emailAddresses: [{ emailAddress: email }] },
    },
  ]);
  const remoteId = results[0]?.remoteId ?? '';

  const changed = await client.updateContacts({
    ...target,
    records: [
      { remoteId, changes: { lastName: 'Murray Hopper' } },
      { remoteId: 'none', changes: { lastName: 'Nobody' } },
    ],
  });
  expect(changed.results).toMatchObject([
    { outcome: 'UPDATED', changedFields: ['lastName'] },
    { outcome: 'REFUSED', problems: [{ code: 'NOT_FOUND' }] },
  ]);
  expect(changed.results[0]).not.toHaveProperty('contact');
  const created = await client.createContacts({
    ...target,
    records: [{ changes: { lastName: 'Hamilton', rawFields: { jobtitle: 'Engineer' } } }],
  });
  expect(created.results).toMatchObject([{ outcome: 'CREATED' }]);

  expect(await client.write(write?.id ?? '')).toMatchObject({
    operation: 'upsertContacts',
    isComplete: true,
    results: [{ outcome: 'CREATED', fields: ['firstName', 'lastName'] }],
  });
  const audit = await client.writes({ customerId: 'demo', first: 3 });
  expect(audit.nodes.map(({ operation }) => operation)).toEqual([
    'createContacts',
    'updateContacts',
    'upsertContacts',
  ]);
  await expect(client.write('nothing')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('companies and deals are created and changed', async () => {
  const target = { customerId: 'demo', provider: 'HUBSPOT' } as const;
  const companies = await client.createCompanies({
    ...target,
    records: [{ changes: { name: 'Client Ltd', employeeCount: 3 } }],
    includeCompany: true,
  });
  expect(companies.results).toMatchObject([
    { outcome: 'CREATED', company: { name: 'Client Ltd', employeeCount: 3 } },
  ]);
  const companyId = companies.results[0]?.remoteId ?? '';
  const changed = await client.updateCompanies({
    ...target,
    records: [{ remoteId: companyId, changes: { name: 'Client plc' } }],
  });
  expect(changed.results).toMatchObject([{ outcome: 'UPDATED', changedFields: ['name'] }]);
  expect(changed.results[0]).not.toHaveProperty('company');
  const upserted = await client.upsertCompanies({
    ...target,
    dryRun: true,
    records: [{ customField: 'none', value: '1', changes: { name: 'N' } }],
  });
  expect(upserted.results).toMatchObject([{ problems: [{ code: 'UNKNOWN_FIELD' }] }]);

  const deals = await client.createDeals({
    ...target,
    records: [{ changes: { name: 'Seats', stageId: 'contractsent', closeDate: '2026-12-31' } }],
    includeDeal: true,
  });
  expectTypeOf(deals.results[0]?.deal?.closeDate).toEqualTypeOf<string | null | undefined>();
  expect(deals.results).toMatchObject([
    { outcome: 'CREATED', deal: { stage: { id: 'contractsent' }, closeDate: '2026-12-31' } },
  ]);
  const remoteId = deals.results[0]?.remoteId ?? '';
  const won = await client.updateDeals({
    ...target,
    records: [{ remoteId, changes: { stageId: 'closedwon' } }],
    includeDeal: true,
  });
  expect(won.results).toMatchObject([{ outcome: 'UPDATED', deal: { status: 'WON' } }]);
});

test('records are linked and unlinked', async () => {
  const target = { customerId: 'demo', provider: 'HUBSPOT' } as const;
  const { results } = await client.createContacts({
    ...target,
    records: [{ changes: { lastName: 'Linked' } }],
  });
  const from = { record: 'CONTACT', remoteId: results[0]?.remoteId ?? '' } as const;
  const companies = await client.searchCompanies({ ...target, filter: { all: true }, first: 1 });
  const to = { record: 'COMPANY', remoteId: companies.nodes[0]?.remoteId ?? '' } as const;
  const linked = await client.linkRecords({ ...target, links: [{ from, to, isPrimary: true }] });
  expect(linked.results).toMatchObject([{ index: 0, outcome: 'CREATED', problems: [] }]);
  const removed = await client.unlinkRecords({ ...target, links: [{ from: to, to: from }] });
  expect(removed.results).toMatchObject([{ outcome: 'UPDATED' }]);
  expect(await client.write(removed.write?.id ?? '')).toMatchObject({
    operation: 'unlinkRecords',
    results: [{ link: { from: to, to: from } }],
  });
});

test('a write whose response was lost is repeated with its key, and is carried out once', async () => {
  const bodies: { readonly variables: { readonly input: { readonly idempotencyKey: unknown } } }[] =
    [];
  let lost = 1;
  const unreliable = createClient({
    url: `${crossbook.url}/graphql`,
    apiKey: crossbook.key,
    fetch: async (url, init) => {
      bodies.push(JSON.parse(String(init?.body)));
      const response = await fetch(url, init);
      await response.clone().text();
      lost -= 1;
      if (lost >= 0) throw new TypeError('The connection was closed.');
      return response;
    },
  });
  const input = {
    customerId: 'demo',
    provider: 'SALESFORCE',
    records: [{ changes: { lastName: 'Once' } }],
  } as const;
  const { write, results } = await unreliable.createContacts(input);
  expect([write?.isReplayed, results[0]?.outcome]).toEqual([true, 'CREATED']);
  const keys = bodies.map(({ variables }) => variables.input.idempotencyKey);
  expect(keys).toEqual([keys[0], keys[0]]);
  expect(keys[0]).toMatch(/^[\d-]{20,}$/);
  // Without a key nobody knows whether it was written.
  lost = 1;
  await expect(unreliable.createContacts({ ...input, idempotencyKey: null })).rejects.toMatchObject(
    {
      code: 'NO_ANSWER',
    },
  );
  expect(bodies).toHaveLength(3);
});

test('fields that can be written are listed with what they take', async () => {
  const { connections } = await client.customer('demo');
  const connectionId = connections.find(({ providerName }) => providerName === 'HUBSPOT')?.id ?? '';
  const fields = await client.writableFields({ connectionId, record: 'CONTACT' });
  expect(fields.find(({ name }) => name === 'jobtitle')).toMatchObject({
    label: 'Job Title',
    canCreate: true,
    canUpdate: true,
    isRequired: false,
  });
});

test('a token is fetched once, and once again when the server has refused it', async () => {
  const issued = await client.issueCustomerToken({ customerId: 'demo' });
  let loads = 0;
  const token = () => {
    loads += 1;
    return loads === 1 ? { ...issued, token: issued.token.slice(0, -4) } : issued;
  };
  const frontend = createClient({ url: `${crossbook.url}/graphql`, token });
  const customers = await Promise.all(Array.from({ length: 5 }, () => frontend.customer('demo')));
  expect(customers.map(({ customerId }) => customerId)).toEqual(Array(5).fill('demo'));
  expect(loads).toBe(2);
});

test('a link is created and canceled', async () => {
  const returnUrl = 'http://localhost:3000/';
  const { link, url } = await client.createConnectLink({
    customerId: 'demo',
    providers: ['HUBSPOT'],
    returnUrl,
  });
  expect(url).toContain('/connect/');
  expect(await client.connectLink(link.id)).toMatchObject({ id: link.id, status: 'PENDING' });
  expect(await client.cancelConnectLink({ id: link.id })).toMatchObject({
    link: { status: 'CANCELED' },
  });
});

test('a webhook endpoint is created, changed and deleted; events are listed', async () => {
  const { endpoint, secret } = await client.createWebhookEndpoint({
    url: 'https://example.com/hooks',
  });
  expect(secret).toMatch(/^whsec_/);
  expect(await client.webhookEndpoints()).toEqual([endpoint]);
  const changed = await client.updateWebhookEndpoint({
    id: endpoint.id,
    eventTypes: ['CUSTOMER_CREATED'],
  });
  expect(changed.endpoint).toMatchObject({ id: endpoint.id, eventTypes: ['CUSTOMER_CREATED'] });
  const rotated = await client.rotateWebhookSecret({ id: endpoint.id });
  expect(rotated.secret).not.toBe(secret);
  const since = '2020-01-01T00:00:00.000Z';
  const redelivered = await client.redeliverEvents({ endpointId: endpoint.id, since });
  expect(redelivered).toMatchObject({ scheduled: expect.any(Number), nextSince: null });
  expect(await client.deleteWebhookEndpoint({ id: endpoint.id })).toEqual({
    deletedEndpointId: endpoint.id,
  });
  expect(await client.webhookEndpoints()).toEqual([]);
  const { nodes } = await client.events({ customerId: 'acme', first: 5 });
  expect(nodes).toMatchObject([{ type: expect.any(String), customerId: 'acme' }]);
});

test('a rejected request is thrown with all details of the error', async () => {
  const error = await client
    .searchContacts({ ...ADA, provider: 'ZENDESK_SELL' })
    .catch((thrown) => thrown);
  expect(error).toBeInstanceOf(CrossbookError);
  expect(error).toMatchObject({
    code: 'NOT_IMPLEMENTED',
    status: 501,
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    detail: 'The contacts of Zendesk Sell cannot be searched.',
    message: 'The contacts of Zendesk Sell cannot be searched.',
    retryable: false,
    retryAfterMs: undefined,
  });
  const stranger = createClient({ url: `${crossbook.url}/graphql`, apiKey: 'wrong' });
  await expect(stranger.searchContacts(ADA)).rejects.toMatchObject({
    code: 'UNAUTHORIZED',
    status: 401,
  });
});

test('a failing CRM is a 499 with the CRM’s response and the time to wait before a retry', async () => {
  const answer = { kind: 'answer', status: 503, body: 'Down for maintenance' } as const;
  crossbook.sandbox.salesforce.demo.fail(answer, { times: 50 });
  const error = await client
    .searchContacts({ ...ADA, provider: 'SALESFORCE' })
    .catch((thrown) => thrown);
  expect(error).toMatchObject({
    code: 'REMOTE_PROVIDER_UNAVAILABLE',
    status: 499,
    retryable: true,
  });
  expect(error.remote).toMatchObject({ code: 503, body: 'Down for maintenance' });
});

test.each([
  [502, 'text/html', '<h1>Bad gateway</h1>', { code: 'BAD_ANSWER', status: 502, retryable: true }],
  [200, 'text/html', '<form>Log in</form>', { code: 'BAD_ANSWER', status: 200, retryable: false }],
  [200, 'application/json', '{"data":{"searchContacts":null}}', { code: 'BAD_ANSWER' }],
  [200, 'application/json', 'null', { code: 'BAD_ANSWER' }],
  [
    400,
    'application/json',
    '{"errors":[{"message":"Gateway says no"}]}',
    { detail: 'Gateway says no', status: 400 },
  ],
  [
    429,
    'application/json',
    '{"errors":[{"message":"x","extensions":{"code":"TOO_MANY_REQUESTS","status":"429","meta":{"retryable":true,"retry_after_ms":1500}}}]}',
    { code: 'TOO_MANY_REQUESTS', status: 429, retryable: true, retryAfterMs: 1500 },
  ],
])(
  'a response of a proxy is mapped as far as possible: %i %s %s',
  async (status, type, body, expected) => {
    const answer = new Response(body, { status, headers: { 'content-type': type } });
    const proxied = createClient({
      url: 'http://proxy.example/graphql',
      apiKey: 'x',
      fetch: async () => answer,
      retries: 0,
    });
    const error = await proxied.searchContacts(ADA).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(CrossbookError);
    expect(error).toMatchObject(expected);
  },
);

test('connection refused is a retryable error, and an abort is rethrown as the caller’s own', async () => {
  const url = `http://127.0.0.1:${await findFreePorts()}/graphql`;
  const nowhere = createClient({ url, apiKey: 'x' });
  await expect(nowhere.searchContacts(ADA)).rejects.toMatchObject({
    code: 'NO_ANSWER',
    retryable: true,
    detail: expect.stringMatching(`^No response from ${url}: .*ECONNREFUSED`),
  });
  const reason = new Error('not needed any more');
  await expect(client.searchContacts(ADA, { signal: AbortSignal.abort(reason) })).rejects.toBe(
    reason,
  );
});

test('a URL of another path than /graphql is an error that says what came from where', async () => {
  const misdirected = createClient({ url: `${crossbook.url}/customers`, apiKey: 'x' });
  await expect(misdirected.searchContacts(ADA)).rejects.toMatchObject({
    code: 'BAD_ANSWER',
    detail: expect.stringMatching(
      /^The response from http:\S+\/customers has status 4\d\d and is application\/\S+, not GraphQL: .*\/graphql/,
    ),
  });
});

test('the client defines every error code of the server, and two of its own', () => {
  expectTypeOf<CrossbookErrorCode>().toEqualTypeOf<ErrorCode | 'NO_ANSWER' | 'BAD_ANSWER'>();
});
