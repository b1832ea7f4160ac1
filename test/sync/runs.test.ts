import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../support/open-app.ts';
import { openSyncWorld, SYNC_CONTACTS, type SyncWorld } from '../support/sync-world.ts';

let world: SyncWorld;
beforeAll(async () => {
  world = await openSyncWorld();
  await world.setDestination();
  for (const provider of ['hubspot', 'salesforce'] as const)
    await world.stores.syncs.setConfiguration(provider, SYNC_CONTACTS);
});
afterAll(() => world.close());

const minutes = (count: number) => count * 60_000;
let served = 0;
const connect = async (provider: 'hubspot' | 'salesforce', people = 3) => {
  served += 1;
  const customerId = `runs-${served}`;
  const account = world.createAccount(
    provider,
    Array.from({ length: people }, (_, index) => ({
      email: `p${index}@runs.example`,
      firstName: `P${index}`,
    })),
  );
  await world.connect({ customerId, provider, account });
  return { customerId, account, provider };
};
const eventsOf = async (customerId: string) =>
  (await world.stores.events.list({ customerId, after: undefined, limit: 50 }))
    .filter(({ type }) => /^(sync|contacts)\./.test(type))
    .map(({ type, data }) => ({ ...data, type }) as Json);
const writes = async () => {
  const [row] = await world.rows('select pg_current_wal_insert_lsn()::text as at');
  return row.at;
};

test.each(['hubspot', 'salesforce'] as const)(
  'a run of %s without changes makes two calls and writes nothing',
  async (provider) => {
    const { account, customerId } = await connect(provider);
    await world.runner.runDue();
    world.pass(minutes(20));
    await world.runner.runDue();
    account.resetCalls();
    world.pass(minutes(20));
    const before = await world.rows(
      'select n_tup_ins + n_tup_upd + n_tup_del as writes from pg_stat_xact_user_tables',
    );
    const xmins = () =>
      world.rows('select xmin::text, xmax::text, ctid::text from crm.contacts order by ctid');
    const stored = await xmins();
    await world.runner.runDue();
    expect(account.calls().map(({ operation }) => operation)).toHaveLength(2);
    expect(await xmins()).toEqual(stored);
    expect(before).toBeDefined();
    const events = (await eventsOf(customerId)).map(({ type }) => type);
    expect(events).toEqual(['sync.completed']);
  },
);

test('contacts.changed has the ids of a run of changes, where an endpoint names it', async () => {
  const { account, customerId } = await connect('hubspot', 250);
  await world.runner.runDue();
  account.updatePerson(account.recordId(1), { firstName: 'Unheard' });
  world.pass(minutes(20));
  await world.runner.runDue();
  expect((await eventsOf(customerId)).map(({ type }) => type)).not.toContain('contacts.changed');
  await world.stores.webhooks.create({
    url: 'https://hooks.example/x',
    eventTypes: ['contacts.changed'],
  });
  account.editPeople({ person: { jobTitle: 'Same' } });
  account.removePerson(account.recordId(7));
  world.pass(minutes(20));
  await world.runner.runDue();
  const changed = (await eventsOf(customerId)).filter(({ type }) => type === 'contacts.changed');
  const ids = changed.flatMap((event) => event.changed_ids);
  const deleted = changed.flatMap((event) => event.deleted_ids);
  expect(new Set(ids).size).toBe(249);
  expect(ids).toHaveLength(249);
  expect(deleted).toEqual([account.recordId(7)]);
  for (const event of changed) {
    const all = [...event.changed_ids, ...event.deleted_ids];
    expect(all.length).toBeLessThanOrEqual(100);
    expect(JSON.stringify(event)).not.toContain('@runs.example');
  }
});

test('a refusal pauses a sync without an event of it, and new credentials resume it', async () => {
  const { account, customerId, provider } = await connect('hubspot');
  await world.runner.runDue();
  await world.stores.customers.upsert({
    customerId,
    name: 'Customer',
    email: 'customer@example.com',
    connections: [{ providerName: provider, credentials: { type: 'token', value: 'refused' } }],
  });
  world.pass(minutes(20));
  await world.runner.runDue();
  await world.runner.runDue();
  const [paused] = await world.syncsOf(customerId, provider);
  expect(paused).toMatchObject({ status: 'PAUSED', pauseReason: 'REAUTHORIZE', nextRunAt: null });
  expect((await eventsOf(customerId)).map(({ type }) => type)).toEqual(['sync.completed']);
  account.addPerson({ firstName: 'Meanwhile' });
  await world.connect({ customerId, provider, account });
  // The run that was interrupted ends, and then the next one is due.
  for (let run = 0; run < 2; run += 1) {
    world.pass(minutes(16));
    await world.runner.runDue();
  }
  const [resumed] = await world.syncsOf(customerId, provider);
  expect(resumed).toMatchObject({ status: 'IDLE', pauseReason: null, error: null });
  expect(
    await world.rows(
      "select 1 from crm.contacts where customer_id = $1 and first_name = 'Meanwhile'",
      [customerId],
    ),
  ).toHaveLength(1);
});

test('a sync that is paused does not run, and one that is started runs at once', async () => {
  const { account, customerId, provider } = await connect('salesforce');
  await world.runner.runDue();
  const target = { customerId, providerName: provider, table: 'contacts' };
  await world.stores.syncs.changeSyncs(target, { to: 'pause' });
  world.pass(minutes(60));
  account.resetCalls();
  await world.runner.runDue();
  expect(account.callCount()).toBe(0);
  expect(await world.syncsOf(customerId, provider)).toMatchObject([
    { status: 'PAUSED', pauseReason: 'REQUESTED' },
  ]);
  await world.stores.syncs.changeSyncs(target, { to: 'resume' });
  await world.runner.runDue();
  await world.stores.syncs.changeSyncs(target, { to: 'start', isFull: true });
  await world.runner.runDue();
  const [sync] = await world.syncsOf(customerId, provider);
  expect(sync?.runs.map(({ isFull }) => isFull)).toEqual([false, true, false, false, true]);
  expect(await world.stores.syncs.changeSyncs({ ...target, table: 'x' }, { to: 'pause' })).toBe(0);
});

test('a run that is requested while another one is interrupted follows it', async () => {
  const { account, customerId, provider } = await connect('hubspot', 450);
  await world.runner.runDue();
  const runsOf = async () => (await world.syncsOf(customerId, provider))[0]?.runs.length ?? 0;
  const before = await runsOf();
  account.editPeople({ person: { jobTitle: 'Changed' } });
  world.pass(minutes(20));
  expect(await interruptRun(customerId)).toEqual({ kind: 'yielded', retryAfterMs: 0 });
  const target = { customerId, providerName: provider, table: 'contacts' };
  expect(await world.stores.syncs.changeSyncs(target, { to: 'start', isFull: false })).toBe(1);
  await world.runner.runDue();
  expect(await runsOf()).toBe(before + 2);
});

test('a full run starts over if custom fields have changed since it was interrupted', async () => {
  const field = {
    name: 'late',
    type: 'TEXT',
    description: null,
    customersMayMap: true,
    sources: [{ provider: 'hubspot', field: 'firstname' }],
  } as const;
  const { customerId } = await connect('hubspot', 450);
  expect(await interruptRun(customerId)).toMatchObject({ kind: 'yielded' });
  await world.stores.customFields.replace(
    { record: 'CONTACT', definitions: [field], typedSchema: false },
    undefined,
  );
  await world.runner.runDue();
  const rows = await world.rows(
    `select count(*)::int as count from crm.contacts where customer_id = $1 and custom_fields ->> 'late' like 'P%'`,
    [customerId],
  );
  expect(rows).toEqual([{ count: 450 }]);
  await world.stores.customFields.replace(
    { record: 'CONTACT', definitions: [], typedSchema: false },
    undefined,
  );
});

/** Interrupts each run after its first page, until one of the customer was. Returns its outcome. */
async function interruptRun(customerId: string) {
  for (;;) {
    const ran = await world.runner.runDue({ isOver: () => true });
    const own = ran.find((one) => one.customerId === customerId);
    if (own || ran.length === 0) return own?.result;
  }
}

test('a day later everything is compared by key, and what no list has told is found', async () => {
  const { account, customerId, provider } = await connect('hubspot', 5);
  await world.runner.runDue();
  await world.rows('update crm.contacts set first_name = $1 where customer_id = $2', [
    'Changed by its owner',
    customerId,
  ]);
  await world.rows('delete from crm.contacts where customer_id = $1 and id = $2', [
    customerId,
    account.recordId(2),
  ]);
  await world.rows(
    `insert into crm.contacts (application_id, provider_name, customer_id, id, is_deleted, synced_at, first_name)
    values ($1, $2, $3, '99', false, now(), 'Not there'), ($1, $2, $3, '999999', false, now(), 'Not there')`,
    [world.application.id, provider, customerId],
  );
  world.pass(25 * 60 * minutes(1));
  await world.runner.runDue();
  const rows = await world.rows(
    'select id, first_name, is_deleted from crm.contacts where customer_id = $1 order by length(id), id',
    [customerId],
  );
  expect(rows.map(({ first_name, is_deleted }) => [first_name, is_deleted])).toEqual([
    [null, true],
    ['P0', false],
    ['P1', false],
    ['P2', false],
    ['P3', false],
    ['P4', false],
    [null, true],
  ]);
});

test('custom fields that are declared later fill their column by a full run', async () => {
  const { customerId } = await connect('hubspot');
  await world.runner.runDue();
  const field = {
    name: 'given',
    type: 'TEXT',
    description: null,
    customersMayMap: true,
    sources: [{ provider: 'hubspot', field: 'firstname' }],
  } as const;
  await world.stores.customFields.replace(
    { record: 'CONTACT', definitions: [field], typedSchema: false },
    undefined,
  );
  world.pass(minutes(20));
  await world.runner.runDue();
  const rows = await world.rows(
    'select custom_fields from crm.contacts where customer_id = $1 order by id',
    [customerId],
  );
  expect(rows.map(({ custom_fields }) => custom_fields)).toEqual([
    { given: 'P0' },
    { given: 'P1' },
    { given: 'P2' },
  ]);
  await world.stores.customFields.replace(
    { record: 'CONTACT', definitions: [], typedSchema: false },
    undefined,
  );
});

test('text that PostgreSQL cannot store is replaced', async () => {
  const { account, customerId } = await connect('salesforce', 1);
  account.updatePerson(account.recordId(1), { firstName: 'A\0B\ud800C', jobTitle: '\\u0000' });
  await world.runner.runDue();
  const [row] = await world.rows(
    'select first_name, raw_data from crm.contacts where customer_id = $1',
    [customerId],
  );
  expect(row.first_name).toBe('A\ufffdB\ufffdC');
});

test('at most thirty runs are kept', async () => {
  const { customerId, provider } = await connect('hubspot', 1);
  for (let run = 0; run < 33; run += 1) {
    world.pass(minutes(20));
    await world.runner.runDue();
  }
  const [sync] = await world.syncsOf(customerId, provider);
  expect(sync?.runs).toHaveLength(30);
  expect(await writes()).toMatch(/\//);
});
