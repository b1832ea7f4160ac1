import { describe, expect, test } from 'vitest';
import type { RateLimit } from '../../src/domain/provider.ts';
import { createRateLimiter, type RateLimiter } from '../../src/outbound/resilience/rate-limiter.ts';
import { createFakeClock, type FakeClock, settle } from '../support/clock.ts';
import { fc } from '../support/fast-check.ts';

const TEN_SECONDS: RateLimit = { calls: 3, intervalMs: 10_000, concurrency: 10 };

describe('a rate limiter', () => {
  test('admits calls immediately, without a promise, while the budget lasts', () => {
    const { limiter, clock } = open(TEN_SECONDS);
    for (let call = 0; call < 3; call++) expect(limiter.acquire(clock.now() + 100)).toBeUndefined();
    expect(limiter.acquire(clock.now() + 60_000)).toBeInstanceOf(Promise);
  });

  test('counts a call from its sending until one interval after its answer', async () => {
    const { limiter, clock } = open({ calls: 1, intervalMs: 1_000, concurrency: 9 });
    void limiter.acquire(clock.now() + 100);
    await clock.advance(700);
    limiter.release();
    const went = watch(limiter.acquire(clock.now() + 60_000));
    await clock.advance(999);
    expect(went()).toBe(false);
    await clock.advance(1_000 / 100 + 1);
    expect(went()).toBe(true);
  });

  test('requires no spacing while the budget is ample, then the one at which the rest lasts', () => {
    const { limiter, clock } = open({ calls: 10, intervalMs: 1_000, concurrency: 10 });
    const asked = Array.from({ length: 6 }, () => {
      void limiter.acquire(clock.now() + 100);
      return limiter.spacingMs();
    });
    expect(asked).toEqual([0, 0, 0, 0, 100, 100]);
    expect(open({ concurrency: 1 }).limiter.spacingMs()).toBe(0);
  });

  test('admits calls in order of arrival', async () => {
    const { limiter, clock } = open({ concurrency: 1 });
    const order: string[] = [];
    void limiter.acquire(clock.now() + 100);
    for (const name of ['a', 'b', 'c'])
      void limiter.acquire(clock.now() + 60_000)?.then(() => order.push(name));
    for (let call = 0; call < 3; call++) {
      limiter.release();
      await settle();
    }
    expect(order).toEqual(['a', 'b', 'c']);
  });

  test('admits a retry before calls that were never sent', async () => {
    const { limiter, clock } = open({ concurrency: 1 });
    const order: string[] = [];
    void limiter.acquire(clock.now() + 100);
    void limiter.acquire(clock.now() + 60_000)?.then(() => order.push('new'));
    void limiter.acquire(clock.now() + 60_000, { inFront: true })?.then(() => order.push('again'));
    limiter.release();
    await settle();
    expect(order).toEqual(['again']);
  });

  test('keeps the number of concurrent calls within the limit', () => {
    const { limiter, clock } = open({ concurrency: 2 });
    expect([1, 2, 3].map(() => limiter.acquire(clock.now() + 100) === undefined)).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('rejects immediately a call that cannot be sent before its deadline, with the time to retry', async () => {
    const { limiter, clock } = open(TEN_SECONDS);
    for (let call = 0; call < 3; call++) void limiter.acquire(clock.now() + 100);
    for (let call = 0; call < 3; call++) limiter.release();
    await clock.advance(4_000);
    await expect(limiter.acquire(clock.now() + 5_000)).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_RATE_LIMITED',
      retryAfterMs: 6_100,
    });
    expect(watch(limiter.acquire(clock.now() + 7_000))()).toBe(false);
  });

  test('counts the calls in front when it rejects a call', async () => {
    const { limiter, clock } = open({ calls: 1, intervalMs: 1_000, concurrency: 9 });
    void limiter.acquire(clock.now() + 100);
    const first = limiter.acquire(clock.now() + 3_500);
    const second = limiter.acquire(clock.now() + 3_500);
    await expect(limiter.acquire(clock.now() + 2_500)).rejects.toMatchObject({
      retryAfterMs: 3_000,
    });
    for (const waiting of [first, second]) waiting?.catch(() => undefined);
  });

  test('rejects a waiting call at its deadline', async () => {
    const { limiter, clock } = open({ concurrency: 1 });
    void limiter.acquire(clock.now() + 100);
    const waiting = expect(limiter.acquire(clock.now() + 2_000)).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_RATE_LIMITED',
      retryAfterMs: expect.any(Number),
    });
    await clock.advance(2_000);
    await waiting;
    limiter.release();
    expect(limiter.acquire(clock.now() + 100)).toBeUndefined();
  });

  test('bounds the number of waiting calls', async () => {
    const { limiter, clock } = open({ concurrency: 1 }, 2);
    void limiter.acquire(clock.now() + 100);
    for (let call = 0; call < 2; call++)
      limiter.acquire(clock.now() + 1_000)?.catch(() => undefined);
    await expect(limiter.acquire(clock.now() + 1_000)).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_RATE_LIMITED',
    });
    await clock.advance(1_000);
  });

  test('pauses for as long as the provider asks, and rejects immediately calls that cannot wait', async () => {
    const { limiter, clock } = open({ concurrency: 2 });
    void limiter.acquire(clock.now() + 100);
    void limiter.acquire(clock.now() + 100);
    const impatient = expect(limiter.acquire(clock.now() + 1_000)).rejects.toMatchObject({
      retryAfterMs: 3_000,
    });
    const patient = watch(limiter.acquire(clock.now() + 9_000));
    limiter.release({ pauseMs: 3_000 });
    await impatient;
    await clock.advance(2_999);
    expect(patient()).toBe(false);
    await clock.advance(1);
    expect(patient()).toBe(true);
  });

  test('regains the permit of a cancelled call', async () => {
    const { limiter, clock } = open({ calls: 1, intervalMs: 10_000, concurrency: 1 });
    void limiter.acquire(clock.now() + 100);
    const next = watch(limiter.acquire(clock.now() + 60_000));
    limiter.cancel();
    await settle();
    expect(next()).toBe(true);
  });

  test('is idle only when it has no state worth keeping', async () => {
    const { limiter, clock } = open(TEN_SECONDS);
    expect(limiter.isIdle()).toBe(true);
    void limiter.acquire(clock.now() + 100);
    expect(limiter.isIdle()).toBe(false);
    limiter.release();
    expect(limiter.isIdle()).toBe(false);
    await clock.advance(10_200);
    expect(limiter.isIdle()).toBe(true);
  });
});

describe('the rate limit headers of a provider', () => {
  test('raise or lower the limit', () => {
    const { limiter, clock } = open(TEN_SECONDS);
    void limiter.acquire(clock.now() + 100);
    limiter.release({ rateLimit: { remaining: 189, max: 190, intervalMs: 10_000 } });
    expect(goNow(limiter, clock, 20)).toBe(10);
  });

  test('count the calls of other consumers for one interval', async () => {
    const { limiter, clock } = open({ calls: 10, intervalMs: 10_000, concurrency: 99 });
    void limiter.acquire(clock.now() + 100);
    limiter.release({ rateLimit: { remaining: 2, max: 10, intervalMs: 10_000 } });
    expect(goNow(limiter, clock, 20)).toBe(2);
    limiter.release({ rateLimit: { remaining: 0, max: 10, intervalMs: 10_000 } });
    limiter.release({ rateLimit: { remaining: 0, max: 10, intervalMs: 10_000 } });
    expect(goNow(limiter, clock, 20)).toBe(0);
    await clock.advance(10_100);
    expect(goNow(limiter, clock, 20)).toBe(10);
  });

  test('stop the limiter for a minute when nothing is left of a daily limit', async () => {
    const { limiter, clock } = open({ concurrency: 5 });
    void limiter.acquire(clock.now() + 100);
    limiter.release({ rateLimit: { remaining: 0, max: 15_000, intervalMs: 86_400_000 } });
    await expect(limiter.acquire(clock.now() + 10_000)).rejects.toMatchObject({
      retryAfterMs: 60_000,
    });
    await clock.advance(60_000);
    void limiter.acquire(clock.now() + 100);
    limiter.release({ rateLimit: { remaining: 14_000, max: 15_000, intervalMs: 86_400_000 } });
    expect(goNow(limiter, clock, 20)).toBe(5);
  });
});

test('a provider’s window never overflows, whenever it counts a call between sending and response', async () => {
  const call = fc.record({
    waitMs: fc.nat(900),
    lastsMs: fc.nat(1_500),
    countedAt: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { maxLength: 40 }),
      fc.integer({ min: 1, max: 6 }),
      async (calls, limit) => {
        const { limiter, clock } = open({ calls: limit, intervalMs: 1_000, concurrency: 5 });
        const counted: number[] = [];
        for (const { waitMs, lastsMs, countedAt } of calls) {
          await clock.advance(waitMs);
          const send = () => {
            counted.push(clock.now() + lastsMs * countedAt);
            clock.schedule(lastsMs, () => limiter.release());
          };
          const turn = limiter.acquire(clock.now() + 20_000);
          if (turn) turn.then(send, () => undefined);
          else send();
        }
        await clock.advance(60_000);
        for (const end of counted) {
          expect(counted.filter((at) => at > end - 1_000 && at <= end).length).toBeLessThanOrEqual(
            limit,
          );
        }
      },
    ),
    { numRuns: 25 },
  );
});

describe('a rate limiter’s calls in the background', () => {
  const BACKGROUND = { isBackground: true };

  test('have half of the limit, and the others have the rest at once', () => {
    const { limiter, clock } = open({ calls: 10, intervalMs: 10_000, concurrency: 20 });
    const later = clock.now() + 60_000;
    const turns = Array.from({ length: 8 }, () => limiter.acquire(later, BACKGROUND));
    expect(turns.map((turn) => watch(turn)())).toEqual([
      ...[true, true, true, true, true],
      ...[false, false, false],
    ]);
    for (let call = 0; call < 5; call += 1) expect(limiter.acquire(later)).toBeUndefined();
    expect(watch(limiter.acquire(later))()).toBe(false);
  });

  test('have half of the concurrency', () => {
    const { limiter, clock } = open({ concurrency: 5 });
    const later = clock.now() + 60_000;
    const turns = Array.from({ length: 4 }, () => limiter.acquire(later, BACKGROUND));
    expect(turns.map((turn) => watch(turn)())).toEqual([true, true, false, false]);
  });

  test('wait until no other call waits', async () => {
    const { limiter, clock } = open({ concurrency: 1 });
    const later = clock.now() + 60_000;
    void limiter.acquire(later);
    const inBackground = watch(limiter.acquire(later, BACKGROUND));
    const live = watch(limiter.acquire(later));
    limiter.release();
    await settle();
    expect([live(), inBackground()]).toEqual([true, false]);
    limiter.release();
    await settle();
    expect(inBackground()).toBe(true);
  });

  test('go on when their calls leave the window', async () => {
    const { limiter, clock } = open({ calls: 4, intervalMs: 1_000, concurrency: 9 });
    const later = clock.now() + 60_000;
    let went = 0;
    const loop = async () => {
      for (let call = 0; call < 10; call += 1) {
        await limiter.acquire(later, BACKGROUND);
        went += 1;
        limiter.release(BACKGROUND);
      }
    };
    const done = loop();
    await settle();
    expect(went).toBe(2);
    for (let second = 0; second < 9; second += 1) await clock.advance(1_100);
    await done;
    expect(limiter.queueLength()).toBe(0);
  });

  test('use at most half of a day’s calls, and leave its last tenth', async () => {
    const { limiter, clock } = open({ concurrency: 9 });
    const later = clock.now() + 1_000;
    const call = async (remaining: number) => {
      await limiter.acquire(later, BACKGROUND);
      const rateLimit = { max: 20, remaining, intervalMs: 24 * 60 * 60_000 };
      limiter.release({ ...BACKGROUND, rateLimit });
    };
    for (let used = 1; used <= 10; used += 1) await call(20 - used);
    await expect(limiter.acquire(later, BACKGROUND)).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_RATE_LIMITED',
      retryAfterMs: 10 * 60_000,
    });
    expect(limiter.acquire(later)).toBeUndefined();
    const other = open({ concurrency: 9 });
    void other.limiter.acquire(later, BACKGROUND);
    const rateLimit = { max: 20, remaining: 2, intervalMs: 24 * 60 * 60_000 };
    other.limiter.release({ ...BACKGROUND, rateLimit });
    await expect(other.limiter.acquire(later, BACKGROUND)).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_RATE_LIMITED',
    });
    expect(other.limiter.acquire(later)).toBeUndefined();
  });

  test('give back what was not called', () => {
    const { limiter, clock } = open({ calls: 2, concurrency: 9 });
    const later = clock.now() + 60_000;
    expect(limiter.acquire(later, BACKGROUND)).toBeUndefined();
    limiter.cancel(undefined, true);
    expect(limiter.acquire(later, BACKGROUND)).toBeUndefined();
  });

  test('never go beyond half, whatever else is called', () => {
    const draws = fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 400 }), fc.nat({ max: 900 })), {
      maxLength: 60,
    });
    return fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 9 }), draws, async (calls, plan) => {
        const { limiter, clock } = open({ calls, intervalMs: 1_000, concurrency: 4 });
        const sent: { at: number; isBackground: boolean }[] = [];
        for (const [isBackground, pause, took] of plan) {
          const turn = limiter.acquire(clock.now() + 5_000, { isBackground }) ?? Promise.resolve();
          turn.then(
            () => {
              sent.push({ at: clock.now(), isBackground });
              clock.schedule(took, () => limiter.release({ isBackground }));
            },
            () => undefined,
          );
          await clock.advance(pause);
        }
        const background = sent.filter((call) => call.isBackground);
        for (const { at } of background) {
          const within = background.filter((other) => other.at > at - 1_000 && other.at <= at);
          expect(within.length).toBeLessThanOrEqual(Math.max(1, Math.floor(calls / 2)));
        }
      }),
    );
  });
});

function open(budget: RateLimit, maxWaiting = 100) {
  const clock = createFakeClock();
  return { clock, limiter: createRateLimiter({ budget, clock, maxWaiting }) };
}

/** How many of so many calls go at once. */
function goNow(limiter: RateLimiter, clock: FakeClock, tries: number): number {
  let went = 0;
  for (let call = 0; call < tries; call++) {
    const turn = limiter.acquire(clock.now());
    if (turn) turn.catch(() => undefined);
    else went++;
  }
  return went;
}

function watch(turn: Promise<void> | undefined): () => boolean {
  let went = turn === undefined;
  turn?.then(
    () => {
      went = true;
    },
    () => undefined,
  );
  return () => went;
}
