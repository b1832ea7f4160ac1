import { longTexts } from '@crossbook/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Crm,
  type CrmAccount,
  openSyncWorld,
  SYNC_CONTACTS,
  SYNC_NOTHING,
  type SyncWorld,
} from '../support/sync-world.ts';

let world: SyncWorld;
beforeAll(async () => {
  world = await openSyncWorld();
  await world.setDestination();
});
afterAll(() => world.close());

/** A record of twenty megabytes, one of 800 fields, and small ones around them. */
const HUGE = { ...longTexts({ fields: 160, length: 130_000 }), note: 'Small' };
const WIDE = longTexts({ fields: 800, length: 250 });
const LONG = longTexts({ fields: 2, length: 130_000 });

const FIELD: Readonly<Record<Crm, (name: string) => string>> = {
  hubspot: (name) => name,
  salesforce: (name) => `${name.replace(/^./, (letter) => letter.toUpperCase())}__c`,
};

describe.each(['hubspot', 'salesforce'] as const)('%s', (provider) => {
  const table = provider === 'hubspot' ? 'hubspot_machines' : 'salesforce_machine__c';
  const object = provider === 'hubspot' ? 'machines' : 'Machine__c';
  const customerId = `objects-${provider}`;
  const rowsOf = async (account: CrmAccount, ids: readonly string[]) => {
    const rows = await world.rows(
      `select id, data, omitted_fields from crm."${table}" where customer_id = $1 and not is_deleted`,
      [customerId],
    );
    expect(rows).toHaveLength(account.records.all('machine').length);
    return ids.map((id) => rows.find((row) => row.id === id));
  };

  test('a record of 20 MB is copied without its longest fields, and all others whole', async () => {
    const account = world.createAccount(provider, []);
    const add = (name: string, values: Readonly<Record<string, string>> = {}) =>
      account.addRecord('machine', { name, ...values });
    const ids = [
      add('First'),
      ...Array.from({ length: 40 }, (_, n) => add(`Long ${n}`, LONG)),
      add('Huge', HUGE),
      add('Wide', WIDE),
      add('Last'),
    ];
    await world.stores.syncs.setConfiguration(provider, {
      ...SYNC_NOTHING,
      customObjects: [{ object, table: null }],
    });
    await world.connect({ customerId, provider, account });
    await world.runner.runDue();
    expect(world.runner.errors.splice(0)).toEqual([]);
    const [first, long, huge, wide, last] = await rowsOf(account, [
      ids[0] ?? '',
      ids[30] ?? '',
      ids[41] ?? '',
      ids[42] ?? '',
      ids[43] ?? '',
    ]);
    const field = FIELD[provider];
    const name = provider === 'hubspot' ? 'name' : 'Name';
    expect([first, last].map((row) => [row?.data[name], row?.omitted_fields])).toEqual([
      ['First', null],
      ['Last', null],
    ]);
    expect([long?.data[field('text_2')].length, long?.omitted_fields]).toEqual([130_000, null]);
    expect([wide?.data[field('text_800')].length, wide?.omitted_fields]).toEqual([250, null]);
    expect([huge?.data[name], huge?.data[field('note')]]).toEqual(['Huge', 'Small']);
    const texts = Object.keys(HUGE)
      .filter((one) => one !== 'note')
      .map(field);
    const copied = texts.filter((one) => one in huge.data && huge.data[one] !== null);
    expect([...copied, ...huge.omitted_fields].sort()).toEqual(texts.sort());
    expect(copied.length).toBeGreaterThan(20);
    const [sync] = await world.syncsOf(customerId, provider);
    expect(sync).toMatchObject({
      status: 'IDLE',
      incompleteRecords: {
        count: 1,
        examples: [{ id: ids[41], omittedFields: huge.omitted_fields.length }],
      },
    });
  });

  test('contacts with long texts are copied, and raw data leaves out the longest of one', async () => {
    const text = (length: number) => 'Long text. '.repeat(length / 10).slice(0, length);
    const people = Array.from({ length: 121 }, (_, n) => ({
      email: `${n}@large.example`,
      firstName: text(n === 60 ? 700_000 : 65_000),
      lastName: text(n === 60 ? 600_000 : 65_000),
    }));
    const account = world.createAccount(provider, people);
    await world.stores.syncs.setConfiguration(provider, SYNC_CONTACTS);
    const customer = `contacts-${provider}`;
    await world.connect({ customerId: customer, provider, account });
    await world.runner.runDue();
    expect(world.runner.errors.splice(0)).toEqual([]);
    const rows = await world.rows(
      'select id, first_name, raw_data, omitted_fields from crm.contacts where customer_id = $1',
      [customer],
    );
    expect(rows).toHaveLength(121);
    const [large, ...others] = rows.filter((row) => row.omitted_fields !== null);
    expect([others, large?.first_name.length]).toEqual([[], 700_000]);
    const longest = provider === 'hubspot' ? 'firstname' : 'FirstName';
    expect(large?.omitted_fields).toEqual([longest]);
    expect(large?.raw_data.properties ?? large?.raw_data).not.toHaveProperty(longest);
    const findSync = async () =>
      (await world.syncsOf(customer, provider)).find(({ kind }) => kind === 'CONTACTS');
    expect((await findSync())?.incompleteRecords).toEqual({
      count: 1,
      examples: [{ id: large?.id, omittedFields: 1, fields: [longest] }],
    });

    world.pass(16 * 60_000);
    account.updatePerson(large?.id, { firstName: 'Short' });
    world.pass(16 * 60_000);
    await world.runner.runDue();
    const [edited] = await world.rows(
      'select first_name, omitted_fields from crm.contacts where customer_id = $1 and id = $2',
      [customer, large?.id],
    );
    expect(edited).toEqual({ first_name: 'Short', omitted_fields: null });
    expect((await findSync())?.incompleteRecords).toEqual({ count: 0, examples: [] });
  });
});
