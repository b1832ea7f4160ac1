import { describe, expect, test } from 'vitest';
import type { Connection, Credentials } from '../../src/domain/connection.ts';
import type { ConnectionUpsert, CustomerUpsert } from '../../src/domain/customer.ts';
import { describeEachServer } from '../support/databases.ts';

const ADA = { customerId: 'ada', name: 'Ada', email: 'ada@example.com' };
const OAUTH: Credentials = {
  type: 'oauth2',
  accessToken: 'secret-access',
  refreshToken: 'r',
  expiresAt: null,
};
const FULL = {
  providerName: 'salesforce',
  instanceUrl: 'https://acme.my.salesforce.com',
  schemaMappingsConfig: {
    commonObjects: [{ object: 'contact', fieldMappings: [{ schemaField: 'a', mappedField: 'b' }] }],
    standardObjects: [],
  },
  entityMappings: [{ entityId: null, object: { type: 'custom', name: 'X__c' }, fieldMappings: [] }],
  connectionSyncConfig: {
    destinationConfig: { type: 'postgres', schema: 'crm' },
    standardObjects: [{ object: 'Contact', table: null }],
    customObjects: null,
  },
} satisfies ConnectionUpsert;

describeEachServer('upsert', (on) => {
  const open = async () => on.database().forApplication((await on.createApplication()).id);

  test('says whether it created the customer, and counts versions from 1', async () => {
    const { customers } = await open();
    const first = await customers.upsert(ADA);
    const second = await customers.upsert({ ...ADA, name: 'Ada L.' });
    expect([first.created, first.customer.version, first.customer.name]).toEqual([true, 1, 'Ada']);
    expect([second.created, second.customer.version, second.customer.name]).toEqual([
      false,
      2,
      'Ada L.',
    ]);
  });

  test('returns every stored field', async () => {
    const { customers } = await open();
    const { customer } = await customers.upsert({
      ...ADA,
      connections: [FULL, { providerName: '6sense' }],
    });
    expect(customer.connections.map(({ providerName }) => providerName)).toEqual([
      '6sense',
      'salesforce',
    ]);
    expect(customer.connections[1]).toMatchObject({
      ...FULL,
      category: 'crm',
      status: 'unauthorized',
    });
    expect((await customers.findMany(['ada', 'nobody']))[1]).toBeUndefined();
    expect((await customers.findMany(['ada']))[0]).toEqual(customer);
  });

  test('keeps absent fields, clears null ones, and keeps connections that are not named', async () => {
    const { customers } = await open();
    const { customer: before } = await customers.upsert({
      ...ADA,
      connections: [FULL, { providerName: 'gong' }],
    });
    const { customer: same } = await customers.upsert({
      ...ADA,
      connections: [{ providerName: 'salesforce' }],
    });
    expect(same.connections).toEqual(before.connections);
    const cleared = { instanceUrl: null, schemaMappingsConfig: null, entityMappings: null };
    const { customer: after } = await customers.upsert({
      ...ADA,
      connections: [{ providerName: 'salesforce', ...cleared }],
    });
    expect(after.connections).toEqual([
      before.connections[0],
      { ...before.connections[1], ...cleared },
    ]);
    expect((await customers.upsert(ADA)).customer.connections).toEqual(after.connections);
    expect((await customers.findMany(['ada']))[0]?.connections).toEqual(after.connections);
  });

  test('a cleared JSON field is an SQL NULL, not a JSON null', async () => {
    const { customers } = await open();
    const { customer } = await customers.upsert({
      ...ADA,
      connections: [{ providerName: 'gong', entityMappings: null, connectionSyncConfig: null }],
    });
    const [row] = await on.rows<{ empty: boolean }>(
      'select entity_mappings is null and connection_sync_config is null as empty from crossbook.connections where id = $1',
      [customer.connections[0]?.id],
    );
    expect(row?.empty).toBe(true);
  });

  test('the status follows the credentials: set, unchanged, cleared, set again', async () => {
    const { customers, credentials } = await open();
    const put = async (link: Omit<ConnectionUpsert, 'providerName'>) => {
      const connections = [{ providerName: 'hubspot' as const, ...link }];
      const { customer } = await customers.upsert({ ...ADA, connections });
      const [connection] = customer.connections as [Connection];
      return { status: connection.status, stored: await credentials.read(connection.id) };
    };
    expect(await put({})).toEqual({ status: 'unauthorized', stored: undefined });
    expect(await put({ credentials: OAUTH })).toMatchObject({
      status: 'connected',
      stored: { credentials: OAUTH },
    });
    expect(await put({})).toMatchObject({ status: 'connected', stored: { credentials: OAUTH } });
    expect(await put({ credentials: null })).toEqual({ status: 'unauthorized', stored: undefined });
    const again = await put({ credentials: { type: 'token', value: 'v' } });
    expect(again).toMatchObject({
      status: 'connected',
      stored: { credentials: { type: 'token', value: 'v' } },
    });
    expect(again.stored?.generation).toBeGreaterThan(1);
  });

  describe('credentials that are given again', () => {
    const OTHER: Credentials = { ...OAUTH, accessToken: 'other' };

    /** The connection after its credentials were given and tried. */
    async function connect() {
      const stores = await open();
      const put = async (credentials: Credentials | null | undefined, customerId = 'ada') => {
        const link = { providerName: 'salesforce' as const, credentials };
        const { customer } = await stores.customers.upsert({
          ...ADA,
          customerId,
          connections: [link],
        });
        return customer.connections[0] as Connection;
      };
      const before = await put(OAUTH);
      await stores.credentials.markTried(before);
      return { ...stores, before, put };
    }

    test('leave the version and the status of the connection as they are', async () => {
      const { before, put } = await connect();
      for (let times = 0; times < 2; times++)
        expect(await put({ ...OAUTH })).toMatchObject({
          credentialsVersion: before.credentialsVersion,
          status: 'connected',
          statusReason: null,
        });
      expect(await put(OTHER)).toMatchObject({
        credentialsVersion: (before.credentialsVersion ?? 0) + 1,
        statusReason: 'not_tried',
      });
      expect(await put(OTHER)).toMatchObject({ statusReason: 'not_tried' });
    });

    test.each<[string, (stores: Awaited<ReturnType<typeof connect>>) => Promise<unknown>]>([
      ['others in between', ({ put }) => put(OTHER)],
      ['being cleared', ({ put }) => put(null)],
      [
        'being refused',
        ({ credentials, before }) => credentials.markRefused(before.id, 1, 'token_refused'),
      ],
      // As a process of an earlier version would, or a connect link.
      [
        'a write that knows no fingerprint',
        ({ before }) =>
          on.rows(
            'update crossbook.connections set credentials_version = credentials_version + 1 where id = $1 returning id',
            [before.id],
          ),
      ],
    ])('are new after %s', async (_title, change) => {
      const stores = await connect();
      await change(stores);
      const [changed] = await stores.connections.findMany([
        { customerId: 'ada', providerName: 'salesforce' },
      ]);
      expect(await stores.put(OAUTH)).toMatchObject({
        credentialsVersion: (changed?.credentialsVersion ?? 0) + 1,
        status: 'connected',
        statusReason: 'not_tried',
      });
      const stored = await stores.credentials.read(stores.before.id);
      expect(stored?.credentials).toEqual(OAUTH);
    });

    test('after a refresh replace what it has stored, as the same grant', async () => {
      const { credentials, before, put } = await connect();
      await credentials.refreshOnce(before.id, 1, async () => ({ credentials: OTHER }));
      expect(await put(OAUTH)).toMatchObject({ credentialsVersion: before.credentialsVersion });
      expect((await credentials.read(before.id))?.credentials).toEqual(OAUTH);
    });

    test('have another fingerprint at each connection, which does not contain them', async () => {
      const { put } = await connect();
      await put(OAUTH, 'bob');
      const rows = await on.rows<{ fingerprint: string }>(
        'select credentials_fingerprint as fingerprint from crossbook.connections where provider_name = $1',
        ['salesforce'],
      );
      const fingerprints = rows.flatMap(({ fingerprint }) => fingerprint ?? []);
      expect(fingerprints.length).toBeGreaterThan(1);
      expect(new Set(fingerprints).size).toBe(fingerprints.length);
      for (const one of fingerprints) expect(one).toMatch(/^\d+\.[\w-]{43}$/);
    });
  });

  test('a provider has a constant id for each application, and another id for another application', async () => {
    const link: Pick<CustomerUpsert, 'connections'> = {
      connections: [{ providerName: 'hubspot' }],
    };
    const { customers } = await open();
    const ids = [
      await customers.upsert({ ...ADA, ...link }),
      await customers.upsert({ ...ADA, customerId: 'bob', ...link }),
      await (await open()).customers.upsert({ ...ADA, ...link }),
    ].map(({ customer }) => customer.connections[0]);
    expect(ids[0]?.providerId).toBe(ids[1]?.providerId);
    expect(ids[0]?.id).not.toBe(ids[1]?.id);
    expect(ids[0]?.providerId).not.toBe(ids[2]?.providerId);
  });

  test('an unexpected version is a conflict that names both versions, and writes nothing', async () => {
    const { customers } = await open();
    const attempt = (expectedVersion: number) =>
      customers.upsert({
        ...ADA,
        name: 'x',
        expectedVersion,
        connections: [{ providerName: 'gong' }],
      });
    await expect(attempt(1)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/1.*not exist/),
    });
    await customers.upsert({ ...ADA, expectedVersion: 0 });
    await expect(attempt(0)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/0.*version 1/),
    });
    await expect(attempt(7)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/7.*version 1/),
    });
    for (const version of [2 ** 31, Number.MAX_SAFE_INTEGER])
      await expect(attempt(version)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await customers.findMany(['ada']))[0]).toMatchObject({
      ...ADA,
      version: 1,
      connections: [],
    });
    expect((await attempt(1)).customer).toMatchObject({ name: 'x', version: 2 });
  });

  test('a provider that is named twice is rejected, and nothing is written', async () => {
    const { customers } = await open();
    const connections: ConnectionUpsert[] = [{ providerName: 'gong' }, { providerName: 'gong' }];
    await expect(customers.upsert({ ...ADA, connections })).rejects.toMatchObject({
      code: 'UNPROCESSABLE_ENTITY',
    });
    expect(await customers.findMany(['ada'])).toEqual([undefined]);
  });

  test.each(['"', "'; drop table x; --", '{a,b}', 'NULL', '\\', '\u{1F600}', ' ', '$1', '%', 'ä'])(
    '%j is accepted as the name of a customer',
    async (customerId) => {
      const { customers, connections } = await open();
      const { customer } = await customers.upsert({
        ...ADA,
        customerId,
        connections: [{ providerName: 'gong' }],
      });
      expect(await customers.findMany(['other', customerId])).toEqual([undefined, customer]);
      const targets = [{ customerId, providerName: 'gong' as const }];
      expect(await connections.findMany(targets)).toEqual(customer.connections);
    },
  );

  test.each(['\0', 'a\ud800b'])(
    'a text that cannot be stored (%j) is rejected as invalid input',
    async (odd) => {
      const { customers, connections } = await open();
      const refused = { code: 'UNPROCESSABLE_ENTITY' };
      await expect(customers.upsert({ ...ADA, customerId: odd })).rejects.toMatchObject(refused);
      await expect(customers.upsert({ ...ADA, name: odd })).rejects.toMatchObject(refused);
      const entityMappings = [{ entityId: odd, object: null, fieldMappings: [] }];
      const link = { providerName: 'gong' as const, entityMappings };
      await expect(customers.upsert({ ...ADA, connections: [link] })).rejects.toMatchObject(
        refused,
      );
      expect(await customers.findMany([odd])).toEqual([undefined]);
      expect(await connections.findMany([{ customerId: odd, providerName: 'gong' }])).toEqual([
        undefined,
      ]);
    },
  );

  test('removing a customer deletes all its data, and a new customer of that id starts empty', async () => {
    const { customers, credentials, removals } = await open();
    const link = { providerName: 'hubspot' as const, credentials: OAUTH };
    const { customer } = await customers.upsert({ ...ADA, connections: [link] });
    expect(await removals.removeCustomer('ada', undefined)).toHaveLength(1);
    expect(await removals.removeCustomer('ada', undefined)).toBeUndefined();
    expect(await credentials.read(customer.connections[0]?.id ?? '')).toBeUndefined();
    expect(await customers.upsert(ADA)).toMatchObject({
      created: true,
      customer: { version: 1, connections: [] },
    });
  });
});
