import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Crm,
  type CrmAccount,
  openSyncWorld,
  SYNC_NOTHING,
  type SyncWorld,
} from '../support/sync-world.ts';

let world: SyncWorld;
beforeAll(async () => {
  world = await openSyncWorld();
  await world.setDestination();
});
afterAll(() => world.close());

const minutes = (count: number) => count * 60_000;
const PEOPLE = [{ email: 'ada@objects.example', companyIndex: 3, dealIndexes: [1, 2] }];

const OBJECTS = [
  ['hubspot', 'company', 'companies', 'STANDARD'],
  ['hubspot', 'deal', '0-3', 'STANDARD'],
  ['hubspot', 'subscription', '2-1001', 'CUSTOM'],
  ['hubspot', 'machine', 'machines', 'CUSTOM'],
  ['salesforce', 'company', 'Account', 'STANDARD'],
  ['salesforce', 'deal', 'Opportunity', 'STANDARD'],
  ['salesforce', 'subscription', 'Subscription__c', 'CUSTOM'],
  ['salesforce', 'machine', 'Machine__c', 'CUSTOM'],
] as const;

/** Another customer for each object, because a change of the configuration is one of all connections. */
async function sync(provider: Crm, object: string, account: CrmAccount, customerId: string) {
  const isCustom = /^2-|^machines$|__c$/.test(object);
  const listed = [{ object, table: null }];
  await world.stores.syncs.setConfiguration(provider, {
    ...SYNC_NOTHING,
    standardObjects: isCustom ? [] : listed,
    customObjects: isCustom ? listed : [],
  });
  await world.connect({ customerId, provider, account });
  await world.runner.runDue();
}

describe.each(OBJECTS)('%s, %s as %s', (provider, kind, object, syncKind) => {
  const customerId = `${provider}-${kind}`;
  const rowsOf = () =>
    world.rows(
      `select * from crm."${provider}_${object.toLowerCase()}" where customer_id = $1 order by id collate "C"`,
      [customerId],
    );
  // biome-ignore lint/suspicious/noExplicitAny: the data of any object.
  const nameOf = (data: any) => data && (data.dealname ?? data.name ?? data.Name);

  test('is copied in full, and then edits, additions, deletions and merges', async () => {
    const account = world.createAccount(provider, PEOPLE);
    const given = ['One', 'Two', 'Three', 'Four', 'Five'].map((name) =>
      account.addRecord(kind, { name }),
    );
    const [one = '', two = '', three = '', four = '', five = ''] = given;
    await sync(provider, object, account, customerId);
    const first = await rowsOf();
    expect(first.length).toBe(account.records.all(kind).length);
    expect(first.every(({ is_deleted }) => !is_deleted)).toBe(true);
    const named = new Map(first.map(({ id, data }) => [id, nameOf(data)]));
    expect(given.map((id) => named.get(id))).toEqual(['One', 'Two', 'Three', 'Four', 'Five']);
    const [row] = first.filter(({ id }) => id === one);
    expect(row).toMatchObject({
      application_id: world.application.id,
      provider_name: provider,
      last_modified_at: new Date(Math.floor(row.last_modified_at.getTime())),
    });
    expect(
      Math.abs(row.last_modified_at - (account.records.all(kind).at(-1)?.updatedAt ?? 0)),
    ).toBeLessThan(60_000);

    world.pass(minutes(16));
    account.updateRecord(kind, one, { name: 'Edited' });
    account.removeRecord(kind, two);
    account.mergeRecord(kind, three, four);
    const added = account.addRecord(kind, { name: 'Added' });
    world.pass(minutes(16));
    const outcomes = await world.runner.runDue();
    expect(
      outcomes.filter(({ result }) => result.kind !== 'completed' || result.position.isFull),
    ).toEqual([]);
    const second = new Map((await rowsOf()).map((row) => [row.id, row]));
    expect([one, two, three, four, five, added].map((id) => nameOf(second.get(id)?.data))).toEqual([
      'Edited',
      null,
      null,
      'Four',
      'Five',
      'Added',
    ]);
    expect([two, three].map((id) => second.get(id))).toMatchObject([
      { is_deleted: true, last_modified_at: null },
      { is_deleted: true, last_modified_at: null },
    ]);
    // What nobody has changed was not written.
    expect(second.get(five)?.synced_at).toEqual(first.find(({ id }) => id === five)?.synced_at);
    const [shown] = await world.syncsOf(customerId, provider);
    expect(shown).toMatchObject({ kind: syncKind, object, status: 'IDLE', error: null });
    expect(world.runner.errors).toEqual([]);
  });
});

describe.each(['hubspot', 'salesforce'] as const)('objects of %s', (provider) => {
  test('more than a page, with equal times, are each copied once', async () => {
    const customerId = `pages-${provider}`;
    const account = world.createAccount(provider, []);
    for (let count = 0; count < 2_300; count += 1)
      account.addRecord('machine', { name: `Machine ${count}` });
    const object = provider === 'hubspot' ? 'machines' : 'Machine__c';
    await sync(provider, object, account, customerId);
    const rowsOf = () =>
      world.rows(
        `select id, data, is_deleted from crm."${provider}_${object.toLowerCase()}" where customer_id = $1`,
        [customerId],
      );
    expect((await rowsOf()).length).toBe(2_312);
    world.pass(minutes(16));
    account.changeRecords('machine', { seed: 5, count: 1_200, isTied: true });
    world.pass(minutes(16));
    await world.runner.runDue();
    const rows = new Map((await rowsOf()).map((row) => [row.id, row]));
    for (const { index, isDeleted, values } of account.records.all('machine')) {
      const id = account.idOfRecord('machine', index);
      const row = rows.get(id);
      if (isDeleted) expect([id, row?.is_deleted ?? true]).toEqual([id, true]);
      else
        expect([id, row?.is_deleted, row?.data.name ?? row?.data.Name]).toEqual([
          id,
          false,
          values['name'] ?? expect.any(String),
        ]);
    }
  });

  test('one that the CRM does not have fails in words, and the others are copied', async () => {
    const customerId = `unknown-${provider}`;
    const account = world.createAccount(provider, PEOPLE);
    await world.stores.syncs.setConfiguration(provider, {
      ...SYNC_NOTHING,
      contacts: true,
      standardObjects: [{ object: 'widgets', table: null }],
      customObjects: [{ object: provider === 'hubspot' ? 'p1_widgets' : 'Widget__c', table: null }],
    });
    await world.connect({ customerId, provider, account });
    await world.runner.runDue();
    const syncs = await world.syncsOf(customerId, provider);
    expect(syncs.map(({ object, status, error }) => [object, status, error?.code])).toEqual([
      ['contacts', 'IDLE', undefined],
      ['widgets', 'FAILED', 'OBJECT_UNKNOWN'],
      [provider === 'hubspot' ? 'p1_widgets' : 'Widget__c', 'FAILED', 'OBJECT_UNKNOWN'],
    ]);
    expect(syncs[1]?.error?.detail).toContain('The CRM has no object "widgets"');
  });
});

test('a custom object without its scope is refused in words', async () => {
  const account = world.createAccount('hubspot', PEOPLE);
  account.setQuirks({ grantedScopes: ['oauth', 'crm.objects.contacts.read'] } as never);
  await sync('hubspot', 'machines', account, 'scope');
  const [shown] = await world.syncsOf('scope', 'hubspot');
  expect(shown).toMatchObject({ status: 'FAILED', error: { code: 'PROVIDER_REFUSED' } });
  expect(shown?.error?.detail).toContain('required scopes');
});
