import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDestinations } from '../../src/sync/destinations.ts';
import { LOOPBACK_DESTINATIONS } from '../support/sync-hosts.ts';
import { openSyncWorld, SYNC_CONTACTS, type SyncWorld } from '../support/sync-world.ts';

let world: SyncWorld;
let customerId = '';
let served = 0;
let account: ReturnType<SyncWorld['createAccount']>;
beforeAll(async () => {
  world = await openSyncWorld();
});
afterAll(() => world.close());

beforeEach(async () => {
  served += 1;
  customerId = `customer-${served}`;
  await world.rows('drop schema crm cascade');
  await world.rows('create schema crm');
  await world.setDestination();
  account = world.createAccount('hubspot', PEOPLE);
  await world.stores.syncs.setConfiguration('hubspot', SYNC_CONTACTS);
  for (const { customerId: other } of await allCustomers())
    await world.stores.removals.removeCustomer(other, undefined, { deleteSyncedRows: false });
  await world.connect({ customerId, provider: 'hubspot', account });
});

const PEOPLE = [
  { email: 'ada@dest.example', firstName: 'Ada', lastName: 'Secretname' },
  { email: 'bob@dest.example', firstName: 'Bob' },
];
const allCustomers = () =>
  world.ourRows('select customer_id as "customerId" from crossbook.customers');
const names = async () =>
  (await world.rows('select first_name from crm.contacts where not is_deleted order by id')).map(
    ({ first_name }) => first_name,
  );
const run = async () => {
  world.pass(2 * 60 * 60_000);
  return (await world.runner.runDue()).map(({ result }) => result);
};
/** The sync fails with this, and is right after the next run. */
const expectFailure = async (code: string, words: string) => {
  const [result] = await run();
  expect(result).toMatchObject({
    kind: 'failed',
    error: { code, detail: expect.stringContaining(words) },
  });
  const [sync] = await world.syncsOf(customerId, 'hubspot');
  expect(sync).toMatchObject({ status: 'FAILED', error: { code } });
  expect(JSON.stringify(sync)).not.toMatch(/Secretname|unused|wrong-password/);
};

describe('a destination', () => {
  test('whose schema was dropped fails, and is filled again when it is back', async () => {
    await run();
    expect(await names()).toEqual(['Ada', 'Bob']);
    await world.rows('drop schema crm cascade');
    await expectFailure('DESTINATION_TABLE', 'The schema "crm" does not exist');
    await world.rows('create schema crm');
    expect((await run()).at(-1)?.kind).toBe('completed');
    expect(await names()).toEqual(['Ada', 'Bob']);
  });

  test('whose table was dropped is created and filled again', async () => {
    await run();
    await world.rows('drop table crm.contacts');
    const results = await run();
    expect(results.map(({ kind }) => kind)).toEqual(['completed', 'completed']);
    expect(await names()).toEqual(['Ada', 'Bob']);
  });

  test('whose table was dropped and created again by its owner is filled again at once', async () => {
    await run();
    await world.rows('create table crm.other (like crm.contacts including all)');
    await world.rows('drop table crm.contacts; alter table crm.other rename to contacts');
    account.updatePerson(account.recordId(1), { firstName: 'Augusta' });
    await run();
    expect(await names()).toEqual(['Augusta', 'Bob']);
  });

  test('whose table was created again while a full run was interrupted is filled from the start', async () => {
    const many = world.createAccount('hubspot', Array(1_500).fill({ firstName: 'One of many' }));
    const target = { customerId: 'many', provider: 'hubspot' } as const;
    await world.connect({ ...target, account: many });
    await world.runner.runDue({ isOver: () => true });
    await world.rows('create table crm.other (like crm.contacts including all)');
    await world.rows('drop table crm.contacts; alter table crm.other rename to contacts');
    await run();
    const counted = await world.rows(
      "select count(*)::int as count from crm.contacts where customer_id = 'many'",
    );
    expect(counted).toEqual([{ count: 1_500 }]);
  });

  test('whose table lacks a column gets it again, and is filled by the next full run', async () => {
    await run();
    await world.rows('alter table crm.contacts drop column first_name');
    account.updatePerson(account.recordId(1), { firstName: 'Augusta' });
    await run();
    expect(await names()).toEqual(['Augusta', null]);
    world.pass(24 * 60 * 60_000);
    await run();
    expect(await names()).toEqual(['Augusta', 'Bob']);
  });

  test('whose column takes no value any more fails without saying the value', async () => {
    await run();
    await world.rows('alter table crm.contacts alter column last_name type varchar(12)');
    account.updatePerson(account.recordId(1), { lastName: 'Secretname and more' });
    await expectFailure('DESTINATION_TABLE', 'A value does not fit a column');
    await world.rows('alter table crm.contacts alter column last_name type text');
    await run();
    expect(await names()).toEqual(['Ada', 'Bob']);
  });

  test('whose table is another one has words for it', async () => {
    await world.rows('create table crm.contacts (id int)');
    await expectFailure('DESTINATION_TABLE', 'is not a table of syncs');
    await world.rows('drop table crm.contacts');
    await run();
    expect(await names()).toEqual(['Ada', 'Bob']);
  });

  test('that is read-only fails, and is right afterwards', async () => {
    const [{ name }] = await world.rows('select current_database() as name');
    await world.rows(`alter database ${name} set default_transaction_read_only = on`);
    await endPools();
    await expectFailure('DESTINATION_READ_ONLY', 'read-only');
    await world.rows(`set default_transaction_read_only = off; alter database ${name} reset all`);
    await endPools();
    await run();
    expect(await names()).toEqual(['Ada', 'Bob']);
  });

  test('whose table is locked fails as slow, and is right afterwards', async () => {
    await run();
    const rival = new pg.Client({ connectionString: world.target.url });
    await rival.connect();
    await rival.query('begin; lock table crm.contacts in access exclusive mode');
    account.updatePerson(account.recordId(1), { firstName: 'Augusta' });
    await expectFailure('DESTINATION_SLOW', 'locked by another session');
    await rival.query('rollback');
    await rival.end();
    await run();
    expect(await names()).toEqual(['Augusta', 'Bob']);
  });

  test('that the operator no longer lists fails with the name of the setting', async () => {
    await world.setDestination({ host: 'db.example.com' });
    await expectFailure('DESTINATION_REFUSED', 'has to be in the setting CROSSBOOK_SYNC_HOSTS');
    await world.setDestination();
    await run();
    expect(await names()).toEqual(['Ada', 'Bob']);
  });

  test('that is Crossbook’s own database gets no table', async () => {
    await run();
    await world.rows('create schema crossbook');
    await world.rows('create table crossbook.migrations (); create table crossbook.job_leases ()');
    await endPools();
    await world.rows('drop table crm.contacts');
    await expectFailure('DESTINATION_REFUSED', 'This is the database of Crossbook itself');
    expect(await world.rows("select to_regclass('crm.contacts') as name")).toEqual([
      { name: null },
    ]);
    await world.rows('drop schema crossbook cascade');
    await run();
    expect(await names()).toEqual(['Ada', 'Bob']);
  });

  test('that cannot be reached fails, and is right when it can', async () => {
    await world.setDestination({ port: 1 });
    await expectFailure('DESTINATION_UNREACHABLE', '127.0.0.1:1 cannot be reached');
    await world.setDestination();
    await run();
    expect(await names()).toEqual(['Ada', 'Bob']);
  });

  test('that no run of a sync has ended at makes it late since its first attempt', async () => {
    const late = async () => (await world.database.syncQueue.count()).lagSeconds;
    await world.setDestination({ port: 1 });
    expect(await late()).toBe(0);
    for (let hours = 0; hours <= 8; hours += 2) {
      await expectFailure('DESTINATION_UNREACHABLE', 'cannot be reached');
      expect(await late()).toBeCloseTo(Math.max(0, hours * 3_600 - 900), -2);
    }
    await world.setDestination();
    await run();
    expect(await late()).toBe(0);
    expect(await world.database.syncQueue.count()).toMatchObject({ syncs: 1, failed: 0 });
  });

  test('whose user may not write has words for it', async () => {
    await world.rows('drop role if exists crossbook_reader_of_sync');
    await world.rows("create role crossbook_reader_of_sync login password 'wrong-password'");
    await world.rows('grant usage on schema crm to crossbook_reader_of_sync');
    await world.setDestination({ user: 'crossbook_reader_of_sync', password: 'wrong-password' });
    await expectFailure('DESTINATION_REFUSED', 'crossbook_reader_of_sync');
    await world.setDestination();
    await run();
    expect(await names()).toEqual(['Ada', 'Bob']);
    await world.rows('drop owned by crossbook_reader_of_sync');
    await world.rows('drop role crossbook_reader_of_sync');
  });

  async function endPools(): Promise<void> {
    await world.setDestination();
    await world.rows(
      'select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
  }
});

describe('a check of a destination', () => {
  const check = (patch: object) =>
    createDestinations({ clock: world.clock, hosts: LOOPBACK_DESTINATIONS }).check({
      ...world.destination,
      ...patch,
    });

  test('leaves nothing where it succeeds', async () => {
    await check({});
    const [{ count }] = await world.rows(
      "select count(*)::int from pg_class where relnamespace = 'crm'::regnamespace",
    );
    expect(count).toBe(0);
  });

  test.each([
    [{ schema: 'nowhere' }, 'The schema "nowhere" does not exist'],
    [{ database: 'no_such_database' }, 'There is no database "no_such_database"'],
    [{ user: 'no_such_user' }, 'refused the user or the password'],
    [{ port: 1 }, ':1 cannot be reached'],
  ])('with %j says: %s', async (patch, words) => {
    const error = await check(patch).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: 'SyncFailure',
      message: expect.stringContaining(words),
    });
    expect(String((error as Error).cause)).not.toContain('password');
  });
});
