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
const SYNC_ALL = { ...SYNC_NOTHING, contacts: true, companies: true, deals: true, edges: true };
const EDGES = [
  ['contact_companies', 'contact', 'company'],
  ['deal_contacts', 'deal', 'contact'],
  ['deal_companies', 'deal', 'company'],
] as const;
const PEOPLE = [
  { email: 'ada@edges.example', companyIndex: 3, otherCompanyIndexes: [1, 2], dealIndexes: [1, 2] },
  { email: 'bob@edges.example', companyIndex: 3, dealIndexes: [2] },
  { email: 'eve@edges.example' },
];

let served = 0;
async function connect(provider: Crm, configuration = SYNC_ALL) {
  served += 1;
  const customerId = `edges-${served}`;
  const account = world.createAccount(provider, PEOPLE);
  if (provider === 'salesforce') account.setQuirks({ contactsToMultipleAccounts: true } as never);
  await world.stores.syncs.setConfiguration(provider, configuration);
  await world.connect({ customerId, provider, account });
  await world.runner.runDue();
  return { provider, customerId, account };
}

type Connected = Awaited<ReturnType<typeof connect>>;

/** The rows of a table, as both ids and whether the edge is the primary one. */
async function edgesOf(table: string, customerId: string) {
  const [, from, to] = EDGES.find(([name]) => name === table) ?? [];
  const rows = await world.rows(
    `select ${from}_id as from, ${to}_id as to, is_primary from crm.${table} where customer_id = $1`,
    [customerId],
  );
  return rows.map((row) => `${row.from} ${row.to} ${row.is_primary}`).sort();
}

/** What the CRM has. In Salesforce, one contact of each deal is primary: in the simulation the first. */
function linksOf(provider: Crm, account: CrmAccount, from: 'contact' | 'deal', to: LinkedKind) {
  const all = from === 'contact' ? account.people.all() : account.records.all(from);
  const idOf = (kind: LinkedKind, index: number) =>
    kind === 'contact' ? account.recordId(index) : account.idOfRecord(kind, index);
  const isPrimary = (link: { readonly isPrimary: boolean }, place: number) =>
    provider === 'salesforce' && to === 'contact' ? place === 0 : link.isPrimary;
  return all
    .flatMap(({ index }) =>
      account.links
        .find(from, index, to)
        .map(
          (link, place) => `${idOf(from, index)} ${idOf(to, link.index)} ${isPrimary(link, place)}`,
        ),
    )
    .sort();
}

type LinkedKind = 'contact' | 'company' | 'deal';

async function expectSame({ provider, account, customerId }: Connected) {
  for (const [table, from, to] of EDGES) {
    const expected = linksOf(provider, account, from, to);
    expect([table, await edgesOf(table, customerId)]).toEqual([table, expected]);
  }
}

async function runLater(ms = minutes(20)) {
  world.pass(ms);
  const outcomes = await world.runner.runDue();
  expect(outcomes.filter(({ result }) => result.kind !== 'completed')).toEqual([]);
}

describe.each(['hubspot', 'salesforce'] as const)('edges of %s', (provider) => {
  test('are those of the CRM, and follow edits, deletions and merges of records', async () => {
    const connected = await connect(provider);
    const { account } = connected;
    expect(linksOf(provider, account, 'contact', 'company').length).toBeGreaterThan(2);
    expect(linksOf(provider, account, 'deal', 'contact').length).toBeGreaterThan(2);
    await expectSame(connected);
    const [ada, bob, eve] = [1, 2, 3].map((index) => account.recordId(index)) as [
      string,
      string,
      string,
    ];
    const deal = account.idOfRecord('deal', 1);
    const company = account.idOfRecord('company', 1);
    account.linkRecords(
      { kind: 'contact', id: eve },
      { kind: 'company', id: company },
      { isPrimary: true },
    );
    account.updatePerson(eve, { jobTitle: 'Changed' });
    account.removePerson(bob);
    account.removeRecord('deal', deal);
    await runLater();
    await expectSame(connected);
    account.removeRecord('company', account.idOfRecord('company', 2));
    account.mergePerson(eve, ada);
    await runLater();
    await runLater(minutes(25 * 60));
    await expectSame(connected);
    expect(world.runner.errors).toEqual([]);
  });

  test('that change without their records are found: at once where the CRM lists them, and within a day elsewhere', async () => {
    const connected = await connect(provider);
    const { account } = connected;
    const contact = { kind: 'contact', id: account.recordId(3) } as const;
    const company = { kind: 'company', id: account.idOfRecord('company', 2) } as const;
    account.linkRecords({ kind: 'contact', id: account.recordId(2) }, company);
    account.linkRecords(contact, { kind: 'deal', id: account.idOfRecord('deal', 1) });
    account.unlinkRecords(
      { kind: 'contact', id: account.recordId(1) },
      { kind: 'deal', id: account.idOfRecord('deal', 2) },
    );
    await runLater();
    if (provider === 'hubspot') await runLater(minutes(25 * 60));
    await expectSame(connected);
  });

  test('that have not changed are not written, neither by a run of changes nor by a full one', async () => {
    const { customerId } = await connect(provider);
    const stored = () =>
      world.rows(
        `select xmin::text, ctid::text from crm.contact_companies where customer_id = $1 order by ctid`,
        [customerId],
      );
    const before = await stored();
    expect(before.length).toBeGreaterThan(0);
    await runLater();
    await runLater(minutes(25 * 60));
    expect(await stored()).toEqual(before);
  });

  test('that the CRM does not have are deleted a day later, and missing ones are added', async () => {
    const connected = await connect(provider);
    const { account, customerId } = connected;
    await world.rows('delete from crm.deal_contacts where customer_id = $1', [customerId]);
    await world.rows(
      `insert into crm.contact_companies (application_id, provider_name, customer_id, contact_id, company_id, is_primary, synced_at)
      values ($1, $2, $3, $4, '1', false, now()), ($1, $2, $3, '99', '1', false, now())`,
      [world.application.id, provider, customerId, account.recordId(1)],
    );
    await runLater(minutes(25 * 60));
    await expectSame(connected);
  });

  test('are filled again after their table was dropped', async () => {
    const connected = await connect(provider);
    await world.rows('drop table crm.contact_companies');
    await runLater();
    await expectSame(connected);
  });
});

test('only edges between types that are both synced have a table', async () => {
  const other = await openSyncWorld();
  await other.setDestination();
  const account = other.createAccount('hubspot', PEOPLE);
  const configuration = { ...SYNC_ALL, companies: false };
  await other.stores.syncs.setConfiguration('hubspot', configuration);
  await other.connect({ customerId: 'two', provider: 'hubspot', account });
  await other.runner.runDue();
  const tables = async () =>
    (await other.rows("select tablename from pg_tables where schemaname = 'crm' order by 1")).map(
      ({ tablename }) => tablename,
    );
  expect(await tables()).toEqual(['contacts', 'deal_contacts', 'deals']);
  const shown = await other.syncsOf('two', 'hubspot');
  expect(shown.map(({ table, edgeTables }) => [table, edgeTables])).toEqual([
    ['contacts', []],
    ['deals', ['deal_contacts']],
  ]);
  await other.stores.syncs.setConfiguration('hubspot', { ...configuration, companies: true });
  await other.runner.runDue();
  expect(await tables()).toEqual([
    'companies',
    'contact_companies',
    'contacts',
    'deal_companies',
    'deal_contacts',
    'deals',
  ]);
  await other.close();
});

test('a type of records that the connection may not read fails with how to get it, and its edges follow when it is allowed', async () => {
  const customerId = 'access';
  const account = world.createAccount('hubspot', PEOPLE);
  await world.stores.syncs.setConfiguration('hubspot', SYNC_ALL);
  const connection = { customerId, provider: 'hubspot', account } as const;
  await world.connect({ ...connection, records: ['CONTACT', 'DEAL'] });
  await world.runner.runDue();
  const shown = await world.syncsOf(customerId, 'hubspot');
  expect(shown.map(({ table, status, error }) => [table, status, error?.code])).toEqual([
    ['contacts', 'IDLE', undefined],
    ['companies', 'FAILED', 'NOT_ALLOWED'],
    ['deals', 'IDLE', undefined],
  ]);
  expect(shown[1]?.error?.detail).toContain('records: [COMPANY]');
  expect((await edgesOf('deal_contacts', customerId)).length).toBeGreaterThan(0);
  await world.connect(connection);
  await runLater(minutes(70));
  await expectSame({ provider: 'hubspot', customerId, account });
});

test('a deleted customer’s edges are deleted with its rows', async () => {
  const { customerId } = await connect('hubspot');
  const counts = () =>
    Promise.all(EDGES.map(async ([table]) => (await edgesOf(table, customerId)).length > 0));
  expect(await counts()).toEqual([true, true, true]);
  await world.stores.removals.removeCustomer(customerId, undefined, { deleteSyncedRows: true });
  world.pass(minutes(10));
  await world.runner.removeDue();
  expect(await counts()).toEqual([false, false, false]);
});

test('a table of the owner that has the name of edges is not changed, and the error says so', async () => {
  const other = await openSyncWorld();
  await other.setDestination();
  await other.rows('create table crm.contact_companies (id int)');
  const account = other.createAccount('hubspot', PEOPLE);
  await other.stores.syncs.setConfiguration('hubspot', SYNC_ALL);
  await other.connect({ customerId: 'owned', provider: 'hubspot', account });
  await other.runner.runDue();
  const [contacts] = await other.syncsOf('owned', 'hubspot');
  expect(contacts).toMatchObject({ status: 'FAILED', error: { code: 'DESTINATION_TABLE' } });
  expect(contacts?.error?.detail).toContain('"contact_companies"');
  await other.close();
});
