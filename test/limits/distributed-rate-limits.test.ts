import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createDistributedRateLimits } from '../../src/limits/distributed-rate-limits.ts';
import type { SharedRedis } from '../../src/limits/redis.ts';
import { createDistributedRateLimiter } from '../../src/outbound/resilience/distributed-rate-limiter.ts';
import {
  describeOnRedis,
  freshPrefix,
  HANGING_MS,
  openRedisProxy,
  openTestRedis,
  REDIS_URL,
  until,
} from '../support/redis.ts';

const REPORT = { name: 'a:general', intervalMs: 600_000, rateLimit: undefined, pauseMs: undefined };
const ASK = { name: 'a:general', calls: 3, intervalMs: 600_000, leaseMs: 10_000 };

describeOnRedis('a budget of several processes', () => {
  const opened: SharedRedis[] = [];
  afterEach(async () => {
    for (const redis of opened.splice(0)) await redis.close();
  });

  async function open(prefix = freshPrefix(), url = REDIS_URL) {
    const redis = await openTestRedis(prefix, { url });
    opened.push(redis);
    return createDistributedRateLimits(redis, systemClock);
  }

  async function openTwo() {
    const prefix = freshPrefix();
    return [await open(prefix), await open(prefix)] as const;
  }

  test('is shared: a permit that one process takes is missing for the other', async () => {
    const [one, other] = await openTwo();
    const taken = [await one.acquire(ASK), await other.acquire(ASK), await one.acquire(ASK)];
    expect(taken).toEqual(taken.map(() => ({ permitId: expect.any(String) })));
    expect(await other.acquire(ASK)).toEqual({ waitMs: expect.any(Number) });
    expect(await other.acquire({ ...ASK, name: 'b:general' })).toHaveProperty('permitId');
  });

  test('gives concurrent requests exactly the permits that are left', async () => {
    const [one, other] = await openTwo();
    const asked = Array.from({ length: 40 }, (_, index) =>
      (index % 2 ? one : other).acquire({ ...ASK, calls: 7 }),
    );
    expect(
      (await Promise.all(asked)).filter((result) => result && 'permitId' in result),
    ).toHaveLength(7);
  });

  test('gives a cancelled permit to the other processes', async () => {
    const [one, other] = await openTwo();
    for (let call = 0; call < 2; call++) await one.acquire(ASK);
    const result = await one.acquire(ASK);
    if (result && 'permitId' in result) one.cancel(ASK.name, result.permitId);
    await one.acquire({ ...ASK, name: 'behind it' });
    expect(await other.acquire(ASK)).toHaveProperty('permitId');
  });

  test('gives the permit of a call that ended while Redis was away to the others when Redis returns', async () => {
    const prefix = freshPrefix();
    const proxy = await openRedisProxy();
    const [one, other] = [await open(prefix, proxy.url), await open(prefix)];
    const ask = { ...ASK, calls: 2 };
    const results = [await one.acquire(ask), await one.acquire(ask)];
    const [ended, cancelled] = results.map((one) => (one && 'permitId' in one ? one.permitId : ''));
    await proxy.cut();
    await until(() => !one.isConnected());
    one.release({ ...REPORT, permitId: ended });
    one.cancel(ASK.name, cancelled ?? '');
    await proxy.mend();
    await until(() => one.isConnected());
    await one.acquire({ ...ASK, name: 'behind it' });
    for (let call = 0; call < 2; call++)
      expect(await other.acquire(ask)).toHaveProperty('permitId');
    await proxy.cut();
  });

  test('follows the rate limit headers that one process received, in all processes', async () => {
    const [one, other] = await openTwo();
    const result = await one.acquire(ASK);
    const permitId = result && 'permitId' in result ? result.permitId : undefined;
    // Of ten calls two remain: one was ours, so seven were another consumer's.
    const rateLimit = { max: 10, remaining: 2, intervalMs: 600_000 };
    one.release({
      name: ASK.name,
      permitId,
      intervalMs: ASK.intervalMs,
      rateLimit,
      pauseMs: undefined,
    });
    await one.acquire({ ...ASK, name: 'behind it' });
    for (let call = 0; call < 2; call++)
      expect(await other.acquire(ASK)).toHaveProperty('permitId');
    expect(await one.acquire(ASK)).toHaveProperty('waitMs');
  });

  test('pauses all processes when the provider asks one of them to wait', async () => {
    const [one, other] = await openTwo();
    const { name, intervalMs } = ASK;
    one.release({ name, permitId: undefined, intervalMs, rateLimit: undefined, pauseMs: 600_000 });
    // A shorter pause, for a call that was under way, does not end it.
    one.release({ name, permitId: undefined, intervalMs, rateLimit: undefined, pauseMs: 1_000 });
    await one.acquire({ ...ASK, name: 'behind it' });
    const result = await other.acquire(ASK);
    const waitMs = result && 'waitMs' in result ? result.waitMs : 0;
    // By Redis' own clock, which went on meanwhile.
    expect(waitMs).toBeGreaterThan(300_000);
    expect(waitMs).toBeLessThanOrEqual(600_000);
  });

  test('regains the permit of a crashed process when its lease has expired', async () => {
    const budgets = await open();
    const long = { ...ASK, name: 'long', calls: 1, leaseMs: HANGING_MS };
    await budgets.acquire(long);
    expect(await budgets.acquire(long)).toHaveProperty('waitMs');
    const short = { ...ASK, name: 'short', calls: 1, intervalMs: 5, leaseMs: 20 };
    await budgets.acquire(short);
    await expect.poll(() => budgets.acquire(short), { interval: 1 }).toHaveProperty('permitId');
  });

  test('is never exceeded in any interval by two rate limiters in two processes together', async () => {
    const budget = { calls: 5, intervalMs: 200, concurrency: 4 };
    const lanes = (await openTwo()).map((budgets) =>
      createDistributedRateLimiter({
        budget,
        clock: systemClock,
        maxWaiting: 100,
        distributedRateLimits: budgets,
        name: 'a:search',
      }),
    );
    const calls: { sentAt: number; answeredAt: number }[] = [];
    const call = async (index: number) => {
      const lane = lanes[index % 2];
      await lane?.acquire(Date.now() + HANGING_MS);
      const sent = { sentAt: performance.now(), answeredAt: Number.POSITIVE_INFINITY };
      calls.push(sent);
      await new Promise((resolve) => setImmediate(resolve));
      sent.answeredAt = performance.now();
      lane?.release();
    };
    await Promise.all(Array.from({ length: 40 }, (_, index) => call(index)));
    expect(calls).toHaveLength(40);
    for (const { sentAt } of calls) {
      const within = calls.filter((one) => one.sentAt <= sentAt && one.answeredAt > sentAt - 200);
      expect(within.length).toBeLessThanOrEqual(5);
    }
  });
});
