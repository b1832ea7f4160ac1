import { expect, test } from 'vitest';
import { createTestServer } from './test-server.ts';

const UPSERT = /* GraphQL */ `
  mutation ($input: UpsertCustomerInput!) {
    upsertCustomer(input: $input) {
      clientMutationId
      created
      customer {
        customerId name email version
        connections {
          providerName category instanceUrl status
          schemaMappingsConfig { commonObjects { object fieldMappings { schemaField mappedField } } standardObjects { object } }
          entityMappings { entityId object { type name } fieldMappings { schemaField mappedField } }
          connectionSyncConfig {
            destinationConfig { __typename ... on PostgresDestination { schema } ... on BigQueryDestination { dataset } }
            standardObjects { object table }
            customObjects { object table }
          }
        }
      }
    }
  }
`;

const CUSTOMER = { customerId: 'acme', name: 'Acme', email: 'office@acme.example' };

const FULL = {
  provider: 'SIX_SENSE',
  instanceUrl: 'https://acme.6sense.example/',
  schemaMappingsConfig: {
    commonObjects: [{ object: 'contact', fieldMappings: [{ schemaField: 'a', mappedField: 'b' }] }],
  },
  entityMappings: [
    { entityId: 'e', object: { type: 'CUSTOM', name: 'Thing__c' }, fieldMappings: [] },
  ],
  connectionSyncConfig: {
    destinationConfig: { bigquery: { dataset: 'crm' } },
    standardObjects: [{ object: 'Contact', table: 'people' }, { object: 'Account' }],
  },
  credentials: { token: { value: 'never-shown-again' } },
};

test('a customer is created with its connections, then updated', async () => {
  const { execute } = await createTestServer();
  const input = { ...CUSTOMER, clientMutationId: 'x', connections: [FULL] };
  const first = await execute(UPSERT, { input });
  expect(first.errors).toBeUndefined();
  expect(first.data.upsertCustomer).toEqual({
    clientMutationId: 'x',
    created: true,
    customer: {
      ...CUSTOMER,
      version: 1,
      connections: [
        {
          providerName: 'SIX_SENSE',
          category: 'ENRICHMENT',
          instanceUrl: 'https://acme.6sense.example',
          status: 'CONNECTED',
          schemaMappingsConfig: { ...FULL.schemaMappingsConfig, standardObjects: null },
          entityMappings: FULL.entityMappings,
          connectionSyncConfig: {
            destinationConfig: { __typename: 'BigQueryDestination', dataset: 'crm' },
            standardObjects: [
              { object: 'Contact', table: 'people' },
              { object: 'Account', table: null },
            ],
            customObjects: null,
          },
        },
      ],
    },
  });
  const second = await execute(UPSERT, { input: { ...CUSTOMER, name: 'Acme Ltd' } });
  expect(second.data.upsertCustomer).toMatchObject({
    created: false,
    customer: {
      name: 'Acme Ltd',
      version: 2,
      connections: first.data.upsertCustomer.customer.connections,
    },
  });
});

test('an absent field is kept, and a null one is cleared', async () => {
  const { execute } = await createTestServer();
  const upsert = async (connection: object) => {
    const input = { ...CUSTOMER, connections: [{ provider: 'SIX_SENSE', ...connection }] };
    return (await execute(UPSERT, { input })).data.upsertCustomer.customer.connections[0];
  };
  const full = await upsert(FULL);
  expect(await upsert({})).toEqual(full);
  const cleared = {
    instanceUrl: null,
    schemaMappingsConfig: null,
    entityMappings: null,
    connectionSyncConfig: null,
  };
  expect(await upsert({ ...cleared, credentials: null })).toEqual({
    ...full,
    ...cleared,
    status: 'UNAUTHORIZED',
  });
});

test('an unexpected version is a conflict', async () => {
  const { execute } = await createTestServer();
  const { data, errors } = await execute(UPSERT, { input: { ...CUSTOMER, expectedVersion: 3 } });
  expect(data).toEqual({ upsertCustomer: null });
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'CONFLICT', status: '409' });
});

test('all invalid values that the types allow are reported', async () => {
  const { execute } = await createTestServer();
  const connections = [{ provider: 'HUBSPOT' }, { provider: 'HUBSPOT' }];
  const { errors } = await execute(UPSERT, {
    input: { ...CUSTOMER, email: 'nobody', connections },
  });
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'UNPROCESSABLE_ENTITY', status: '422' });
  expect(errors?.[0]?.extensions?.['detail']).toMatch(/email.*hubspot/s);
});

test('no response and no log line contains a credential, not even a mistyped one', async () => {
  const { post, requestLog } = await createTestServer();
  const secret = 'S3CRET-TOKEN';
  const spoiled = [
    { token: { value: [secret] } },
    { token: { value: secret, more: secret } },
    { token: { value: secret }, oauth2: { accessToken: secret } },
    { oauth2: { accessToken: secret, expiresAt: secret } },
    { oauth2: { refreshToken: secret } },
    secret,
  ];
  for (const credentials of spoiled) {
    const input = { ...CUSTOMER, connections: [{ provider: 'HUBSPOT', credentials }] };
    const response = await post(
      { query: UPSERT, variables: { input } },
      { 'x-api-key': 'demo-key' },
    );
    const text = await response.text();
    expect(text).toContain('BAD_REQUEST');
    expect(text).not.toContain(secret);
  }
  const literal = `mutation { upsertCustomer(input: { credentials: "${secret}", name: ["${secret}"] }) { created } }`;
  expect(await (await post({ query: literal }, { 'x-api-key': 'demo-key' })).text()).not.toContain(
    secret,
  );
  const broken = await post({
    query: `mutation { upsertCustomer(input: "${secret}" "${secret}") { created } }`,
  });
  expect(await broken.text()).not.toContain(secret);
  expect(JSON.stringify(requestLog.notes) + requestLog.errors.join()).not.toContain(secret);
});

test('a customer token can read its customer, and change nothing', async () => {
  const { post } = await createTestServer();
  const ask = async (query: string, variables: object = {}) =>
    (await post({ query, variables }, { authorization: 'Bearer demo-token' })).json();
  expect(await ask('{ customer { customerId } }')).toEqual({
    data: { customer: { customerId: 'demo' } },
  });
  expect(await ask(UPSERT, { input: CUSTOMER })).toMatchObject({
    data: { upsertCustomer: null },
    errors: [{ extensions: { code: 'FORBIDDEN', status: '403' } }],
  });
});

test('a customer of another application is not found', async () => {
  const { execute } = await createTestServer();
  const { data, errors } = await execute(
    '{ customer(customerId: "demo") { id } }',
    {},
    { 'x-api-key': 'other-key' },
  );
  expect(data).toEqual({ customer: null });
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'NOT_FOUND', status: '404' });
});

test('the 18 providers list their capabilities', async () => {
  const { execute } = await createTestServer();
  const { data } = await execute(
    '{ providers { name category associatedObjects capabilities { record canList canWrite filters { name isExact } } } }',
  );
  expect(data.providers).toHaveLength(18);
  expect(
    data.providers.filter((one: { capabilities: unknown[] }) => one.capabilities.length > 0),
  ).toMatchObject([
    { name: 'SALESFORCE', category: 'CRM', associatedObjects: [] },
    { name: 'HUBSPOT', category: 'CRM', associatedObjects: ['COMPANY', 'DEAL', 'TICKET'] },
  ]);
  expect(data.providers[1].capabilities[0]).toMatchObject({
    record: 'CONTACT',
    canList: true,
    canWrite: false,
    filters: expect.arrayContaining([{ name: 'emailDomain', isExact: true }]),
  });
});

test.each([
  ['customer', 'query ($id: ID!) { customer(customerId: $id) { name } }'],
  [
    'searchContacts',
    'query ($id: ID!) { searchContacts(customerId: $id, filter: { email: "a@b.example" }) { totalCount } }',
  ],
  [
    'deleteCustomer',
    'mutation ($id: ID!) { deleteCustomer(input: { customerId: $id }) { deletedCustomerId } }',
  ],
  [
    'disconnectProvider',
    'mutation ($id: ID!) { disconnectProvider(input: { customerId: $id, provider: HUBSPOT }) { revocation } }',
  ],
  [
    'issueCustomerToken',
    'mutation ($id: ID!) { issueCustomerToken(input: { customerId: $id }) { token } }',
  ],
  [
    'createConnectLink',
    'mutation ($id: ID!) { createConnectLink(input: { customerId: $id, providers: HUBSPOT, returnUrl: "https://a.example" }) { url } }',
  ],
])(
  '%s finds no customer whose id is longer than any, and does not repeat it',
  async (_field, query) => {
    const { execute } = await createTestServer();
    const { errors } = await execute(query, { id: 'c'.repeat(10_000) });
    expect(errors?.[0]?.message).toBe(`There is no customer "${'c'.repeat(80)}".`);
    expect(errors?.[0]?.extensions?.['code']).toBe('NOT_FOUND');
  },
);

test('an upsert with more connections than there are providers is rejected as in REST', async () => {
  const { execute } = await createTestServer();
  const connections = Array(19).fill({ provider: 'SLACK' });
  const { errors } = await execute(UPSERT, { input: { ...CUSTOMER, connections } });
  expect(errors?.[0]?.message).toBe('connections has more than 18 entries.');
  expect(errors?.[0]?.extensions?.['code']).toBe('BAD_REQUEST');
});
