import { openSandbox } from '@crossbook/sandbox';
import { createClient } from 'crossbook-client';
import { verifyWebhook, WebhookVerificationError } from 'crossbook-client/webhooks';
import { transform } from 'esbuild';
import { Kind, parse } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { consent, openBrowser } from '../support/connect-browser.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { readSamples } from '../support/documents.ts';
import { type ListeningApp, listenApp } from '../support/listen-app.ts';
import type { Json } from '../support/open-app.ts';
import { runCli } from '../support/run-cli.ts';
import { findSample, runSample } from '../support/run-sample.ts';
import { openReceiver, type Receiver } from '../support/webhook-receiver.ts';

/** The samples of the guides in their order, on one server: one customer, from its creation to its deletion. */
const ASKED_ELSEWHERE = ['README.md', 'docs/api.md', 'docs/sync.md'];
const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;
const NORTHWIND = '48001000';

let database: TestDatabase;
let crossbook: ListeningApp;
let receiver: Receiver;
/** What the code of docs/webhooks.md listens with. */
let handleWebhook: (
  request: object,
  response: object,
  next: (error: unknown) => void,
) => Promise<void>;
const handled: Json[] = [];
const executed = new Set<string>();
let endpointId = '';

beforeAll(async () => {
  database = await createTestDatabase();
  crossbook = await listenApp({ database: { url: database.url }, keys: KEYS });
  receiver = await openReceiver((response, { body, headers }) => {
    const answer = { sendStatus: (status: number) => response.writeHead(status).end() };
    void handleWebhook({ body: Buffer.from(body), headers }, answer, () => answer.sendStatus(500));
  });
  const customer = { customer_id: 'acme', name: 'Acme', email: 'it@acme.example' };
  expect((await crossbook.rest('PUT', '/customers', customer)).status).toBe(200);
});
afterAll(async () => {
  await receiver.close();
  await crossbook.close();
  await database.drop();
});

test('a webhook endpoint is created, and its secret verifies its events', async () => {
  const { createWebhookEndpoint } = await execute('docs/webhooks.md', 'createWebhookEndpoint', {
    'https://app.example.com/webhooks/crossbook': receiver.url,
  });
  const { endpoint, secret } = createWebhookEndpoint;
  expect(secret).toMatch(/^whsec_/);
  endpointId = endpoint.id;
  await runSample(findSample('docs/webhooks.md', 'js', 'verifyWebhook'), {
    given: {
      verifyWebhook,
      WebhookVerificationError,
      process: { env: { CROSSBOOK_WEBHOOK_SECRET: secret } },
      express: { raw: () => undefined },
      app: {
        post: (_path: string, _parse: unknown, handle: typeof handleWebhook) =>
          (handleWebhook = handle),
      },
      store: async (event: Json) => {
        if (!handled.some(({ id }) => id === event.id)) handled.push(event);
      },
    },
  });
});

test('the printed receiver answers a forged event with 400, and stores nothing', async () => {
  const { status } = await fetch(receiver.url, { method: 'POST', body: '{}' });
  expect([status, handled]).toEqual([400, []]);
});

test('a link is created in GraphQL after its origin was registered by the printed command', async () => {
  const { errors } = await ask('docs/connect.md', 'link { id status }');
  expect(errors).toMatchObject([{ extensions: { code: 'UNPROCESSABLE_ENTITY' } }]);
  const [, command = ''] =
    /crossbook -- (.+)\n/.exec(findSample('docs/connect.md', 'sh', 'apps origins')) ?? [];
  const args = [...command.matchAll(/"([^"]+)"|(\S+)/g)].map(
    ([, quoted, plain = '']) => quoted ?? plain,
  );
  const { code, stderr } = await runCli(args, {
    env: { DATABASE_URL: database.url, CROSSBOOK_KEYS: KEYS },
  });
  expect([code, stderr]).toEqual([0, '']);
  await expect
    .poll(async () => (await ask('docs/connect.md', 'link { id status }')).data?.createConnectLink)
    .toEqual({
      url: expect.stringMatching(/^http:\/\/localhost:4000\/connect\//),
      link: { id: expect.any(String), status: 'PENDING' },
    });
});

test('a link asks for the records and the access that docs/connect.md prints', async () => {
  const { createConnectLink } = await execute('docs/connect.md', 'link { records access }');
  expect(createConnectLink.link).toEqual({
    records: ['CONTACT', 'COMPANY', 'DEAL'],
    access: 'READ_WRITE',
  });
});

test('the code of docs/connect.md creates a link, and redeems the code that the browser returns', async () => {
  const {
    crossbook: client,
    link,
    url,
  } = await runSample<Json>(findSample('docs/connect.md', 'js', 'crossbook.createConnectLink'), {
    given: {
      process: { env: { CROSSBOOK_API_KEY: crossbook.key } },
      createClient: (options: { apiKey: string }) =>
        createClient({ ...options, url: `${crossbook.url}/graphql` }),
    },
    declares: ['crossbook', 'link', 'url'],
  });
  const browser = openBrowser(crossbook.app);
  const { consentUrl } = await browser.start(url, { provider: 'hubspot' });
  const back = await browser.visit(await consent(consentUrl, { account: NORTHWIND }));
  const returned = new URL(back.headers.get('location') ?? '');
  expect(returned.origin + returned.pathname).toBe('https://app.example/connected');
  const { connect_link_id, status, code } = Object.fromEntries(returned.searchParams);
  expect([connect_link_id, status]).toEqual([link.id, 'AWAITING_CONFIRMATION']);
  const { connection } = await runSample<Json>(
    findSample('docs/connect.md', 'js', 'confirmConnectLink'),
    {
      given: { crossbook: client, connect_link_id, code },
      declares: ['connection'],
    },
  );
  expect(connection).toMatchObject({ providerName: 'HUBSPOT', status: 'CONNECTED' });
});

test('a refused connection is listed, and its event is delivered as printed in docs/webhooks.md', async () => {
  const [northwind] = crossbook.sandbox.hubspot.others;
  northwind?.revoke();
  const search =
    '{ searchContacts(customerId: "acme", provider: HUBSPOT, filter: { email: "a@b.example" }) { totalCount } }';
  expect((await crossbook.execute(search)).errors).toMatchObject([{ path: ['searchContacts'] }]);
  const { customers } = await execute('docs/lifecycle.md', 'customers(filter:');
  expect(customers).toEqual({
    nodes: [
      {
        customerId: 'acme',
        connections: [
          {
            providerName: 'HUBSPOT',
            status: 'REAUTHORIZE',
            statusReason: 'REFRESH_TOKEN_REFUSED',
            statusChangedAt: expect.stringMatching(/Z$/),
          },
        ],
      },
    ],
    pageInfo: { hasNextPage: false, endCursor: expect.any(String) },
  });
  await expect.poll(() => handled).toHaveLength(1);
  const printed = JSON.parse(findSample('docs/webhooks.md', 'json', 'sequence'));
  const { id, ...event } = handled[0];
  expect(receiver.calls.at(-1)?.headers['webhook-id']).toBe(id);
  expect(event).toEqual({
    ...printed,
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    data: {
      ...printed.data,
      customer_id: 'acme',
      connection_id: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
    },
  });
});

test('missed events are sent again with the same id', async () => {
  const { redeliverEvents } = await execute('docs/webhooks.md', 'redeliverEvents', {
    '…': endpointId,
    // The clock of this machine may be before it.
    '2026-11-20T12:00:00Z': '2020-01-01T00:00:00Z',
  });
  expect(redeliverEvents).toEqual({ scheduled: expect.any(Number), nextSince: null });
  expect(redeliverEvents.scheduled).toBeGreaterThan(0);
  const idsOf = () => receiver.calls.map(({ headers }) => headers['webhook-id']);
  await expect.poll(() => idsOf().filter((id) => id === handled[0].id)).toHaveLength(2);
});

test('a test event is delivered to the receiver of docs/webhooks.md', async () => {
  const { sendTestEvent } = await execute('docs/webhooks.md', 'sendTestEvent', {
    '…': endpointId,
  });
  expect(sendTestEvent).toEqual({ event: { id: expect.any(String) } });
  await expect
    .poll(() => handled)
    .toContainEqual(expect.objectContaining({ id: sendTestEvent.event.id, type: 'webhook.test' }));
});

test('existing tokens are upserted with the customer', async () => {
  const hubspot = await execute('docs/connect.md', 'token: {', { '…': 'xyz' });
  const { version, ...customer } = hubspot.upsertCustomer.customer;
  expect([hubspot.upsertCustomer.created, customer]).toEqual([
    false,
    { connections: [{ providerName: 'HUBSPOT', status: 'CONNECTED', statusReason: 'NOT_TRIED' }] },
  ]);
  const salesforce = await execute('docs/connect.md', 'oauth2: {', { '…': 'xyz' });
  expect(salesforce).toEqual({ upsertCustomer: { created: false } });
  const printed = findSample('docs/connect.md', 'json', 'credentials').replaceAll('…', 'xyz');
  const rest = await crossbook.rest('PUT', '/customers', JSON.parse(printed));
  expect([rest.status, rest.body.connections]).toMatchObject([
    200,
    [{ provider_name: 'hubspot' }, { provider_name: 'salesforce', status: 'connected' }],
  ]);
});

test('a connection is removed, and then its customer, with its expected version', async () => {
  const words = 'mutation Disconnect';
  const { disconnectProvider } = await execute('docs/lifecycle.md', words, {}, 'Disconnect');
  expect(disconnectProvider).toEqual({
    revocation: 'NOT_SUPPORTED',
    customer: { version: expect.any(Number) },
  });
  const stale = await ask(
    'docs/lifecycle.md',
    words,
    { 'expectedVersion: 3': 'expectedVersion: 1' },
    'Delete',
  );
  expect(stale.errors).toMatchObject([{ extensions: { code: 'CONFLICT' } }]);
  const now = { 'expectedVersion: 3': `expectedVersion: ${disconnectProvider.customer.version}` };
  expect(await execute('docs/lifecycle.md', words, now, 'Delete')).toEqual({
    deleteCustomer: { deletedCustomerId: expect.stringMatching(/./) },
  });
  expect((await crossbook.rest('GET', '/customers/acme')).status).toBe(404);
});

test('custom fields are declared, read and mapped as docs/custom-fields.md prints it', async () => {
  const path = 'docs/custom-fields.md';
  const { setCustomFieldDefinitions } = await execute(
    path,
    'customFieldDefinitions { version definitions { name } }',
  );
  expect(setCustomFieldDefinitions.customFieldDefinitions).toEqual({
    version: 1,
    definitions: [{ name: 'favoriteColor' }, { name: 'jobTitle' }],
  });
  const found = await ask(path, 'customFields(names:');
  expect(found).toEqual(JSON.parse(findSample(path, 'json', 'favoriteColor')));
  const { data, errors } = await ask(path, 'providerFields { name label');
  expect(errors).toMatchObject([{ extensions: { code: 'NOT_IMPLEMENTED' } }]);
  for (const { providerName, providerFields } of data.customer.connections) {
    if (providerName === 'ZENDESK_SELL') expect(providerFields).toBeNull();
    else expect(providerFields.length).toBeGreaterThan(20);
  }
  const { setCustomFieldMappings } = await execute(path, 'setCustomFieldMappings(');
  expect(setCustomFieldMappings.connection).toEqual({
    customFieldMappings: [{ field: 'jobTitle', source: 'Title' }],
    mappingProblems: [],
  });
  expect(await execute(path, 'typedSchema: true')).toEqual({
    setCustomFieldDefinitions: { customFieldDefinitions: { version: 2, typedSchema: true } },
  });
  expect(await execute(path, 'query FavoriteColor')).toEqual({
    searchContacts: {
      nodes: [
        {
          firstName: 'Ada',
          custom: { favoriteColor: 'violet', jobTitle: 'Countess of Computing' },
        },
      ],
    },
  });
});

test('a custom field of companies is declared and read as docs/custom-fields.md prints it', async () => {
  const path = 'docs/custom-fields.md';
  const { setCustomFieldDefinitions } = await execute(path, 'record: COMPANY');
  expect(setCustomFieldDefinitions.customFieldDefinitions).toEqual({
    record: 'COMPANY',
    version: 1,
    definitions: [{ name: 'sector' }],
  });
  const { searchCompanies } = await execute(path, 'searchCompanies');
  expect(searchCompanies.nodes).toEqual(
    Array.from({ length: 2 }, () => ({
      name: expect.any(String),
      customFields: { sector: expect.any(String) },
    })),
  );
});

test('companies are listed', async () => {
  const { searchCompanies } = await execute('docs/search.md', 'searchCompanies');
  expect(searchCompanies.nodes).toHaveLength(3);
  expect(searchCompanies.pageInfo.hasNextPage).toBe(true);
});

test('all contacts are listed, and what changes is followed', async () => {
  const { searchContacts } = await execute('docs/search.md', 'modifiedSince');
  expect(searchContacts.nodes).toHaveLength(500);
  expect(searchContacts.pageInfo.hasNextPage).toBe(true);
  const until = Date.parse(searchContacts.modifiedUntil);
  expect(until).toBeLessThanOrEqual(Date.now() - 60_000);
  const token = await crossbook.rest('POST', '/customers/demo/tokens', {
    ...JSON.parse(findSample('docs/search.md', 'http', 'can_list').split('\n\n')[1] ?? ''),
  });
  expect(token.status).toBe(200);
  const typed = findSample('docs/search.md', 'ts', 'follow');
  const { code } = await transform(typed, { loader: 'ts' });
  const { follow, copy } = await runSample<Json>(code.replace(/^export \{[^}]*\};$/m, ''), {
    given: {
      createClient: (options: object) =>
        createClient({ ...options, url: `${crossbook.url}/graphql`, apiKey: crossbook.key }),
    },
    declares: ['follow', 'copy'],
  });
  const { hubspot } = crossbook.sandbox;
  const people = hubspot.demo.people.all().filter(({ isDeleted }) => !isDeleted);
  const recent = people.map(({ updatedAt }) => updatedAt).sort((a, b) => b - a)[20] ?? 0;
  const next = await follow(new Date(recent).toISOString());
  expect(copy.size).toBeGreaterThan(20);
  expect(Date.parse(next)).toBeGreaterThan(recent);
  copy.clear();
  await follow(next);
  expect(copy.size).toBe(0);
});

test('deals are searched, with the pipelines to filter by', async () => {
  const { searchDeals, pipelines } = await execute('docs/search.md', 'searchDeals');
  expect(searchDeals.nodes).toHaveLength(3);
  for (const { status, closeDate } of searchDeals.nodes) {
    expect(status).toBe('OPEN');
    expect(closeDate >= '2026-01-01').toBe(true);
  }
  // The demo has a deal that was imported without a pipeline and a stage.
  const inStages = searchDeals.nodes.filter(({ stage }: Json) => stage !== null);
  expect(inStages.length).toBeGreaterThan(1);
  for (const { pipeline, stage } of inStages) {
    const { stages } = pipelines.find(({ label }: Json) => label === pipeline.label);
    expect(stages).toContainEqual(expect.objectContaining({ ...stage, status: 'OPEN' }));
  }
});

test('linked companies and deals are read with their contacts', async () => {
  const { searchContacts } = await execute('docs/search.md', 'edges { isPrimary');
  expect(searchContacts.nodes.length).toBeGreaterThan(0);
  const companies = searchContacts.nodes.flatMap(({ companies }: Json) => companies.edges);
  expect(companies).toContainEqual({
    isPrimary: true,
    node: { name: expect.any(String), domain: expect.any(String) },
  });
  const deals = searchContacts.nodes.flatMap(({ deals }: Json) => deals.nodes);
  expect(deals).toContainEqual({ name: expect.any(String), status: expect.any(String) });
});

test('contacts are written as docs/writing.md prints it, after a dry run that stores nothing', async () => {
  const path = 'docs/writing.md';
  const dryRun = await execute(path, 'Augusta');
  expect(dryRun.upsertContacts.results).toEqual([
    {
      index: 0,
      outcome: 'UPDATED',
      remoteId: expect.any(String),
      changedFields: ['firstName'],
      problems: [],
      warnings: [],
    },
    expect.objectContaining({ index: 1, outcome: 'CREATED', remoteId: null, problems: [] }),
  ]);
  // The demo's account has no such field.
  const { upsertCompanies } = await execute(path, 'upsertCompanies(');
  expect(upsertCompanies.results).toMatchObject([{ outcome: 'REFUSED', remoteId: null }]);
  const { createDeals } = await execute(path, 'createDeals(');
  expect(createDeals.results).toMatchObject([{ outcome: 'CREATED', remoteId: null, problems: [] }]);
  const { linkRecords } = await execute(path, 'linkRecords(');
  expect(linkRecords.results).toMatchObject([{ index: 0, problems: [] }]);
  const { upsertContacts } = await execute(path, 'idempotencyKey');
  expect(upsertContacts).toEqual({
    write: { id: expect.any(String), isComplete: true },
    results: [
      {
        outcome: 'CREATED',
        remoteId: expect.any(String),
        contact: { firstName: 'Grace', lastName: 'Hopper' },
        problems: [],
      },
    ],
  });
  const [{ remoteId }] = upsertContacts.results;
  // The dry run is not among the writes.
  const { writes } = await execute(path, 'writes(customerId:');
  expect(writes.nodes).toEqual([
    {
      id: upsertContacts.write.id,
      operation: expect.stringMatching(/upsert/i),
      credentialId: expect.any(String),
      createdAt: expect.stringMatching(/Z$/),
      isComplete: true,
      results: [
        {
          outcome: 'CREATED',
          remoteId,
          fields: expect.arrayContaining(['firstName', 'lastName']),
          problems: [],
        },
      ],
    },
  ]);
});

test('a mapping link is created as docs/custom-fields.md prints it, and shows the fields of the CRM', async () => {
  const { createMappingLink } = await execute('docs/custom-fields.md', 'createMappingLink(');
  expect(createMappingLink.link.status).toBe('PENDING');
  const browser = openBrowser(crossbook.app);
  const { text } = await browser.visit(`${createMappingLink.url}/fields`);
  expect(text).toContain('Match your fields');
  expect(text).toContain('The person’s favorite color.');
});

test('the branding that docs/connect.md prints is accepted', async () => {
  const { updateBranding } = await execute('docs/connect.md', 'updateBranding(');
  expect(updateBranding.branding).toMatchObject({ displayName: 'Acme Support' });
});

test('the printed commands edit, delete and add contacts of the demo', async () => {
  const sandbox = await openSandbox();
  try {
    const { origin, demo } = sandbox.hubspot;
    const [variable = '', ...lines] = findSample('docs/search.md', 'sh', 'SANDBOX=')
      .trim()
      .split('\n');
    const [, path = ''] = /^SANDBOX=localhost:4010(\S+)$/.exec(variable) ?? [];
    expect(path).toBe(`/__sandbox/accounts/${demo.id}`);
    const answers = [];
    for (const line of lines) {
      const [, method, rest = '', header = '', , body] =
        /^curl -s -X (\w+) \$SANDBOX(\S+) -H '([^']+)'( -d '([^']+)')?$/.exec(line) ?? [];
      const headers = Object.fromEntries([header.split(': ')]);
      const init = { method: method ?? '', headers, ...(body !== undefined && { body }) };
      answers.push(await (await fetch(`${origin}${path}${rest}`, init)).json());
    }
    expect(answers).toEqual([{ done: true }, { done: true }, { id: expect.any(String) }]);
  } finally {
    await sandbox.close();
  }
});

test('every operation in a guide was executed', () => {
  const operations = readSamples().filter(
    ({ path, language, code }) =>
      language === 'graphql' &&
      !ASKED_ELSEWHERE.includes(path) &&
      parse(code).definitions.some(({ kind }) => kind === Kind.OPERATION_DEFINITION),
  );
  expect(operations.length).toBeGreaterThan(5);
  expect(operations.filter(({ code }) => !executed.has(code))).toEqual([]);
});

/** A sample as it is printed, but for values that are others here. */
async function ask(
  path: string,
  words: string,
  others: Readonly<Record<string, string>> = {},
  operationName?: string,
): Promise<Json> {
  const sample = findSample(path, 'graphql', words);
  executed.add(sample);
  let query = sample;
  for (const [printed, value] of Object.entries(others)) {
    expect(query).toContain(printed);
    query = query.replaceAll(printed, value);
  }
  const { body } = await crossbook.rest('POST', '/graphql', { query, operationName });
  return body;
}

async function execute(...sample: Parameters<typeof ask>): Promise<Json> {
  const { data, errors } = await ask(...sample);
  expect(errors).toBeUndefined();
  return data;
}
