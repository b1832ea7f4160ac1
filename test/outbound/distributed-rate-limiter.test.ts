import { describe, expect, test } from 'vitest';
import type {
  DistributedRateLimits,
  PermitRelease,
  PermitRequest,
  PermitResult,
} from '../../src/domain/distributed-rate-limits.ts';
import { createDistributedRateLimiter } from '../../src/outbound/resilience/distributed-rate-limiter.ts';
import { createFakeClock, settle } from '../support/clock.ts';

describe('a rate limiter with a shared budget', () => {
  test('acquires a shared permit for each call, with a lease until its deadline', async () => {
    const { limiter, clock, asks } = open();
    await limiter.acquire(clock.now() + 3_000);
    expect(asks).toEqual([{ name: 'a:search', calls: 4, intervalMs: 1_000, leaseMs: 3_000 }]);
  });

  test('uses a permit that is at hand, without a promise and without a request', async () => {
    const { limiter, clock, asks, held, reports } = open();
    held.push('at hand');
    expect(limiter.acquire(clock.now() + 3_000)).toBeUndefined();
    await limiter.acquire(clock.now() + 3_000);
    limiter.release();
    expect([asks.length, reports[0]?.permitId]).toEqual([1, 'at hand']);
  });

  test('repeats a refused request when the wait is over, and makes no other request before', async () => {
    const { limiter, clock, asks, answers } = open();
    answers.push({ waitMs: 700 });
    const order: string[] = [];
    void limiter.acquire(clock.now() + 5_000)?.then(() => order.push('first'));
    await settle();
    void limiter.acquire(clock.now() + 5_000)?.then(() => order.push('second'));
    await clock.advance(699);
    expect([order, asks.length]).toEqual([[], 1]);
    await clock.advance(1);
    expect([order, asks.length]).toEqual([['first', 'second'], 3]);
  });

  test('rejects immediately a call that cannot wait that long', async () => {
    const { limiter, clock, answers } = open();
    answers.push({ waitMs: 700 });
    await expect(limiter.acquire(clock.now() + 500)).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_RATE_LIMITED',
      retryAfterMs: 700,
    });
  });

  test('reports the rate limit headers, and does not count calls of other processes as another consumer’s', async () => {
    const { limiter, clock, reports } = open();
    await limiter.acquire(clock.now() + 3_000);
    const rateLimit = { remaining: 1, max: 20, intervalMs: 10_000 };
    limiter.release({ rateLimit, pauseMs: undefined });
    expect(reports).toEqual([
      { name: 'a:search', permitId: 'permit 1', intervalMs: 1_000, rateLimit, pauseMs: undefined },
    ]);
    const admitted = Array.from({ length: 9 }, () => limiter.acquire(clock.now() + 3_000));
    await Promise.all(admitted);
    expect(limiter.calls()).toBe(20);
  });

  test('cancels an unused permit', async () => {
    const { limiter, clock, given } = open();
    await limiter.acquire(clock.now() + 3_000);
    limiter.cancel();
    expect(given).toEqual(['permit 1']);
    expect(limiter.isIdle()).toBe(true);
  });

  test('admits calls within its share immediately, without a promise, while Redis is away', async () => {
    const { limiter, clock, state, asks } = open();
    state.isConnected = false;
    state.share = 1 / 2;
    const admitted = [1, 2, 3].map(() => limiter.acquire(clock.now() + 100));
    expect(admitted.map((one) => one === undefined)).toEqual([true, true, false]);
    await expect(admitted[2]).rejects.toMatchObject({ code: 'REMOTE_PROVIDER_RATE_LIMITED' });
    expect(asks).toEqual([]);
  });

  test('admits calls within its share when Redis does not respond', async () => {
    const { limiter, clock, answers, state } = open();
    answers.push(undefined, undefined, undefined);
    state.share = 1 / 2;
    const admitted = [1, 2, 3].map(() => limiter.acquire(clock.now() + 100));
    const outcomes = await Promise.allSettled(admitted);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(limiter.queueLength()).toBe(0);
  });

  test('limits calls to the share also when they were admitted locally before', async () => {
    const { limiter, clock, answers, state } = open();
    answers.push(undefined, undefined, undefined);
    const admitted = [1, 2, 3].map(() => limiter.acquire(clock.now() + 100));
    state.share = 1 / 4;
    const outcomes = await Promise.allSettled(admitted);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('counts the calls of other consumers in the rate limit headers while Redis is away', async () => {
    const { limiter, clock, state } = open();
    state.isConnected = false;
    void limiter.acquire(clock.now() + 100);
    limiter.release({ rateLimit: { remaining: 0, max: 20, intervalMs: 10_000 } });
    await expect(limiter.acquire(clock.now() + 100)).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_RATE_LIMITED',
    });
  });
});

function open() {
  const clock = createFakeClock();
  const state = { isConnected: true, share: 1 };
  const asks: PermitRequest[] = [];
  const reports: PermitRelease[] = [];
  const given: string[] = [];
  const answers: (PermitResult | undefined)[] = [];
  const held: string[] = [];
  const budgets: DistributedRateLimits = {
    isConnected: () => state.isConnected,
    share: () => state.share,
    take: () => held.shift(),
    async acquire(ask) {
      asks.push(ask);
      return answers.length > 0 ? answers.shift() : { permitId: `permit ${asks.length}` };
    },
    cancel: (_name, permitId) => void given.push(permitId),
    release: (report) => void reports.push(report),
  };
  const budget = { calls: 4, intervalMs: 1_000, concurrency: 10 };
  const limiter = createDistributedRateLimiter({
    budget,
    clock,
    maxWaiting: 100,
    distributedRateLimits: budgets,
    name: 'a:search',
  });
  return { limiter, clock, state, asks, reports, given, answers, held };
}
