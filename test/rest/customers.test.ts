import { describe, expect, test } from 'vitest';
import { DEMO, openRest, type TestRest } from './open-rest.ts';

const CUSTOMER = { customer_id: 'c 1/ü', name: 'Engines', email: 'office@example.com' };
const CONFIGURED = {
  provider_name: 'salesforce',
  instance_url: 'https://one.salesforce.example',
  schema_mappings_config: {
    common_objects: [
      {
        object: 'contact',
        field_mappings: [{ schema_field: 'email', mapped_field: 'work_email__c' }],
      },
    ],
    standard_objects: [],
  },
  entity_mappings: [
    {
      entity_id: 'person',
      object: { type: 'custom', name: 'Person__c' },
      field_mappings: [{ schema_field: 'name', mapped_field: 'Name__c' }],
    },
  ],
  connection_sync_config: {
    destination_config: { type: 'postgres', schema: 'crm' },
    standard_objects: [{ object: 'Contact', table: 'people' }],
    custom_objects: [{ object: 'Person__c' }],
  },
};
const CONFIGS = [
  'instance_url',
  'schema_mappings_config',
  'entity_mappings',
  'connection_sync_config',
];

describe('an upsert', () => {
  test('returns the customer with all fields of its connections', async () => {
    const { ask } = await openRest();
    const { status, body } = await upsert(ask, { connections: [CONFIGURED] });
    expect(status).toBe(200);
    expect(body).toEqual({
      application_id: '11111111-1111-4111-8111-111111111111',
      ...CUSTOMER,
      connections: [
        {
          id: expect.any(String),
          application_id: body.application_id,
          customer_id: CUSTOMER.customer_id,
          provider_id: expect.any(String),
          category: 'crm',
          ...CONFIGURED,
          status: 'unauthorized',
          status_reason: 'no_credentials',
          status_changed_at: expect.any(String),
          granted_access: [
            { record: 'contact', can_read: true, can_write: false, missing_scopes: [] },
            { record: 'company', can_read: false, can_write: false, missing_scopes: [] },
            { record: 'deal', can_read: false, can_write: false, missing_scopes: [] },
          ],
        },
      ],
    });
  });

  test('keeps absent fields of a configuration absent', async () => {
    const { ask } = await openRest();
    const bare = {
      provider_name: 'hubspot',
      schema_mappings_config: {},
      entity_mappings: [{ field_mappings: [] }],
      connection_sync_config: {
        destination_config: { type: 'bigquery' },
        standard_objects: [{ object: 'A' }],
      },
    };
    const answer = await upsert(ask, { connections: [bare] });
    const { schema_mappings_config, entity_mappings, connection_sync_config } =
      answer.body.connections[0];
    expect({ schema_mappings_config, entity_mappings, connection_sync_config }).toStrictEqual({
      schema_mappings_config: {},
      entity_mappings: [{ field_mappings: [] }],
      connection_sync_config: {
        destination_config: { type: 'bigquery' },
        standard_objects: [{ object: 'A' }],
      },
    });
  });

  test('an absent field stays as it is', async () => {
    const { ask } = await openRest();
    const before = await upsert(ask, { connections: [CONFIGURED] });
    const after = await upsert(ask, { connections: [{ provider_name: 'salesforce' }] });
    expect(after.body).toEqual(before.body);
    expect((await upsert(ask, {})).body).toEqual(before.body);
  });

  test.each(CONFIGS)('null clears %s and nothing else', async (field) => {
    const { ask } = await openRest();
    const before = await upsert(ask, { connections: [CONFIGURED] });
    const after = await upsert(ask, {
      connections: [{ provider_name: 'salesforce', [field]: null }],
    });
    const { [field]: cleared, ...rest } = before.body.connections[0];
    expect(cleared).toBeDefined();
    expect(after.body.connections[0]).toStrictEqual(rest);
  });

  test('null inside a configuration means the same as absent', async () => {
    const { ask } = await openRest();
    const withNulls = {
      provider_name: 'salesforce',
      schema_mappings_config: {
        common_objects: null,
        standard_objects: [{ object: null, field_mappings: [] }],
      },
      entity_mappings: [
        { entity_id: null, object: { type: 'standard', name: null }, field_mappings: [] },
      ],
      connection_sync_config: {
        destination_config: { type: 'postgres', schema: null },
        standard_objects: [{ object: 'A', table: null }],
        custom_objects: null,
      },
    };
    const answer = await upsert(ask, { connections: [withNulls] });
    expect(answer.status).toBe(200);
    expect(answer.body.connections[0]).toMatchObject({
      schema_mappings_config: { standard_objects: [{ field_mappings: [] }] },
      entity_mappings: [{ object: { type: 'standard' }, field_mappings: [] }],
      connection_sync_config: {
        destination_config: { type: 'postgres' },
        standard_objects: [{ object: 'A' }],
      },
    });
    expect(answer.text).not.toContain('null');
  });

  test.each(['5', 'March 7', '2027-02-30T00:00:00Z'])(
    'rejects the expiry %j',
    async (expires_at) => {
      const { ask } = await openRest();
      const credentials = { type: 'oauth2', access_token: 'an-access-token', expires_at };
      const answer = await upsert(ask, {
        connections: [{ provider_name: 'hubspot', credentials }],
      });
      expect(answer.status).toBe(422);
      expect(answer.body.errors[0].detail).toContain('RFC 3339');
    },
  );

  test.each([
    [{ type: 'token', value: 's3cret-value' }],
    [{ type: 'oauth2', access_token: 's3cret-value', refresh_token: 's3cret-too' }],
    [{ type: 'oauth2', access_token: 's3cret-value', expires_at: '2030-01-01T00:00:00Z' }],
  ])('accepts the credentials %j, connects, and never returns them', async (credentials) => {
    const { ask, fake } = await openRest();
    const answer = await upsert(ask, { connections: [{ provider_name: 'hubspot', credentials }] });
    expect(fake.tenant.table.get(CUSTOMER.customer_id)?.connections[0]?.status).toBe('connected');
    expect(
      answer.text + JSON.stringify(fake.requestLog.notes) + fake.requestLog.errors.join(),
    ).not.toMatch(/s3cret|credentials/);
  });
});

describe('versions', () => {
  test('every upsert returns the next ETag, and a read the latest', async () => {
    const { ask } = await openRest();
    expect((await upsert(ask, {})).headers.get('etag')).toBe('"1"');
    expect((await upsert(ask, {})).headers.get('etag')).toBe('"2"');
    const read = await ask('GET', `/customers/${encodeURIComponent(CUSTOMER.customer_id)}`);
    expect(read).toMatchObject({ status: 200, body: CUSTOMER });
    expect(read.headers.get('etag')).toBe('"2"');
  });

  test.each([
    ['if-match', '"1"', 200],
    ['if-match', '"2"', 409],
    ['if-match', '1', 400],
    ['if-match', '*', 400],
    ['if-match', '"1", "2"', 400],
    ['if-match', 'W/"1"', 400],
    ['if-match', '"99999999999999999999"', 400],
    ['if-none-match', '*', 409],
    ['if-none-match', '"1"', 400],
  ])('%s: %s answers %i to an upsert of version 1', async (header, value, status) => {
    const { ask } = await openRest();
    await upsert(ask, {});
    expect((await upsert(ask, {}, { [header]: value })).status).toBe(status);
  });

  test('if-none-match: * creates only a new customer', async () => {
    const { ask } = await openRest();
    expect((await upsert(ask, {}, { 'if-none-match': '*' })).status).toBe(200);
  });

  test('both conditions at once are rejected', async () => {
    const { ask } = await openRest();
    expect((await upsert(ask, {}, { 'if-match': '"1"', 'if-none-match': '*' })).status).toBe(400);
  });

  test.each([
    ['TAG', 304],
    ['W/TAG', 304],
    ['"0", TAG', 304],
    ['*', 304],
    ['"1"', 200],
    ['"2"', 200],
  ])('reading with if-none-match %s answers %i', async (tag, status) => {
    const { ask } = await openRest();
    const etag = (await ask('GET', '/customers/demo')).headers.get('etag') ?? '';
    const headers = { ...DEMO, 'if-none-match': tag.replace('TAG', etag) };
    const answer = await ask('GET', '/customers/demo', { headers });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('etag')).toBe(etag);
  });

  test('a customer is returned again after the state of a connection changed, and is updated by its version', async () => {
    const { ask, fake } = await openRest();
    const before = await ask('GET', '/customers/demo');
    const etag = before.headers.get('etag') ?? '';
    const demo = fake.tenant.table.get('demo');
    const connections = (demo?.connections ?? []).map((one) => ({
      ...one,
      status: 'reauthorize' as const,
    }));
    if (demo) fake.tenant.table.set('demo', { ...demo, connections });
    const after = await ask('GET', '/customers/demo', {
      headers: { ...DEMO, 'if-none-match': etag },
    });
    expect(after.status).toBe(200);
    const put = { customer_id: 'demo', name: 'D', email: 'd@example.com' };
    const changed = await ask('PUT', '/customers', {
      headers: { ...DEMO, 'if-match': etag },
      body: put,
    });
    expect(changed.status).toBe(200);
  });
});

test.each([
  ['/customers/nobody', 404],
  ['/customers/%00', 400],
  ['/customers/%ff', 400],
  ['/customers/%E0%A4%A', 400],
  ['/customers/', 404],
  ['/customers/demo/', 404],
])('GET %s answers %i', async (path, status) => {
  const { ask } = await openRest();
  expect((await ask('GET', path)).status).toBe(status);
});

function upsert(
  ask: TestRest['ask'],
  fields: object,
  headers: Readonly<Record<string, string>> = {},
) {
  return ask('PUT', '/customers', {
    headers: { ...DEMO, ...headers },
    body: { ...CUSTOMER, ...fields },
  });
}
