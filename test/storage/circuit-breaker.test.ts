import { expect, test } from 'vitest';
import { createDatabaseBreaker } from '../../src/storage/engine/circuit-breaker.ts';
import { openEngine } from '../../src/storage/engine/open.ts';
import { createFakeClock, settle } from '../support/clock.ts';

const AWAY = { code: 'SERVICE_UNAVAILABLE', retryAfterMs: 1_000 };
const never = () => new Promise<never>(() => {});

test('waiting work is rejected when probes have failed for the maximum wait, and new work is then rejected immediately', async () => {
  const { breaker, clock, probe } = open();
  probe.isThere = false;
  const refused = watch(breaker.run(never));
  await clock.advance(2_400);
  expect(refused()).toBeUndefined();
  await clock.advance(1_000);
  expect(refused()).toMatchObject(AWAY);
  let tried = 0;
  await expect(breaker.run(async () => (tried += 1))).rejects.toMatchObject(AWAY);
  expect([tried, breaker.mayWait()]).toEqual([0, false]);
});

test('work waits at most the maximum wait, also when the probe gets no response', async () => {
  const { breaker, clock, probe } = open();
  probe.look = () =>
    new Promise((_, reject) => {
      clock.schedule(1_500, () => reject(new Error('timeout expired')));
    });
  const refused = watch(breaker.run(never));
  await clock.advance(100);
  // Was under way already when the server froze.
  await breaker.run(async () => 'answered');
  await clock.advance(2_499);
  expect(refused()).toBeUndefined();
  await clock.advance(1);
  expect(refused()).toMatchObject(AWAY);
});

test('one probe at a time runs while the database is unavailable, and the first response closes the circuit breaker', async () => {
  const { breaker, clock, probe } = open();
  probe.isThere = false;
  watch(breaker.run(never));
  await clock.advance(10_000);
  expect(probe.looks).toBeLessThan(25);
  probe.isThere = true;
  await clock.advance(500);
  expect(await breaker.run(async () => 'answered')).toBe('answered');
  expect(breaker.mayWait()).toBe(true);
  await clock.advance(10_000);
  expect(clock.pending).toBe(0);
});

test('failing probes reject no work while other statements succeed', async () => {
  const { breaker, clock, probe } = open();
  probe.isThere = false;
  const stuck = watch(breaker.run(never));
  for (let second = 0; second < 10; second += 1) {
    await breaker.run(async () => 'answered');
    await clock.advance(1_000);
  }
  expect(stuck()).toBeUndefined();
});

test('work that waits for a lock is not rejected, because the probe succeeds', async () => {
  const { breaker, clock, probe } = open();
  const locked = watch(breaker.run(never));
  await clock.advance(60_000);
  expect([locked(), probe.looks > 1]).toEqual([undefined, true]);
});

test('on a read-only database each statement is tried once, until the database is writable', async () => {
  const { breaker, clock, probe } = open();
  probe.isReadOnly = true;
  const written = watch(breaker.run(never));
  await clock.advance(1_000);
  expect([written(), breaker.mayWait()]).toEqual([undefined, false]);
  expect(await breaker.run(async () => 'read')).toBe('read');
  probe.isReadOnly = false;
  await clock.advance(500);
  expect(breaker.mayWait()).toBe(true);
});

test('a statement that exceeded its time keeps others from being retried for a while', async () => {
  const { breaker, clock } = open();
  const late = breaker.run(async () => {
    await clock.advance(5_000);
    throw new Error('a lock');
  });
  await expect(late).rejects.toThrow('a lock');
  expect(breaker.mayWait()).toBe(false);
  await clock.advance(900);
  await expect(breaker.run(() => Promise.reject(new Error('a lock')))).rejects.toThrow('a lock');
  await clock.advance(900);
  expect(breaker.mayWait()).toBe(false);
  await clock.advance(100);
  expect(breaker.mayWait()).toBe(true);
});

test('work waits at most 2.5 s by default', async () => {
  const clock = createFakeClock();
  const engine = await openEngine({ url: 'postgres://127.0.0.1:1/nobody' }, { clock });
  const refused = watch(engine.once(never));
  await clock.advance(1_000);
  // Shares the probe that is running.
  await expect(engine.ping()).rejects.toMatchObject(AWAY);
  await clock.advance(1_499);
  expect(refused()).toBeUndefined();
  await clock.advance(1);
  expect(refused()).toMatchObject(AWAY);
  await engine.close();
});

function open() {
  const clock = createFakeClock();
  const probe = {
    isThere: true,
    isReadOnly: false,
    looks: 0,
    async look() {
      probe.looks += 1;
      if (!probe.isThere) throw new Error('connect ECONNREFUSED');
      return { isReadOnly: probe.isReadOnly };
    },
  };
  return { breaker: createDatabaseBreaker({ probe, clock, patienceMs: 2_500 }), clock, probe };
}

/** The error that the work was rejected with; undefined while it is pending. */
function watch(work: Promise<unknown>): () => unknown {
  let error: unknown;
  work.catch((reason) => {
    error = reason;
  });
  void settle();
  return () => error;
}
