import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../support/open-app.ts';
import { openSyncWorld, SYNC_NOTHING, type SyncWorld } from '../support/sync-world.ts';

let world: SyncWorld;
beforeAll(async () => {
  world = await openSyncWorld();
  await world.setDestination();
  await world.stores.webhooks.create({
    url: 'https://hooks.example/x',
    eventTypes: ['companies.changed', 'deals.changed'],
  });
});
afterAll(() => world.close());

const minutes = (count: number) => count * 60_000;

const SYNCED = [
  ['hubspot', 'company', 'companies'],
  ['salesforce', 'company', 'companies'],
  ['hubspot', 'deal', 'deals'],
  ['salesforce', 'deal', 'deals'],
] as const;

describe.each(SYNCED)('the common shape in %s: every %s', (provider, kind, table) => {
  const customerId = `${table}-${provider}`;
  const rowsOf = () =>
    world.rows(`select * from crm.${table} where customer_id = $1 order by id collate "C"`, [
      customerId,
    ]);

  test('is copied by a first run, and by the following ones what was edited, added, deleted and merged', async () => {
    const account = world.createAccount(provider, [{ email: 'ada@sync.example' }]);
    const [one = '', two = '', three = '', four = ''] = ['One', 'Two', 'Three', 'Four'].map(
      (name) => account.addRecord(kind, { name }),
    );
    await world.stores.syncs.setConfiguration(provider, { ...SYNC_NOTHING, [table]: true });
    await world.connect({ customerId, provider, account });
    const first = (await world.runner.runDue()).filter((ran) => ran.customerId === customerId);
    expect(first.map(({ table, result }) => [table, result.kind])).toEqual([
      [table, 'completed'],
      [table, 'completed'],
    ]);
    const copied = new Map((await rowsOf()).map((row) => [row.id, row]));
    expect(copied.size).toBe(account.records.all(kind).length);
    expect([one, two, three, four].map((id) => copied.get(id)?.name)).toEqual([
      'One',
      'Two',
      'Three',
      'Four',
    ]);
    expect(copied.get(one)).toMatchObject({
      application_id: world.application.id,
      provider_name: provider,
      is_deleted: false,
      created_at: expect.any(Date),
      last_modified_at: expect.any(Date),
      raw_data: expect.objectContaining({}),
    });
    account.updateRecord(kind, one, { name: 'Edited' });
    account.removeRecord(kind, two);
    account.mergeRecord(kind, three, four);
    const added = account.addRecord(kind, { name: 'Added' });
    world.pass(minutes(20));
    const second = await world.runner.runDue();
    expect(second.every(({ result }) => result.kind === 'completed')).toBe(true);
    const changed = new Map((await rowsOf()).map((row) => [row.id, row]));
    const seen = [one, two, three, four, added].map((id) => changed.get(id));
    expect(seen.map((row) => [row?.name, row?.is_deleted])).toEqual([
      ['Edited', false],
      [null, true],
      [null, true],
      ['Four', false],
      ['Added', false],
    ]);
    expect(changed.get(two)).toMatchObject({ raw_data: null, last_modified_at: null });
    const events = await world.stores.events.list({ customerId, after: undefined, limit: 50 });
    const told = events.filter(({ type }) => type === `${table}.changed`) as Json[];
    expect(new Set(told.flatMap(({ data }) => data.deleted_ids))).toEqual(new Set([two, three]));
    expect(told.flatMap(({ data }) => data.changed_ids)).toEqual(
      expect.arrayContaining([one, added]),
    );
    expect(world.runner.errors).toEqual([]);
  });

  test('is compared by key a day later', async () => {
    const [gone, edited] = (await rowsOf()).filter(({ is_deleted }) => !is_deleted);
    await world.rows(`delete from crm.${table} where customer_id = $1 and id = $2`, [
      customerId,
      gone.id,
    ]);
    await world.rows(`update crm.${table} set name = $3 where customer_id = $1 and id = $2`, [
      customerId,
      edited.id,
      'Changed by its owner',
    ]);
    world.pass(25 * 60 * minutes(1));
    await world.runner.runDue();
    const rows = new Map((await rowsOf()).map((row) => [row.id, row]));
    expect(rows.get(gone.id)?.name).toBe(gone.name);
    expect(rows.get(edited.id)?.name).toBe(edited.name);
  });
});
