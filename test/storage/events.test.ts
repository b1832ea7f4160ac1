import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EventType, NewEvent } from '../../src/domain/event.ts';
import { createDatabase, type Database } from '../../src/storage/database.ts';
import { openEngine } from '../../src/storage/engine/open.ts';
import type { Engine } from '../../src/storage/engine/postgres.ts';
import { appendEvents } from '../../src/storage/events.ts';
import { UPSERTS } from '../../src/storage/upsert-sql.ts';
import { READ_DUE } from '../../src/storage/webhook-queue.ts';
import { administer } from '../support/administer.ts';
import { createTestDatabase, TEST_RING, type TestDatabase } from '../support/databases.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';

const ADA = { customerId: 'ada', name: 'Ada', email: 'ada@example.com' };
const TOKEN = { type: 'token', value: 'v' } as const;
const CONNECTED = [{ providerName: 'hubspot' as const, credentials: TOKEN }];
const CLEARED = [{ providerName: 'hubspot' as const, credentials: null }];
const OAUTH = { type: 'oauth2', accessToken: 'a', refreshToken: 'r', expiresAt: null } as const;

describe('the outbox', () => {
  let fresh: TestDatabase;
  let engine: Engine;
  let database: Database;
  beforeAll(async () => {
    fresh = await createTestDatabase();
    engine = await openEngine(fresh, PATIENT_DATABASE);
    database = createDatabase(engine, { keyRing: TEST_RING });
  });
  afterAll(async () => {
    await engine.close();
    await fresh.drop();
  });

  /** Without the engine's limit for locks: an autovacuum of the table may be under way. */
  const analyze = (tables: string) => administer(fresh.url, `analyze crossbook.${tables}`);
  const open = async () => {
    const { id } = await database.admin.createApplication(randomUUID());
    const run = <Row>(name: string, text: string, values: readonly unknown[] = [id]) =>
      engine.query<Row>({ name, text }, values);
    return {
      id,
      ...database.forApplication(id),
      events: () =>
        run<EventRow>(
          'events',
          `select type, customer_id, connection_id, sequence, data from crossbook.events
          where application_id = $1 order by created_at, sequence nulls first, type`,
        ),
      deliveries: () =>
        run<{ endpoint_id: string; type: EventType }>(
          'deliveries',
          `select endpoint_id, type from crossbook.webhook_deliveries join crossbook.events on id = event_id
          where events.application_id = $1 order by type`,
        ),
      addEndpoint: async (eventTypes: readonly EventType[], enabled = true) => {
        const endpoint = randomUUID();
        await run(
          'endpoint',
          `insert into crossbook.webhook_endpoints
            (id, application_id, url, event_types, enabled, sealed_secret, key_id)
          values ($1, $2, 'https://example.com', $3, $4, 'sealed', 'test')`,
          [endpoint, id, eventTypes, enabled],
        );
        return endpoint;
      },
      append: (events: readonly NewEvent[], fail = false) =>
        engine.orm.transaction(async (tx) => {
          await appendEvents(tx, { applicationId: id, at: new Date(), events });
          if (fail) throw new Error('The change failed.');
        }),
    };
  };
  const connectionIdOf = (answer: { customer: { connections: readonly { id: string }[] } }) =>
    answer.customer.connections[0]?.id ?? '';
  const reauthorize = (connectionId: string): NewEvent => ({
    type: 'connection.reauthorize',
    customerId: 'ada',
    connectionId,
    data: { provider_name: 'hubspot', status: 'reauthorize', status_reason: null },
  });

  test('ids of events are UUIDs of version 7 with the time of the event, whatever has emitted it', async () => {
    const { id, customers, append } = await open();
    const answer = await customers.upsert({ ...ADA, connections: CONNECTED });
    await customers.upsert({ ...ADA, name: 'Ada L.', connections: CLEARED });
    await append([reauthorize(connectionIdOf(answer)), reauthorize(connectionIdOf(answer))]);
    const rows = await engine.query<{ id: string; ms: number }>(
      {
        name: 'ids of events',
        text: `select id, floor(extract(epoch from created_at) * 1000)::float8 as ms
          from crossbook.events where application_id = $1 order by created_at`,
      },
      [id],
    );
    expect(rows.length).toBeGreaterThanOrEqual(6);
    for (const row of rows) {
      expect(row.id).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      expect(Number.parseInt(row.id.replace('-', '').slice(0, 12), 16)).toBe(row.ms);
    }
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
  });

  test('of a very long queue a part is counted', async () => {
    const { id, addEndpoint } = await open();
    const endpoint = await addEndpoint([]);
    const fill = `with happened as (
        insert into crossbook.events (id, application_id, customer_id, type, data, created_at)
        select gen_random_uuid(), $1::uuid, 'ada', 'customer.updated', '{}', now()
        from generate_series(1, $3::int) returning application_id, id
      )
      insert into crossbook.webhook_deliveries (application_id, event_id, endpoint_id)
      select application_id, id, $2::uuid from happened`;
    const add = (count: number) =>
      engine.query({ name: 'fill the queue', text: fill }, [id, endpoint, count]);
    const before = (await database.webhookQueue.count()).pending;
    await add(50);
    expect((await database.webhookQueue.count()).pending).toBe(before + 50);
    for (let part = 0; part < 4; part += 1) await add(25_000);
    expect((await database.webhookQueue.count()).pending).toBe(100_000);
    await engine.query(
      { name: 'empty the queue', text: 'delete from crossbook.events where application_id = $1' },
      [id],
    );
  });

  test('only the next deliveries of a long queue are read', async () => {
    const { id, addEndpoint } = await open();
    const endpoint = await addEndpoint([]);
    const run = (text: string, values: readonly unknown[] = []) =>
      engine.query<{ 'QUERY PLAN': string }>({ name: randomUUID(), text }, values);
    await run(
      `with happened as (
        insert into crossbook.events (id, application_id, customer_id, type, data, created_at)
        select gen_random_uuid(), $1::uuid, 'ada', 'customer.updated', '{}', now() - n * interval '1 s'
        from generate_series(1, 5000) as n returning id, created_at
      )
      insert into crossbook.webhook_deliveries (event_id, endpoint_id, next_attempt_at, created_at)
      select id, $2::uuid, created_at, created_at from happened`,
      [id, endpoint],
    );
    await analyze('events, crossbook.webhook_deliveries');
    const values = [endpoint, new Date().toISOString(), 1, id];
    const plan = await run(`explain (analyze, costs off, timing off) ${READ_DUE.text}`, values);
    const numbers = plan.map((row) => Number(/rows=(\d+)/.exec(row['QUERY PLAN'])?.[1] ?? 0));
    // A sort in steps takes some more than one.
    expect(Math.max(...numbers)).toBeLessThan(100);
    const due = await engine.query<{ createdAt: Date }>(READ_DUE, [...values.slice(0, 2), 3, id]);
    expect(due.map(({ createdAt }) => createdAt.getTime())).toEqual(
      due.map(({ createdAt }) => createdAt.getTime()).toSorted((one, other) => one - other),
    );
    await run('delete from crossbook.events where application_id = $1', [id]);
  });

  test('the oldest of events that are redelivered together are sent first', async () => {
    const { id, addEndpoint } = await open();
    const endpoint = await addEndpoint([]);
    const at = new Date().toISOString();
    await engine.query(
      {
        name: 'redelivered',
        text: `with happened as (
          insert into crossbook.events (id, application_id, customer_id, type, data, created_at)
          select gen_random_uuid(), $1::uuid, 'ada', 'customer.updated', jsonb_build_object('n', n),
            $3::timestamptz - n * interval '1 s'
          from generate_series(1, 9) as n returning id
        )
        insert into crossbook.webhook_deliveries (event_id, endpoint_id, next_attempt_at, created_at)
        select id, $2::uuid, $3::timestamptz, $3::timestamptz from happened`,
      },
      [id, endpoint, at],
    );
    const due = await engine.query<{ data: unknown }>(READ_DUE, [endpoint, at, 2, id]);
    expect(due.map(({ data }) => data)).toEqual([{ n: 9 }, { n: 8 }]);
  });

  test('an event that is redelivered while it is being sent is sent once more', async () => {
    const store = await open();
    const endpointId = await store.addEndpoint([]);
    const endpoint = { applicationId: store.id, id: endpointId };
    await store.customers.upsert(ADA);
    const [sending] = await database.webhookQueue.read(endpoint, 10);
    if (!sending) throw new Error('Nothing is due.');
    await store.webhooks.redeliver(endpointId, { eventIds: [sending.eventId] });
    await database.webhookQueue.succeed(sending, false);
    const [again] = await database.webhookQueue.read(endpoint, 10);
    expect(again?.eventId).toBe(sending.eventId);
    if (again) await database.webhookQueue.succeed(again, false);
    expect(await database.webhookQueue.read(endpoint, 10)).toEqual([]);
  });

  test('an upsert reads only the customers that it names, whatever their total number', async () => {
    const { id } = await open();
    const values = [id, '[{"customer_id":"n","name":"N","email":"e"}]', new Date().toISOString()];
    const { text } = UPSERTS.customerOnly.always;
    const run = (statement: string, given: readonly unknown[]) =>
      engine.query<{ 'QUERY PLAN': unknown }>(
        { name: statement.slice(0, 20), text: statement },
        given,
      );
    await run(
      `insert into crossbook.customers (application_id, customer_id, name, email, version)
      select $1::uuid, n, 'N', 'e', 1 from generate_series(1, 1000) as n`,
      [id],
    );
    await analyze('customers');
    const [plan] = await run(`explain (format json) ${text}`, values);
    const scans = JSON.stringify(plan).match(
      /"Node Type":"[^"]*Scan"[^{}]*"Relation Name":"customers"/g,
    );
    expect(scans?.length).toBeGreaterThan(1);
    expect(scans?.filter((scan) => scan.includes('"Seq Scan"'))).toEqual([]);
    await run('delete from crossbook.customers where application_id = $1', [id]);
  });

  test('an upsert emits events for the changes of a customer, and none without a change', async () => {
    const { customers, events } = await open();
    await customers.upsert(ADA);
    await customers.upsert(ADA);
    await customers.upsert({ ...ADA, expectedVersion: 2, name: 'Ada L.' });
    await customers.upsert({ ...ADA, name: 'Ada L.', connections: [{ providerName: 'gong' }] });
    expect(await events()).toMatchObject([
      { type: 'customer.created', customer_id: 'ada', sequence: null, data: { version: 1 } },
      { type: 'customer.updated', customer_id: 'ada', sequence: null, data: { version: 3 } },
    ]);
  });

  test('an upsert that sets or clears credentials emits one event, with the next sequence number of its connection', async () => {
    const { customers, events } = await open();
    const connectionId = connectionIdOf(await customers.upsert({ ...ADA, connections: CONNECTED }));
    await customers.upsert({ ...ADA, connections: CONNECTED });
    await customers.upsert({ ...ADA, connections: CLEARED });
    await customers.upsert({ ...ADA, connections: CLEARED });
    await customers.upsert({ ...ADA, connections: CONNECTED });
    const own = (await events()).filter((event) => event.connection_id === connectionId);
    expect(own.map(({ sequence, type }) => [sequence, type])).toEqual([
      [1, 'connection.connected'],
      [2, 'connection.disconnected'],
      [3, 'connection.connected'],
    ]);
    expect(own[0]?.data).toEqual({
      provider_name: 'hubspot',
      status: 'connected',
      status_reason: 'not_tried',
    });
  });

  test('refused credentials emit one event, and one more when they work again', async () => {
    const { customers, credentials, events } = await open();
    const connections = [{ providerName: 'hubspot' as const, credentials: OAUTH }];
    const id = connectionIdOf(await customers.upsert({ ...ADA, connections }));
    await credentials.refreshOnce(id, 1, async () => ({ credentials: OAUTH }));
    await Promise.all(
      Array.from({ length: 20 }, () => credentials.markRefused(id, 2, 'refresh_token_refused')),
    );
    await credentials.refreshOnce(id, 2, async () => ({ credentials: OAUTH }));
    await credentials.markRefused(id, 2, 'refresh_token_refused');
    const own = (await events()).filter((event) => event.connection_id === id);
    expect(own.map(({ sequence, type }) => [sequence, type])).toEqual([
      [1, 'connection.connected'],
      [2, 'connection.reauthorize'],
      [3, 'connection.recovered'],
    ]);
  });

  test('the sequence numbers of a connection have no gaps, despite concurrent and failed writes', async () => {
    const { customers, append, events } = await open();
    const id = connectionIdOf(await customers.upsert({ ...ADA, connections: CONNECTED }));
    await Promise.allSettled(
      Array.from({ length: 100 }, async (_, index) => {
        await customers.upsert({ ...ADA, connections: index % 2 === 0 ? CLEARED : CONNECTED });
        await append([reauthorize(id), reauthorize(id)], index % 5 === 0);
      }),
    );
    const numbers = (await events())
      .map(({ sequence }) => sequence)
      .filter((sequence) => sequence !== null)
      .sort((left, right) => left - right);
    expect(numbers.length).toBeGreaterThan(160);
    expect(numbers).toEqual(Array.from(numbers, (_, index) => index + 1));
  });

  test('a failed change emits no event, and a change of a deleted connection is rejected', async () => {
    const { append, events } = await open();
    const created: NewEvent = {
      type: 'customer.created',
      customerId: 'ada',
      connectionId: null,
      data: { version: 1 },
    };
    await expect(append([created], true)).rejects.toThrow('The change failed.');
    await expect(append([created, reauthorize(randomUUID())])).rejects.toThrow('is not there');
    expect(await events()).toEqual([]);
    await append([created]);
    expect((await events()).length).toBe(1);
  });

  test('an event is scheduled only for the endpoints of its application that subscribe to its type', async () => {
    const { customers, append, deliveries, addEndpoint } = await open();
    const other = await open();
    await other.addEndpoint([]);
    await addEndpoint([], false);
    const all = await addEndpoint([]);
    const some = await addEndpoint(['connection.connected', 'customer.deleted']);
    const id = connectionIdOf(await customers.upsert({ ...ADA, connections: CONNECTED }));
    await append([reauthorize(id)]);
    const found = (await deliveries())
      .map(({ endpoint_id, type }) => `${type} ${endpoint_id}`)
      .sort();
    expect(found).toEqual(
      [
        `connection.connected ${all}`,
        `connection.connected ${some}`,
        `connection.reauthorize ${all}`,
        `customer.created ${all}`,
      ].sort(),
    );
    expect(await other.deliveries()).toEqual([]);
  });
});

interface EventRow {
  readonly type: EventType;
  readonly customer_id: string;
  readonly connection_id: string | null;
  readonly sequence: number | null;
  readonly data: Readonly<Record<string, unknown>>;
}
