import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSyncWorld, SYNC_CONTACTS, type SyncWorld } from '../support/sync-world.ts';

let world: SyncWorld;
beforeAll(async () => {
  world = await openSyncWorld();
  await world.setDestination();
});
afterAll(() => world.close());

const PEOPLE = [
  { email: 'ada@sync.example', firstName: 'Ada', lastName: 'Lovelace', phone: '+44 20 7946 0000' },
  { email: 'bob@sync.example', firstName: 'Bob', lastName: 'Noyce' },
  { email: 'eve@sync.example', firstName: 'Eve', lastName: 'O’Neil' },
];
const minutes = (count: number) => count * 60_000;

describe.each(['hubspot', 'salesforce'] as const)('contacts of %s', (provider) => {
  const customerId = `contacts-${provider}`;
  const rowsOf = () =>
    world.rows('select * from crm.contacts where customer_id = $1 order by id', [customerId]);

  test('a first run copies all, and the following ones what has changed', async () => {
    const account = world.createAccount(provider, PEOPLE);
    await world.stores.syncs.setConfiguration(provider, SYNC_CONTACTS);
    await world.connect({ customerId, provider, account });
    const first = await world.runner.runDue();
    // All records, and then the changes since its start.
    expect(first.map(({ table, result }) => [table, result.kind])).toEqual([
      ['contacts', 'completed'],
      ['contacts', 'completed'],
    ]);
    const owner = { applicationId: world.application.id, customerId };
    const counted = world.runner.calls.filter((call) => call.customerId === customerId);
    expect(counted).toEqual(account.calls().map(() => owner));
    const copied = await rowsOf();
    expect(copied.map(({ first_name, is_deleted }) => [first_name, is_deleted])).toEqual([
      ['Ada', false],
      ['Bob', false],
      ['Eve', false],
    ]);
    expect(copied[0]).toMatchObject({
      application_id: world.application.id,
      provider_name: provider,
      email_addresses: [{ email_address: 'ada@sync.example', email_address_type: 'primary' }],
      phone_numbers: [{ phone_number: '+44 20 7946 0000', phone_number_type: 'primary' }],
    });
    const [ada, bob, eve] = copied.map(({ id }) => id);
    account.updatePerson(ada, { firstName: 'Augusta' });
    account.removePerson(bob);
    account.mergePerson(eve, ada);
    const added = account.addPerson({ email: 'new@sync.example', firstName: 'New' });
    world.pass(minutes(20));
    const second = await world.runner.runDue();
    expect(new Set(second.map(({ result }) => result.kind))).toEqual(new Set(['completed']));
    const changed = await rowsOf();
    expect(changed.map(({ id, first_name, is_deleted }) => [id, first_name, is_deleted])).toEqual([
      [ada, 'Augusta', false],
      [bob, null, true],
      [eve, null, true],
      [added, 'New', false],
    ]);
    expect(changed[1]).toMatchObject({
      email_addresses: null,
      raw_data: null,
      custom_fields: null,
    });
    const [sync] = await world.syncsOf(customerId, provider);
    expect(sync).toMatchObject({
      status: 'IDLE',
      lastRun: { records: 2, deleted: 2, error: null },
    });
    expect(world.runner.errors).toEqual([]);
  });
});
