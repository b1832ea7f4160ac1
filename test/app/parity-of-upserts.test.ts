import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';
import { toRestInput, toRestRecord } from './to-rest-record.ts';

const MAPPINGS = 'fieldMappings { schemaField mappedField }';
const CUSTOMER = `applicationId customerId name email connections {
  id applicationId customerId providerId providerName category instanceUrl
  grantedAccess { record canRead canWrite missingScopes }
  status statusReason statusChangedAt account { id name url userId }
  schemaMappingsConfig { commonObjects { object ${MAPPINGS} } standardObjects { object ${MAPPINGS} } }
  entityMappings { entityId object { type name } ${MAPPINGS} }
  connectionSyncConfig {
    destinationConfig { __typename ... on PostgresDestination { schema } ... on BigQueryDestination { dataset } }
    standardObjects { object table } customObjects { object table } } }`;
const UPSERT = `mutation ($input: UpsertCustomerInput!) { upsertCustomer(input: $input) { customer { ${CUSTOMER} } created } }`;
const READ = `query ($id: ID) { customer(customerId: $id) { ${CUSTOMER} version } }`;

const FIELDS = [{ schemaField: 'color', mappedField: 'Favorite_Color__c' }];
const OBJECTS = [
  { object: 'contact', fieldMappings: FIELDS },
  { object: 'account', fieldMappings: [] },
];
const SYNCED = [
  { object: 'Contact', table: 'contacts' },
  { object: 'Account', table: null },
];

/** In GraphQL's form; the REST form is derived from it. */
const CONNECTIONS: readonly Json[] = [
  {
    provider: 'SALESFORCE',
    instanceUrl: 'https://Acme--dev.sandbox.my.salesforce.com/',
    schemaMappingsConfig: { commonObjects: OBJECTS, standardObjects: [OBJECTS[0]] },
    entityMappings: [
      { entityId: 'person', object: { type: 'STANDARD', name: 'Contact' }, fieldMappings: FIELDS },
      { entityId: null, object: { type: 'CUSTOM', name: 'Pet__c' }, fieldMappings: [] },
      { entityId: 'bare', object: null, fieldMappings: [] },
    ],
    connectionSyncConfig: {
      destinationConfig: { postgres: { schema: 'crm' } },
      standardObjects: SYNCED,
      customObjects: [],
    },
    credentials: {
      oauth2: {
        accessToken: 'an-access-token',
        refreshToken: 'a-refresh-token',
        expiresAt: '2030-01-01T00:00:00.000Z',
      },
    },
  },
  {
    provider: 'HUBSPOT',
    instanceUrl: 'https://app-eu1.hubspot.com/contacts/123',
    connectionSyncConfig: {
      destinationConfig: { bigquery: { dataset: null } },
      standardObjects: null,
      customObjects: SYNCED,
    },
    credentials: { token: { value: 'pat-na1-token' } },
  },
  { provider: 'SIX_SENSE', connectionSyncConfig: { destinationConfig: null } },
  { provider: 'GONG', instanceUrl: null, schemaMappingsConfig: null, entityMappings: [] },
  { provider: 'SALESFORCE_MARKETING_CLOUD_ACCOUNT_ENGAGEMENT' },
];

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp();
});
afterAll(() => crossbook.close());

describe('The same upsert through GraphQL and REST', () => {
  const OWN = ['id', 'customer_id', 'status_changed_at'];

  test('stores the same customer, every field of every connection', async () => {
    const graphql = await upsertGraphQL('by-graphql', CONNECTIONS);
    const rest = await upsertRest('by-rest', CONNECTIONS);
    expect(without(graphql, OWN)).toEqual(without(rest, OWN));
    expect(rest.connections).toHaveLength(CONNECTIONS.length);
    expect(rest.connections.find((one: Json) => one.provider_name === 'salesforce')).toMatchObject({
      category: 'crm',
      instance_url: 'https://acme--dev.sandbox.my.salesforce.com',
      schema_mappings_config: { common_objects: [{ object: 'contact' }, { object: 'account' }] },
      entity_mappings: [
        { entity_id: 'person' },
        { object: { name: 'Pet__c' } },
        { entity_id: 'bare' },
      ],
      connection_sync_config: {
        destination_config: { type: 'postgres', schema: 'crm' },
        standard_objects: [{ object: 'Contact', table: 'contacts' }, { object: 'Account' }],
        custom_objects: [],
      },
    });
  });

  test.each(['by-graphql', 'by-rest'])(
    'reads back the same through both when stored through %s',
    async (id) => {
      const { data } = await crossbook.execute(READ, { id });
      const { body, headers } = await crossbook.rest('GET', `/customers/${id}`);
      const { version, ...customer } = data.customer;
      expect(toRestRecord(customer)).toEqual(body);
      expect(headers.get('etag')).toMatch(new RegExp(`^"${version}-`));
    },
  );

  test('keeps, clears and adds the same values', async () => {
    const change = [
      { provider: 'SALESFORCE', instanceUrl: null, entityMappings: null },
      { provider: 'HUBSPOT' },
      { provider: 'SLACK' },
    ];
    const graphql = await upsertGraphQL('by-graphql', change);
    const rest = await upsertRest('by-rest', change);
    expect(without(graphql, OWN)).toEqual(without(rest, OWN));
    expect(rest.connections).toHaveLength(CONNECTIONS.length + 1);
  });

  test.each<[string, Json]>([
    ['not an email', { email: 'nobody' }],
    ['the same provider twice', { connections: [{ provider: 'SLACK' }, { provider: 'SLACK' }] }],
    [
      'a foreign instance URL',
      { connections: [{ provider: 'SALESFORCE', instanceUrl: 'https://evil.example' }] },
    ],
  ])('is rejected with the same message: %s', async (_what, invalid) => {
    const { connections = [], ...rest } = invalid;
    const one = (await sendGraphQL('refused', connections, rest)).errors[0].extensions;
    const other = (await sendRest('refused', connections, rest)).body.errors[0];
    expect({ ...one, id: '' }).toEqual({ ...other, id: '' });
    expect(one.status).toBe('422');
  });
});

async function upsertGraphQL(customerId: string, connections: readonly Json[]): Promise<Json> {
  const { data, errors } = await sendGraphQL(customerId, connections);
  expect(errors).toBeUndefined();
  return toRestRecord(data.upsertCustomer.customer);
}

async function upsertRest(customerId: string, connections: readonly Json[]): Promise<Json> {
  const { status, body } = await sendRest(customerId, connections);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

function sendGraphQL(
  customerId: string,
  connections: readonly Json[],
  patch: Json = {},
): Promise<Json> {
  const input = { customerId, name: 'Acme', email: 'it@acme.example', connections, ...patch };
  return crossbook.execute(UPSERT, { input });
}

function sendRest(customerId: string, connections: readonly Json[], patch: Json = {}) {
  const customer = { customer_id: customerId, name: 'Acme', email: 'it@acme.example', ...patch };
  return crossbook.rest('PUT', '/customers', {
    ...customer,
    connections: connections.map((one) => toTagged(toRestInput(one))),
  });
}

/** GraphQL names a variant by its field, REST by its `type`. */
function toTagged(connection: Json): Json {
  const { credentials, connection_sync_config: sync, ...rest } = connection;
  const tagged = (variant: Json) =>
    variant && { type: Object.keys(variant)[0], ...(Object.values(variant)[0] as object) };
  return {
    ...rest,
    ...(credentials && { credentials: tagged(credentials) }),
    ...(sync && {
      connection_sync_config: { ...sync, destination_config: tagged(sync.destination_config) },
    }),
  };
}

/** Ids differ from customer to customer. */
function without(customer: Json, names: readonly string[]): Json {
  const omit = (record: Json) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
  return { ...omit(customer), connections: customer.connections.map(omit) };
}
