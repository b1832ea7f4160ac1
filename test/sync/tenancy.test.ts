import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmptyDatabase } from '../support/databases.ts';
import {
  openSyncWorld,
  SYNC_CONTACTS,
  type SyncWorld,
  toDestination,
} from '../support/sync-world.ts';

let world: SyncWorld;
let other: { readonly id: string };
beforeAll(async () => {
  world = await openSyncWorld();
  other = await world.database.admin.createApplication('Other');
  for (const { id } of [world.application, other]) {
    const { syncs } = world.database.forApplication(id);
    await syncs.setDestination(world.destination);
    await syncs.setConfiguration('hubspot', SYNC_CONTACTS);
    await syncs.setConfiguration('salesforce', SYNC_CONTACTS);
  }
});
afterAll(() => world.close());

const counts = async () =>
  Object.fromEntries(
    (
      await world.rows(
        'select application_id, customer_id, count(*)::int from crm.contacts where not is_deleted group by 1, 2',
      )
    ).map((row) => [
      `${row.application_id === other.id ? 'other' : 'own'} ${row.customer_id}`,
      row.count,
    ]),
  );

test('two applications share a table of one database, and neither touches the rows of the other', async () => {
  const one = world.createAccount('hubspot', [{ email: 'a@x.example' }, { email: 'b@x.example' }]);
  const two = world.createAccount('hubspot', [{ email: 'c@x.example' }]);
  await world.connect({ customerId: 'same', provider: 'hubspot', account: one });
  await world.connect({ customerId: 'same', provider: 'hubspot', account: two, of: other.id });
  await world.connect({ customerId: 'second', provider: 'hubspot', account: one });
  await world.runner.runDue();
  expect(await counts()).toEqual({ 'own same': 2, 'own second': 2, 'other same': 1 });
  // The ids of both portals are the same numbers.
  one.removePerson(one.recordId(1));
  world.pass(20 * 60_000);
  await world.runner.runDue();
  expect(await counts()).toEqual({ 'own same': 1, 'own second': 1, 'other same': 1 });
});

test('a deleted customer’s rows are deleted in all tables, and no others', async () => {
  await world.rows('create schema moved');
  await world.connect({
    customerId: 'second',
    provider: 'hubspot',
    account: world.createAccount('hubspot', [{ email: 'd@x.example' }]),
    config: {
      destinationConfig: { type: 'postgres', schema: 'moved' },
      standardObjects: null,
      customObjects: null,
    },
  });
  await world.runner.runDue();
  expect(await world.rows('select 1 from moved.contacts')).toHaveLength(1);
  await world.stores.removals.removeCustomer('second', undefined);
  // A process that is still writing loses its lease first.
  expect(await world.runner.removeDue()).toBe(0);
  world.pass(70_000);
  expect(await world.runner.removeDue()).toBe(1);
  expect(await world.rows('select 1 from moved.contacts')).toHaveLength(0);
  expect(await counts()).toEqual({ 'own same': 1, 'other same': 1 });
  const [event] = await world.stores.events.list({
    customerId: 'second',
    after: undefined,
    limit: 1,
  });
  expect(event).toMatchObject({ type: 'customer.rows_deleted', data: { rows: 3 } });
});

test('a customer that is created again waits for the deletion of the old rows, and is then synced', async () => {
  const account = world.createAccount('hubspot', [{ email: 'e@x.example' }]);
  await world.connect({ customerId: 'again', provider: 'hubspot', account });
  await world.runner.runDue();
  await world.stores.removals.removeCustomer('again', undefined);
  await world.connect({ customerId: 'again', provider: 'hubspot', account });
  expect(await world.runner.runDue()).toEqual([]);
  world.pass(70_000);
  expect(await world.runner.removeDue()).toBe(1);
  expect((await counts())['own again']).toBeUndefined();
  await world.runner.runDue();
  expect((await counts())['own again']).toBe(1);
});

test('rows stay where the deletion says so, and where a provider is disconnected', async () => {
  const account = world.createAccount('hubspot', [{ email: 'f@x.example' }]);
  for (const customerId of ['kept', 'disconnected'])
    await world.connect({ customerId, provider: 'hubspot', account });
  await world.runner.runDue();
  await world.stores.removals.removeCustomer('kept', undefined, { deleteSyncedRows: false });
  await world.stores.removals.removeConnection('disconnected', 'hubspot');
  world.pass(70_000);
  expect(await world.runner.removeDue()).toBe(0);
  expect(await counts()).toMatchObject({ 'own kept': 1, 'own disconnected': 1 });
  expect(await world.syncsOf('disconnected', 'hubspot')).toEqual([]);
});

test('a removal that fails is retried for 30 days, and then reported', async () => {
  const account = world.createAccount('hubspot', [{ email: 'g@x.example' }]);
  await world.connect({ customerId: 'stuck', provider: 'hubspot', account });
  await world.runner.runDue();
  await world.setDestination({ port: 1 });
  await world.stores.removals.removeCustomer('stuck', undefined);
  let attempts = 0;
  for (let hours = 0; hours < 31 * 24; hours += 6) {
    world.pass(6 * 60 * 60_000);
    attempts += await world.runner.removeDue();
  }
  expect(attempts).toBeGreaterThan(100);
  expect(await world.ourRows('select 1 from crossbook.row_removals')).toEqual([]);
  const [event] = await world.stores.events.list({
    customerId: 'stuck',
    after: undefined,
    limit: 1,
  });
  expect(event).toMatchObject({ type: 'customer.rows_not_deleted', data: { rows: 0 } });
  await world.setDestination();
});

test('a removal that fails postpones the others of its application, and waits for none that a process has', async () => {
  const account = world.createAccount('hubspot', [{ email: 'h@x.example' }]);
  const customers = ['stuck-1', 'stuck-2', 'stuck-3'];
  for (const customerId of customers)
    await world.connect({ customerId, provider: 'hubspot', account });
  await world.runner.runDue();
  await world.setDestination({ port: 1 });
  for (const customerId of customers)
    await world.stores.removals.removeCustomer(customerId, undefined);
  world.pass(70_000);
  const held = await world.database.rowRemovals.claim(randomUUID(), 60_000);
  expect(held?.customerId).toBe('stuck-1');
  expect(await world.runner.removeDue()).toBe(1);
  const rows = await world.ourRows(
    'select attempts from crossbook.row_removals order by customer_id',
  );
  expect(rows.map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
  await world.setDestination();
  await world.ourRows('update crossbook.row_removals set leased_until = null');
  world.pass(70_000);
  expect(await world.runner.removeDue()).toBe(3);
  expect(await world.ourRows('select 1 from crossbook.row_removals')).toEqual([]);
});

test('a customer that was created after a move of the destination has no rows at the old one', async () => {
  const account = world.createAccount('hubspot', [{ email: 'i@x.example' }]);
  const moved = await createEmptyDatabase();
  const warehouse = new pg.Client({ connectionString: moved.url });
  await warehouse.connect();
  await warehouse.query('create schema crm');
  await world.setDestination(toDestination(moved.url));
  await world.connect({ customerId: 'later', provider: 'hubspot', account });
  await world.runner.runDue();
  await world.stores.removals.removeCustomer('later', undefined);
  world.pass(70_000);
  expect(await world.runner.removeDue()).toBe(1);
  const [event] = await world.stores.events.list({
    customerId: 'later',
    after: undefined,
    limit: 1,
  });
  expect(event).toMatchObject({ type: 'customer.rows_deleted', data: { rows: 1 } });
  expect(
    await world.ourRows("select 1 from crossbook.customer_sync_tables where customer_id = 'later'"),
  ).toEqual([]);
  await world.setDestination();
  await world.runner.destinations.close();
  await warehouse.end();
  await moved.drop();
});
