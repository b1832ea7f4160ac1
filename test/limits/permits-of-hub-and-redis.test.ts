import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RateLimitStatus } from '../../src/domain/provider.ts';
import { ACQUIRE_SCRIPT, RELEASE_SCRIPT } from '../../src/limits/distributed-rate-limits.ts';
import { NOW } from '../../src/limits/redis.ts';
import { createRateLimitHub } from '../../src/workers/rate-limit-hub.ts';
import { fc } from '../support/fast-check.ts';
import { describeOnRedis, freshPrefix, HANGING_MS, REDIS_URL } from '../support/redis.ts';

const NAME = 'a:general';
const EXPIRE = `redis.call('PEXPIRE', key,`;
const ASKED = { name: NAME, calls: 3, intervalMs: 1_000 };

describeOnRedis('permits of provider calls', () => {
  let redis: Redis;
  beforeAll(() => {
    redis = new Redis(REDIS_URL);
  });
  afterAll(async () => {
    await redis.quit();
  });

  test('are granted and refused alike by the supervisor of workers and by Redis', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 5, maxLength: 40 }), async (steps) => {
        let at = 1_000_000;
        const hub = createRateLimitHub({ workers: 2, now: () => at });
        const shared = createPermitsInRedis(() => at);
        const held: Permit[] = [];
        for (const [index, { kind, ms, which, rateLimit }] of steps.entries()) {
          at += ms;
          if (kind === 'acquire') {
            const id = `permit ${index}`;
            const mine = hub.acquire({ ...ASKED, leaseMs: which * 100, ahead: 0 });
            const waitMs = await shared.acquire(id, which * 100);
            expect(waitMs).toBe('waitMs' in mine ? mine.waitMs : 0);
            if ('permitIds' in mine) held.push({ hub: mine.permitIds[0] ?? '', redis: id });
            continue;
          }
          const [permit] = held.splice(which % Math.max(1, held.length), 1);
          if (kind === 'cancel' && permit) {
            hub.cancel({ name: NAME, permitIds: [permit.hub] });
            await shared.cancel(permit.redis);
          }
          if (kind === 'release') {
            const pauseMs = which > 8 ? 300 : 0;
            const released = { name: NAME, intervalMs: ASKED.intervalMs, rateLimit, pauseMs };
            hub.release([{ ...released, permitId: permit?.hub }]);
            await shared.release(permit?.redis ?? `other ${index}`, pauseMs, rateLimit);
          }
        }
        await shared.remove();
      }),
      { numRuns: 200 },
    );
  });

  /** The scripts of the product, by a clock of the test. */
  function createPermitsInRedis(now: () => number) {
    const prefix = freshPrefix();
    const keys = [`${prefix}permits`, `${prefix}facts`] as const;
    // Redis expires keys by its own clock: here not before the test removes them, however long its steps take.
    const run = (script: string, values: readonly (string | number)[]) =>
      redis.eval(
        script.replace(NOW, `local now = ${now()}`).replaceAll(EXPIRE, `${EXPIRE} ${HANGING_MS} +`),
        2,
        ...keys,
        ...values,
      );
    return {
      acquire: async (id: string, leaseMs: number) =>
        Number(await run(ACQUIRE_SCRIPT, [ASKED.calls, ASKED.intervalMs, leaseMs, id])),
      cancel: (id: string) => redis.zrem(keys[0], id),
      release: (id: string, pauseMs: number, rateLimit: RateLimitStatus | undefined) => {
        const { max = 0, remaining = 0, intervalMs = ASKED.intervalMs } = rateLimit ?? {};
        return run(RELEASE_SCRIPT, [id, intervalMs, pauseMs, max, remaining]);
      },
      remove: () => redis.del(...keys),
    };
  }
});

const STEP = fc.record({
  kind: fc.constantFrom('acquire', 'acquire', 'release', 'cancel'),
  /** Time that passes before it. */
  ms: fc.constantFrom(0, 0, 1, 120, 400, 1_000),
  which: fc.integer({ min: 0, max: 10 }),
  rateLimit: fc.option(
    fc.record({
      max: fc.integer({ min: 1, max: 8 }),
      remaining: fc.integer({ min: 0, max: 8 }),
      intervalMs: fc.constantFrom(500, 2_000),
    }),
    { nil: undefined },
  ),
});

interface Permit {
  readonly hub: string;
  readonly redis: string;
}
