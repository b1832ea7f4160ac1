import { describe, expect, expectTypeOf, test } from 'vitest';
import type { ConnectionUpsert } from '../../src/domain/customer.ts';
import type { ApplicationStores, Database } from '../../src/storage/database.ts';
import { describeEachServer } from '../support/databases.ts';

const ADA = { customerId: 'ada', name: 'Ada', email: 'ada@example.com' };
const HUBSPOT = [
  { providerName: 'hubspot', credentials: { type: 'token', value: 'mine' } },
] satisfies ConnectionUpsert[];

describeEachServer('tenancy', (on) => {
  const open = async () => on.database().forApplication((await on.createApplication()).id);
  const setUp = async () => {
    const [mine, theirs] = [await open(), await open()];
    const { customer } = await mine.customers.upsert({ ...ADA, connections: HUBSPOT });
    const connectionId = customer.connections[0]?.id ?? '';
    return { mine, theirs, connectionId };
  };

  test('customers and connections of another application are not found', async () => {
    const { theirs } = await setUp();
    expect(await theirs.customers.findMany(['ada'])).toEqual([undefined]);
    expect(
      await theirs.connections.findMany([{ customerId: 'ada', providerName: 'hubspot' }]),
    ).toEqual([undefined]);
    expect(await theirs.removals.removeCustomer('ada', undefined)).toBeUndefined();
    expect(await theirs.customers.raiseTokenGeneration('ada')).toBeUndefined();
  });

  test('the same customer id in two applications is two customers', async () => {
    const { mine, theirs } = await setUp();
    const { created, customer } = await theirs.customers.upsert({ ...ADA, name: 'Other Ada' });
    expect([created, customer.version, customer.connections]).toEqual([true, 1, []]);
    expect((await mine.customers.findMany(['ada']))[0]?.name).toBe('Ada');
  });

  test('another application cannot use the id of a connection', async () => {
    const { mine, theirs, connectionId } = await setUp();
    expect(await theirs.credentials.read(connectionId)).toBeUndefined();
    const refresh = () => Promise.reject(new Error('must not be called'));
    expect(await theirs.credentials.refreshOnce(connectionId, 1, refresh)).toBeUndefined();
    await theirs.credentials.markRefused(connectionId, 1, 'refresh_token_refused');
    const [connection] = await mine.connections.findMany([
      { customerId: 'ada', providerName: 'hubspot' },
    ]);
    expect(connection?.status).toBe('connected');
  });

  test('the cache neither stores nor reads entries for a connection of another application', async () => {
    const { mine, theirs, connectionId } = await setUp();
    const entry = { connectionId, filterKey: () => 'f', fetchedAt: new Date(Date.now() + 1_000) };
    await theirs.contactCache.write({ ...entry, weight: 1, payload: () => 'theirs' });
    expect(await mine.contactCache.read(connectionId, 'f')).toBeUndefined();
    await mine.contactCache.write({ ...entry, weight: 1, payload: () => 'mine' });
    expect(await theirs.contactCache.read(connectionId, 'f')).toBeUndefined();
    expect((await mine.contactCache.read(connectionId, 'f'))?.payload).toBe('mine');
  });

  test('the tables reject a connection, credentials or a cache entry under another application', async () => {
    const { connectionId } = await setUp();
    const { id } = await on.createApplication();
    const refused = /foreign key/;
    const link = `insert into crossbook.connections (id, application_id, customer_id, provider_name, provider_id, status)
      values (gen_random_uuid(), $1, 'ada', 'gong', gen_random_uuid(), 'connected')`;
    await expect(on.rows(link, [id])).rejects.toThrow(refused);
    const move = 'update crossbook.credentials set application_id = $1 where connection_id = $2';
    await expect(on.rows(move, [id, connectionId])).rejects.toThrow(refused);
    const answer = `insert into crossbook.contact_cache (application_id, key_hash, connection_id, sealed, bytes, fetched_at)
      values ($1, 'k', $2, 's', 1, now())`;
    await expect(on.rows(answer, [id, connectionId])).rejects.toThrow(refused);
  });
});

/** Checked by the compiler, which reads the tests too. */
describe('types', () => {
  test('a store cannot be created without an application', () => {
    expectTypeOf<keyof Database & keyof ApplicationStores>().toEqualTypeOf<never>();
    expectTypeOf<Parameters<Database['forApplication']>>().toEqualTypeOf<[applicationId: string]>();
  });

  test('no method of a store has an application parameter, by itself or in an argument', () => {
    expectTypeOf<Mentions<ApplicationStores[keyof ApplicationStores]>>().toEqualTypeOf<never>();
    // Proves that the check can fail.
    expectTypeOf<Mentions<{ find(of: { applicationId: string }): void }>>().toEqualTypeOf<'find'>();
  });
});

type Mentions<Store> = Store extends unknown
  ? {
      [Method in keyof Store]: TakesApplication<Store[Method]> extends true ? Method : never;
    }[keyof Store]
  : never;
type TakesApplication<Method> = Method extends (...given: infer Given) => unknown
  ? true extends {
      [Index in keyof Given]: 'applicationId' extends keyof Given[Index] ? true : false;
    }[number]
    ? true
    : false
  : false;
