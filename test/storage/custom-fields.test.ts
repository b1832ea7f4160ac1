import { expect, test } from 'vitest';
import { type CustomField, NO_CUSTOM_FIELDS } from '../../src/domain/custom-fields.ts';
import { RECORD_TYPES } from '../../src/domain/records/record-type.ts';

import { systemClock } from '../../src/lib/clock.ts';
import { createDatabase } from '../../src/storage/database.ts';
import { openEngine } from '../../src/storage/engine/open.ts';
import { createTestDatabase, describeEachServer, TEST_RING } from '../support/databases.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';

const FIELD: CustomField = {
  name: 'color',
  type: 'TEXT',
  description: null,
  sources: [{ provider: 'hubspot', field: 'favorite_color' }],
  customersMayMap: true,
};
const MISSING = { record: 'CONTACT', field: 'color', source: 'x', problem: 'MISSING' } as const;
const DAY_MS = 24 * 60 * 60_000;

describeEachServer('custom fields', (on) => {
  const open = async () => {
    const { id } = await on.createApplication();
    const stores = on.database().forApplication(id);
    const { customer } = await stores.customers.upsert({
      customerId: 'ada',
      name: 'Ada',
      email: 'ada@example.com',
      connections: [{ providerName: 'hubspot', credentials: { type: 'token', value: 't' } }],
    });
    const [connection] = customer.connections;
    if (!connection) throw new Error('There is no connection.');
    return { ...stores, connection };
  };
  const HUBSPOT = { customerId: 'ada', providerName: 'hubspot' } as const;

  test.each(RECORD_TYPES)(
    'of a %s are stored with a version, each application’s and each type’s by itself',
    async (record) => {
      const [one, other] = [await open(), await open()];
      const none = { record, definitions: [], typedSchema: false };
      const some = { record, definitions: [FIELD], typedSchema: true };
      const replace = one.customFields.replace;
      expect(await one.customFields.read()).toEqual(NO_CUSTOM_FIELDS);
      await expect(replace(some, 1)).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(await replace(some, 0)).toEqual({ version: 1, ...some });
      expect(await one.customFields.read()).toEqual({
        ...NO_CUSTOM_FIELDS,
        [record]: { version: 1, ...some },
      });
      await expect(replace(none, 0)).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(await replace(none, 1)).toEqual({ version: 2, ...none });
      expect(await replace(some, undefined)).toEqual({ version: 3, ...some });
      expect(await replace(none, undefined)).toEqual({ version: 4, ...none });
      await expect(replace(none, 2 ** 40)).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(await other.customFields.read()).toEqual(NO_CUSTOM_FIELDS);
      for (const another of RECORD_TYPES.filter((type) => type !== record))
        expect(await replace({ ...some, record: another }, 0)).toMatchObject({ version: 1 });
      expect((await one.customFields.read())[record]).toEqual({ version: 4, ...none });
    },
  );

  test.each(RECORD_TYPES)(
    'of a %s are mapped by a connection, whose cached records are dropped, and an upsert keeps the mapping',
    async (record) => {
      const [one, other] = [await open(), await open()];
      const given = [{ field: 'color', source: 'x' }];
      const mappings = [{ record, field: 'color', source: 'x' }];
      const set = (list: typeof given, type = record) =>
        one.customFields.setMappings(HUBSPOT, type, list);
      await one.contactCache.write({
        connectionId: one.connection.id,
        weight: 1,
        fetchedAt: new Date(),
        isUrgent: true,
        filterKey: () => 'k',
        payload: () => '{}',
      });
      expect(await one.contactCache.read(one.connection.id, 'k')).toBeDefined();
      expect(await set(given)).toBe(true);
      expect(await one.contactCache.read(one.connection.id, 'k')).toBeUndefined();
      const read = async (stores: typeof one) =>
        (await stores.connections.findMany([HUBSPOT]))[0]?.customFieldMappings;
      expect([await read(one), await read(other)]).toEqual([mappings, null]);
      const { customer } = await one.customers.upsert({
        customerId: 'ada',
        name: 'Ada',
        email: 'ada@example.com',
        connections: [{ providerName: 'hubspot', schemaMappingsConfig: null }],
      });
      expect(customer.connections[0]?.customFieldMappings).toEqual(mappings);
      expect((await one.customers.findMany(['ada']))[0]?.connections[0]).toMatchObject({
        customFieldMappings: mappings,
      });
      const plain = await one.customers.findMany(['ada'], { withConfigurations: false });
      expect(plain[0]?.connections[0]?.customFieldMappings).toBeNull();
      // Those of another type of record are changed by themselves.
      for (const another of RECORD_TYPES.filter((type) => type !== record)) {
        await set([{ field: 'color', source: 'y' }], another);
        expect(await read(one)).toEqual(expect.arrayContaining(mappings));
        await set([], another);
      }
      expect(await read(one)).toEqual(mappings);
      expect(await set([])).toBe(true);
      expect(await read(one)).toBeNull();
      for (const customerId of ['nobody', '\0'])
        expect(await one.customFields.setMappings({ ...HUBSPOT, customerId }, record, [])).toBe(
          false,
        );
    },
  );

  test('have problems, which another application can neither read nor write', async () => {
    const [one, other] = [await open(), await open()];
    expect(await one.customFields.noteProblems(one.connection, [MISSING])).toMatchObject([MISSING]);
    expect(await other.customFields.noteProblems(one.connection, [MISSING])).toEqual([]);
    expect(await one.customFields.listProblems(one.connection.id)).toMatchObject([MISSING]);
    expect(await other.customFields.listProblems(one.connection.id)).toEqual([]);
    // The same problem of another type of record, or of no type, is another one.
    const same = [...RECORD_TYPES, null].map((record) => ({ ...MISSING, record }));
    await one.customFields.noteProblems(one.connection, same);
    const listed = await one.customFields.listProblems(one.connection.id);
    expect(new Set(listed.map(({ record }) => record))).toEqual(new Set([...RECORD_TYPES, null]));
    await one.customFields.endProblems(
      one.connection.id,
      listed.filter(({ record }) => record !== 'CONTACT'),
    );
    expect(await one.customFields.listProblems(one.connection.id)).toMatchObject([MISSING]);
    await one.removals.removeConnection('ada', 'hubspot');
    expect(await one.customFields.listProblems(one.connection.id)).toEqual([]);
  });
});

test('a problem has one event a day, keeps its first time, and is gone two days after it was last seen', async () => {
  const fresh = await createTestDatabase();
  const engine = await openEngine(fresh, PATIENT_DATABASE);
  let passed = 0;
  const clock = { ...systemClock, wall: () => systemClock.wall() + passed };
  const database = createDatabase(engine, { keyRing: TEST_RING, clock });
  try {
    const { id } = await database.admin.createApplication('Acme');
    const { customers, customFields, events } = database.forApplication(id);
    const { customer } = await customers.upsert({
      customerId: 'ada',
      name: 'Ada',
      email: 'ada@example.com',
      connections: [{ providerName: 'hubspot', credentials: { type: 'token', value: 't' } }],
    });
    const [connection] = customer.connections;
    if (!connection) throw new Error('There is no connection.');
    const note = async () => (await customFields.noteProblems(connection, [MISSING]))[0]?.since;
    const count = async () =>
      (await events.list({ customerId: 'ada', after: undefined, limit: 100 })).filter(
        ({ type }) => type === 'connection.mapping_problem',
      ).length;
    const since = await note();
    await Promise.all([note(), note()]);
    expect(await count()).toBe(1);
    passed += DAY_MS / 2;
    expect([await note(), await count()]).toEqual([since, 1]);
    passed += DAY_MS / 2 + 1;
    expect([await note(), await count()]).toEqual([since, 2]);
    const end = async () =>
      customFields.endProblems(connection.id, await customFields.listProblems(connection.id));
    const [listed] = await customFields.listProblems(connection.id);
    passed += 1;
    await note();
    // It was seen again since it was listed.
    await customFields.endProblems(connection.id, listed ? [listed] : []);
    expect(await customFields.listProblems(connection.id)).toHaveLength(1);
    await end();
    expect(await customFields.listProblems(connection.id)).toEqual([]);
    passed += 1;
    const again = await note();
    expect(again?.getTime()).toBeGreaterThan(since?.getTime() ?? Number.POSITIVE_INFINITY);
    expect(await count()).toBe(2);
    passed += 2 * DAY_MS + 1;
    expect(await customFields.listProblems(connection.id)).toEqual([]);
    expect(await note()).not.toEqual(since);
    expect(await count()).toBe(3);
  } finally {
    await engine.close();
    await fresh.drop();
  }
});
