import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOperatorViews } from '../../src/storage/operator-views.ts';
import { createTestDatabase, describeEachServer } from '../support/databases.ts';
import { openRival, type Rival } from '../support/postgres-rival.ts';

const APPLICATION = '11111111-1111-4111-8111-111111111111';
const ENDPOINT = '22222222-2222-4222-8222-222222222222';
const DAY = { since: new Date('2026-11-20T00:00:00Z'), until: new Date('2026-11-21T00:00:00Z') };

let rival: Rival;
let close: (() => Promise<unknown>)[] = [];
/** Every statement that the views have sent, with its values. */
const sent: { name: string; text: string; values: readonly unknown[] }[] = [];
let views: ReturnType<typeof createOperatorViews>;

beforeAll(async () => {
  const fresh = await createTestDatabase();
  rival = await openRival(fresh.url);
  close = [rival.close, fresh.drop];
  for (const statement of SEED) await rival.run(statement);
  views = createOperatorViews({
    query: async ({ name, text }, values) => {
      sent.push({ name, text, values });
      return (await rival.run(text, values)) as never[];
    },
  });
});
afterAll(async () => {
  for (const one of close) await one();
});

describe('what operators look at', () => {
  const search = { applicationId: APPLICATION, status: undefined, after: undefined, limit: 3 };

  test('customers are found by the beginning of their ids first, then of their names, in any case', async () => {
    const found = await views.searchCustomers({ ...search, prefix: 'GLOBEX' });
    expect(found.map(({ by, customerId, name }) => [by, customerId, name])).toEqual([
      ['id', 'globex-own', 'Acme 5000'],
      ['name', 'customer-1', 'Globex 1'],
      ['name', 'customer-1001', 'Globex 1001'],
    ]);
  });

  test('pages of a search have each customer once, whatever finds it', async () => {
    const seen: string[] = [];
    for (let after: (typeof search)['after'] | undefined; ; ) {
      const page = await views.searchCustomers({ ...search, prefix: 'g', after, limit: 100 });
      seen.push(...page.map(({ customerId }) => customerId));
      const last = page.at(-1);
      if (!last || page.length < 100) break;
      after = last as never;
    }
    expect(seen.length).toBe(1_251);
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('a search takes % and _ literally, and text that cannot be stored finds nothing', async () => {
    for (const prefix of ['%', '_', 'customer_1', 'nul\0'])
      expect(await views.searchCustomers({ ...search, prefix })).toEqual([]);
  });

  test('by status it finds the customers with such a connection', async () => {
    const found = await views.searchCustomers({ ...search, prefix: '', status: 'reauthorize' });
    expect(found).toHaveLength(3);
    for (const { connections } of found)
      expect(connections.map(({ status }) => status)).toContain('reauthorize');
  });

  test('a sync is behind if it has failed, or if its table is older than three intervals', async () => {
    const behind = await views.syncsBehind(10);
    expect(
      behind.map(({ customerId, failures, error }) => [customerId, failures, error?.code]),
    ).toEqual([
      ['customer-1', 3, 'DESTINATION_FULL'],
      ['customer-2', 0, undefined],
    ]);
  });

  test('no statement scans a table that grows with customers, events or requests', async () => {
    await views.usageOfApplications({ ...DAY, applicationId: undefined });
    await views.usageOfCustomer({ ...DAY, applicationId: APPLICATION, customerId: 'customer-1' });
    await views.connectionsToRenew(100);
    await views.endpointsFailing(100);
    await views.searchCustomers({ ...search, prefix: '' });
    await views.linksOf({ applicationId: APPLICATION, customerId: 'customer-1' }, 50);
    await views.syncRunsOf({ applicationId: APPLICATION, customerId: 'customer-1' }, 50);
    const responses = { applicationId: APPLICATION, before: undefined, limit: 50 };
    await views.responses({ ...responses, endpointId: ENDPOINT, eventId: undefined });
    await views.responses({ ...responses, endpointId: undefined, eventId: ENDPOINT });
    await views.pendingDeliveries({ applicationId: APPLICATION, endpointId: ENDPOINT }, 50);
    const scans: string[] = [];
    for (const { name, text, values } of sent) {
      const plan = await rival.run(`explain ${text}`, values);
      const lines = plan.map((row) => String(row['QUERY PLAN']));
      for (const line of lines)
        if (/Seq Scan on (?!applications|webhook_endpoints)/.test(line) && BIG.test(line))
          scans.push(`${name}: ${line.trim()}`);
    }
    expect(new Set(sent.map(({ name }) => name)).size).toBe(13);
    expect(scans).toEqual([]);
  });
});

describeEachServer('usage in detail', (on) => {
  test('tallies are added up by name, and the latest errors are kept', async () => {
    const { id: applicationId } = await on.createApplication();
    const { customers } = on.database().forApplication(applicationId);
    await customers.upsert({ customerId: 'ada', name: 'A', email: 'a@example.com' });
    const counts = { requests: 1, errors: 1, providerCalls: 0, cost: 0 };
    const toRow = (customerId: string, minute: number) => ({
      applicationId,
      customerId,
      hour: DAY.since.getTime(),
      ...counts,
      tallies: { 'ms 50': 2, [`requests ${minute}`]: 1 },
      recent: [
        {
          id: `e${minute}`,
          code: 'NOT_FOUND' as const,
          at: `2026-11-20T00:${minute}:00Z`,
          provider: null,
          requestId: 'r',
        },
      ],
    });
    const { usage } = on.database();
    await usage.add([toRow('', 10), toRow('ada', 10), toRow('nobody', 10)]);
    for (let minute = 11; minute < 30; minute += 1) await usage.add([toRow('ada', minute)]);
    await usage.add([toRow('', 30)]);
    const stored = createOperatorViews(on.database().forOperator);
    // The customer that does not exist counts for the application already.
    expect(
      await stored.usageOfApplications({
        ...DAY,
        until: new Date(DAY.since.getTime() + 1),
        applicationId,
      }),
    ).toMatchObject([{ tallies: { 'ms 50': 4, 'requests 10': 1, 'requests 30': 1 } }]);
    expect((await stored.usageOfApplications({ ...DAY, applicationId }))[0]?.tallies).toEqual({
      'ms 50': 4,
    });
    const [own] = await stored.usageOfCustomer({ ...DAY, applicationId, customerId: 'ada' });
    expect(own).toMatchObject({ requests: 20, tallies: { 'ms 50': 40 } });
    expect(own?.recentErrors?.map(({ id }) => id)).toEqual(
      Array.from({ length: 10 }, (_, index) => `e${20 + index}`),
    );
  });
});

const BIG =
  /on (customers|connections|events|usage|syncs|sync_runs|connect_links|webhook_responses|webhook_deliveries|operator_audit)\b/;

const SEED = [
  `insert into crossbook.applications (id, name) values ('${APPLICATION}', 'One'), (gen_random_uuid(), 'Other')`,
  `insert into crossbook.customers (application_id, customer_id, name, email, version)
    select '${APPLICATION}', case when n = 5000 then 'globex-own' else 'customer-' || n end,
      (array['Acme', 'Globex', 'Initech', 'Wonka'])[1 + n % 4] || ' ' || n, 'c@example.com', 1
    from generate_series(1, 5000) n`,
  `insert into crossbook.connections (id, application_id, customer_id, provider_name, provider_id, status)
    select gen_random_uuid(), application_id, customer_id, 'hubspot', gen_random_uuid(),
      case when customer_id like '%99' then 'reauthorize' else 'connected' end from crossbook.customers`,
  `insert into crossbook.sync_plans (application_id, connection_id, planned_for)
    select application_id, id, '' from crossbook.connections`,
  `insert into crossbook.syncs (application_id, connection_id, kind, object, place, table_name, interval_seconds,
      next_run_at, synced_until, failures)
    select application_id, id, 'CONTACTS', 'contacts', 0, 'contacts', 900, now(),
      now() - case customer_id when 'customer-2' then interval '1 hour' else interval '1 minute' end,
      case customer_id when 'customer-1' then 3 else 0 end from crossbook.connections`,
  `insert into crossbook.sync_runs (application_id, connection_id, kind, object, started_at, finished_at, is_full,
      records, deleted, error)
    select application_id, id, 'CONTACTS', 'contacts', now(), now() - n * interval '1 hour', false, 1, 0,
      case customer_id when 'customer-1' then '{"code": "DESTINATION_FULL", "detail": ""}'::jsonb end
    from crossbook.connections, generate_series(1, 3) n`,
  `insert into crossbook.connect_links (id, application_id, customer_id, providers, return_url, mode, confirm,
      allow_account_change, status, expires_at)
    select gen_random_uuid(), application_id, customer_id, '{hubspot}', '', 'REDIRECT', true, false, 'PENDING', now()
    from crossbook.customers`,
  `insert into crossbook.events (id, application_id, customer_id, type, data, created_at)
    select gen_random_uuid(), '${APPLICATION}', 'customer-' || n, 'customer.updated', '{}',
      now() - n * interval '1 second' from generate_series(1, 10000) n`,
  `insert into crossbook.webhook_endpoints (id, application_id, url, event_types, enabled, sealed_secret, key_id)
    values ('${ENDPOINT}', '${APPLICATION}', 'https://hooks.example', '{}', true, '', '')`,
  `insert into crossbook.webhook_responses (application_id, event_id, endpoint_id, attempt, status, ms, created_at)
    select application_id, id, case when random() < 0.5 then '${ENDPOINT}'::uuid else gen_random_uuid() end, 1, 200, 5,
      created_at from crossbook.events`,
  `insert into crossbook.webhook_deliveries (application_id, event_id, endpoint_id)
    select application_id, id, case when random() < 0.1 then '${ENDPOINT}'::uuid else gen_random_uuid() end
    from crossbook.events`,
  `insert into crossbook.usage (application_id, customer_id, hour, requests, errors, provider_calls, cost, tallies)
    select '${APPLICATION}', 'customer-' || n, '2026-11-20T00:00:00Z'::timestamptz + h * interval '1 hour', 1, 0, 0, 0, '{}'
    from generate_series(1, 2000) n, generate_series(1, 10) h`,
  'analyze',
];
