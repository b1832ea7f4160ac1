import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { startSweeps } from '../../src/storage/sweeps.ts';
import { createFakeClock } from '../support/clock.ts';
import { describeEachServer } from '../support/databases.ts';
import { runSweep } from '../support/run-sweep.ts';

const MINUTE_MS = 60_000;

describeEachServer('a sweep of the contact cache', (on) => {
  test('removes a backlog of any size by statements of one batch each', async () => {
    const { id } = await on.createApplication();
    const { customers } = on.database().forApplication(id);
    const connections = [{ providerName: 'hubspot' }] as const;
    const customer = { customerId: 'ada', name: 'Ada', email: 'ada@example.com', connections };
    const connectionId = (await customers.upsert(customer)).customer.connections[0]?.id;
    // Many at the same time, so that a page ends among equal times.
    await on.rows(
      `insert into crossbook.contact_cache
      select $1, lpad(n::text, 6, '0'), $2, 'k.' || n, 10, now() - (n / 100) * interval '1 second'
      from generate_series(1, 5000) as n`,
      [id, connectionId],
    );
    const batches: number[] = [];
    const bounds = { olderThan: new Date(0), maxBytesPerApplication: 10_000, batch: 300 };
    for await (const deleted of on.database().sweeps.contactCache(bounds)) batches.push(deleted);
    expect(Math.max(...batches)).toBeLessThanOrEqual(300);
    const left = await on.rows<{ count: number; bytes: number }>(
      'select count(*)::int, sum(bytes)::int as bytes from crossbook.contact_cache where application_id = $1',
      [id],
    );
    expect(left).toEqual([{ count: 1_000, bytes: 10_000 }]);
    const all = { ...bounds, olderThan: new Date('2100-01-01') };
    expect(await runSweep(on.database().sweeps.contactCache(all))).toBe(1_000);
  });

  test('of events removes deliveries of deleted endpoints too, batch by batch', async () => {
    const { id } = await on.createApplication();
    await on.rows(
      `with event as (
        insert into crossbook.events (id, application_id, customer_id, type, data, created_at)
        select gen_random_uuid(), $1, 'ada', 'test', '{}', now() - (n % 2) * interval '60 days'
        from generate_series(1, 5000) as n returning id
      )
      insert into crossbook.webhook_deliveries (event_id, endpoint_id)
      select id, gen_random_uuid() from event`,
      [id],
    );
    const month = new Date(systemClock.wall() - 30 * 24 * 60 * MINUTE_MS);
    await runSweep(on.database().sweeps.events(month));
    const events = 'select count(*)::int from crossbook.events where application_id = $1';
    expect(await on.rows(events, [id])).toEqual([{ count: 2_500 }]);
    const deliveries = 'select count(*)::int from crossbook.webhook_deliveries';
    expect(await on.rows(deliveries)).toEqual([{ count: 0 }]);
  });

  test('is run by the process that holds the lease, until it ends', async () => {
    const { acquireJobLease } = on.database();
    const job = randomUUID();
    const [one, other] = [randomUUID(), randomUUID()];
    expect(await acquireJobLease({ job, holder: one, leaseMs: 60_000 })).toBe(true);
    expect(await acquireJobLease({ job, holder: other, leaseMs: 60_000 })).toBe(false);
  });
});

test('every five minutes each sweep deletes what is too old by then, and a stop ends between two statements', async () => {
  const { clock, sweep, calls } = open();
  await clock.advance(10 * MINUTE_MS);
  expect(calls.filter(({ name }) => name === 'contactCache')).toEqual([
    { name: 'contactCache', olderThan: '2026-11-19T12:05:00.000Z' },
    { name: 'contactCache', olderThan: '2026-11-19T12:10:00.000Z' },
  ]);
  await sweep.stop();
  await clock.advance(10 * MINUTE_MS);
  expect(calls).toHaveLength(16);
});

test('a sweep that fails does not keep the others from running, and its age shows that it is behind', async () => {
  const { clock, sweep, errors } = open({ failing: 'contactCache' });
  await clock.advance(60 * MINUTE_MS);
  expect(errors).toHaveLength(12);
  expect(sweep.ages()).toEqual([
    { name: 'expired_tokens', seconds: 0 },
    { name: 'connect_links', seconds: 0 },
    { name: 'events', seconds: 0 },
    { name: 'usage', seconds: 0 },
    { name: 'audit', seconds: 0 },
    { name: 'responses', seconds: 0 },
    { name: 'writes', seconds: 0 },
    { name: 'contact_cache', seconds: 3_600 },
  ]);
});

test('a process without the lease deletes nothing, and is not behind', async () => {
  const { clock, sweep, calls } = open({ hasLease: false });
  await clock.advance(60 * MINUTE_MS);
  expect(calls).toEqual([]);
  expect(sweep.ages().map(({ seconds }) => seconds)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
});

function open({ failing = '', hasLease = true } = {}) {
  const clock = createFakeClock(Date.parse('2026-11-20T12:00:00.000Z'));
  const calls: { name: string; olderThan?: string }[] = [];
  const errors: unknown[] = [];
  async function* run(name: string, olderThan?: Date) {
    if (name === failing) throw new Error('a statement timed out');
    calls.push(olderThan ? { name, olderThan: olderThan.toISOString() } : { name });
    yield 0;
  }
  const sweep = startSweeps(
    {
      acquireJobLease: async () => hasLease,
      sweeps: {
        expiredTokens: () => run('expiredTokens'),
        connectLinks: () => run('connectLinks'),
        events: (olderThan) => run('events', olderThan),
        usage: (olderThan) => run('usage', olderThan),
        writes: () => run('writes'),
        audit: (olderThan) => run('audit', olderThan),
        responses: (olderThan) => run('responses', olderThan),
        contactCache: ({ olderThan }) => run('contactCache', olderThan),
      },
    },
    {
      maxBytesPerApplication: 1_000,
      onError: (error) => void errors.push(error),
      schedule: clock.schedule,
      clock,
    },
  );
  return { clock, sweep, calls, errors };
}
