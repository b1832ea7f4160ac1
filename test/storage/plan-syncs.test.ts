import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PlanScope } from '../../src/domain/sync.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { createTestDatabase, TEST_RING, type TestDatabase } from '../support/databases.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';
import { planEverything } from '../support/plan-everything.ts';
import { SYNC_CONTACTS } from '../support/sync-settings.ts';

/** One application has more connections than one statement looks at. */
const MANY = 2_150;
const FEW = 3;
/** Those that are already planned. */
const PLANNED = 2_000;

let own: TestDatabase;
let database: Database;
let client: pg.Client;
const applications: string[] = [];
const changed: PlanScope[] = [];

beforeAll(async () => {
  own = await createTestDatabase();
  database = await openDatabase({ url: own.url }, { ...PATIENT_DATABASE, keyRing: TEST_RING });
  database.onUnplanned((scope) => changed.push(scope));
  client = new pg.Client(own.url);
  await client.connect();
  for (const [name, count] of [
    ['many', MANY],
    ['few', FEW],
    ['without syncs', FEW],
  ] as const) {
    const { id } = await database.admin.createApplication(name);
    applications.push(id);
    await client.query(ADD_CUSTOMERS, [id, count]);
  }
  for (const application of applications.slice(0, 2))
    for (const provider of ['hubspot', 'salesforce'] as const)
      await database.forApplication(application).syncs.setConfiguration(provider, SYNC_CONTACTS);
  await client.query(ADD_PLANS, [applications[0], PLANNED]);
});
afterAll(async () => {
  await client.end();
  await database.close();
  await own.drop();
});

const ADD_CUSTOMERS = `
with added as (
  insert into crossbook.customers (application_id, customer_id, name, email, version)
  select $1::uuid, 'customer ' || n, 'Customer', 'c@example.com', 1 from generate_series(1, $2::int) as n
  returning customer_id
)
insert into crossbook.connections (id, application_id, customer_id, provider_name, provider_id, status, last_event_id)
select gen_random_uuid(), $1::uuid, customer_id, 'hubspot', gen_random_uuid(), 'connected', gen_random_uuid() from added`;

const ADD_PLANS = `
insert into crossbook.sync_plans (application_id, connection_id, planned_for)
select application_id, id, concat_ws(' ', 1, 0, extract(epoch from updated_at), status, credentials_version)
from crossbook.connections where application_id = $1::uuid order by customer_id limit $2::int`;

async function countPlanned(): Promise<readonly (number | undefined)[]> {
  const { rows } = await client.query(
    'select application_id, count(*)::int from crossbook.sync_plans group by 1',
  );
  return applications.map((id) => rows.find((row) => row.application_id === id)?.count);
}

test('a walk plans all connections that are synced, some at a time, and then none', async () => {
  const { syncPlans } = database;
  const parts = await planEverything(syncPlans);
  expect(Math.max(...parts)).toBe(100);
  expect(parts.reduce((sum, count) => sum + count)).toBe(MANY - PLANNED + FEW);
  expect(await countPlanned()).toEqual([MANY, FEW, undefined]);
  const again = await planEverything(syncPlans);
  expect(new Set(again)).toEqual(new Set([0]));
  // Less than all of them in one statement.
  expect(again.length).toBeGreaterThan(2);
  await client.query(
    `update crossbook.connections set updated_at = now() + interval '1 s' where customer_id = 'customer 2'`,
  );
  const changes = await planEverything(syncPlans);
  expect(changes.reduce((sum, count) => sum + count)).toBe(2);
});

test('a walk of one application leaves the others', async () => {
  const [, few = ''] = applications;
  await database.forApplication(few).syncs.setConfiguration('hubspot', SYNC_CONTACTS);
  const after = { applicationId: few, providerName: '', customerId: '' };
  const part = await database.syncPlans.planNext({ after, lastApplicationId: few });
  expect(part.planned).toBe(FEW);
  const before = { ...after, applicationId: '00000000-0000-0000-0000-000000000000' };
  const lowest = await database.syncPlans.planNext({
    after: before,
    lastApplicationId: before.applicationId,
  });
  expect(lowest).toEqual({ planned: 0, rest: undefined });
});

test('what changes a connection or the settings of syncs says so, and its customer is planned without a walk', async () => {
  const [, few = ''] = applications;
  const stores = database.forApplication(few);
  changed.length = 0;
  const ada = { applicationId: few, customerId: 'ada' };
  const customer = { customerId: 'ada', name: 'Ada', email: 'ada@example.com' };
  await stores.customers.upsert(customer);
  expect(changed).toEqual([]);

  const credentials = {
    type: 'oauth2',
    accessToken: 'access-token',
    refreshToken: 'refresh-token',
    expiresAt: null,
  } as const;
  const connections = [{ providerName: 'hubspot', credentials } as const];
  const upserted = await stores.customers.upsert({ ...customer, connections });
  expect(changed.splice(0)).toEqual([ada]);
  expect(await database.syncPlans.planCustomers([ada])).toBe(1);
  expect(await database.syncPlans.planCustomers([ada])).toBe(0);

  const [connection] = upserted.customer.connections;
  const id = connection?.id ?? '';
  await stores.credentials.markRefused(id, 1, 'refresh_token_refused');
  expect(changed.splice(0)).toEqual([ada]);
  expect(await database.syncPlans.planCustomers([ada])).toBe(1);

  await stores.credentials.refreshOnce(id, 1, async () => ({
    credentials: { ...credentials, refreshToken: 'another' },
  }));
  expect(changed.splice(0)).toEqual([ada]);
  expect(await database.syncPlans.planCustomers([ada])).toBe(1);

  await stores.syncs.setConfiguration('hubspot', SYNC_CONTACTS);
  await stores.syncs.deleteDestination();
  expect(changed).toEqual([{ applicationId: few }, { applicationId: few }]);
});
