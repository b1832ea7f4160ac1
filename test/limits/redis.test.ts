import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDistributedRateLimits } from '../../src/limits/distributed-rate-limits.ts';
import type { Limits } from '../../src/limits/limits.ts';
import { createFakeClock } from '../support/clock.ts';
import { createFakeLog, type FakeLog } from '../support/fake-log.ts';
import {
  describeOnRedis,
  freshPrefix,
  HANGING_MS,
  openRedisProxy,
  openTestLimits,
  openTestRedis,
  until,
} from '../support/redis.ts';

const CALLER = { application: { id: 'a', name: 'A' }, credentialId: 'key' };

describeOnRedis('limits that several processes share', () => {
  let proxy: Awaited<ReturnType<typeof openRedisProxy>>;
  let log: FakeLog;
  let prefix: string;
  const opened: Limits[] = [];

  beforeEach(async () => {
    proxy = await openRedisProxy();
    log = createFakeLog();
    prefix = freshPrefix();
  });
  afterEach(async () => {
    for (const limits of opened.splice(0)) await limits.close();
    await proxy.cut();
  });

  const open = async (url = proxy.url) => {
    const limits = await openTestLimits({ url, prefix, commandTimeoutMs: HANGING_MS }, 5, log);
    opened.push(limits);
    return limits;
  };
  const refusals = async (limits: Limits, times: number) => {
    const asked = Array.from({ length: times }, () =>
      Promise.resolve(limits.consumeRateLimit({ rateLimit: undefined }, CALLER)).then(
        () => false,
        () => true,
      ),
    );
    return (await Promise.all(asked)).filter(Boolean).length;
  };

  test('allow all processes together one limit', async () => {
    const [one, other] = [await open(), await open()];
    expect(await refusals(one, 3)).toBe(0);
    expect(await refusals(other, 3)).toBe(1);
    expect(log.lines).toEqual([]);
  });

  test('are separate per process while Redis is away, and shared again when it returns, each with a log line', async () => {
    const limits = await open();
    expect(await refusals(limits, 5)).toBe(0);
    await proxy.cut();
    await until(() => limits.distributedRateLimits?.isConnected() === false);
    expect(await refusals(limits, 6)).toBe(1);
    expect(limits.distributedRateLimits?.share(1_000)).toBe(1);
    expect(
      await limits.distributedRateLimits?.acquire({
        name: 'a',
        calls: 1,
        intervalMs: 1,
        leaseMs: 1,
      }),
    ).toBeUndefined();
    limits.distributedRateLimits?.release({
      name: 'a',
      permitId: 'x',
      intervalMs: 1,
      rateLimit: undefined,
      pauseMs: 1,
    });
    limits.distributedRateLimits?.cancel('a', 'x');
    await proxy.mend();
    await until(() => limits.distributedRateLimits?.isConnected() === true);
    expect(await refusals(limits, 1)).toBe(1);
    expect(log.lines.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'Redis is unreachable: this process applies its own limits'],
      ['info', 'Redis is reachable again'],
    ]);
  });

  test('let a process start while Redis is away, with half of the budgets, because another process may run', async () => {
    await proxy.cut();
    const limits = await open();
    expect(await refusals(limits, 6)).toBe(1);
    expect(limits.distributedRateLimits?.share(1_000)).toBe(1 / 2);
    expect(log.lines).toHaveLength(1);
    await proxy.mend();
    await until(() => limits.distributedRateLimits?.isConnected() === true);
    // Calls made while Redis was away still count.
    expect(limits.distributedRateLimits?.share(1_000)).toBeLessThan(1);
  });

  test('are divided by the number of running processes, without those that have left', async () => {
    const one = await openTestRedis(prefix);
    const other = await openTestRedis(prefix);
    await until(() => one.processes() === 2 && other.processes() === 2);
    await other.close();
    await until(() => one.processes() === 1);
    await one.close();
  });

  test('keep the share of the first process that reconnects, until the others can have reconnected too', async () => {
    const clock = createFakeClock();
    const one = await openTestRedis(prefix, { url: proxy.url, clock });
    await until(() => one.processes() === 1);
    const other = await openTestRedis(prefix);
    const budgets = createDistributedRateLimits(one, clock);
    await until(() => one.processes() === 2);
    await proxy.cut();
    await until(() => !one.isConnected());
    // As after five seconds without a heartbeat.
    await other.client.del('processes');
    await other.close();
    await proxy.mend();
    await until(() => one.isConnected());
    await expect.poll(() => one.client.zcard('processes'), { interval: 1 }).toBe(1);
    expect(budgets.share(1_000)).toBe(1 / 2);
    await clock.advance(5_001);
    await until(() => one.processes() === 1);
    expect(budgets.share(1_000)).toBe(1);
    await one.close();
  });
});
