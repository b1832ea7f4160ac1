import { describe, expect, test } from 'vitest';
import type { Budget } from '../../src/domain/provider.ts';
import { createLane, type Lane } from '../../src/outbound/pace/lane.ts';
import { createFakeClock, type FakeClock, settle } from '../support/clock.ts';
import { fc } from '../support/fast-check.ts';

const TEN_SECONDS: Budget = { calls: 3, intervalMs: 10_000, concurrency: 10 };

describe('a lane', () => {
  test('lets calls go at once, without a promise, while the budget lasts', () => {
    const { lane, clock } = open(TEN_SECONDS);
    for (let call = 0; call < 3; call++) expect(lane.enter(clock.now() + 100)).toBeUndefined();
    expect(lane.enter(clock.now() + 60_000)).toBeInstanceOf(Promise);
  });

  test('counts a call from its sending until one interval after its answer', async () => {
    const { lane, clock } = open({ calls: 1, intervalMs: 1_000, concurrency: 9 });
    void lane.enter(clock.now() + 100);
    await clock.advance(700);
    lane.leave();
    const went = watch(lane.enter(clock.now() + 60_000));
    await clock.advance(999);
    expect(went()).toBe(false);
    await clock.advance(1_000 / 100 + 1);
    expect(went()).toBe(true);
  });

  test('asks for no distance while there is plenty, then for the one at which the rest lasts', () => {
    const { lane, clock } = open({ calls: 10, intervalMs: 1_000, concurrency: 10 });
    const asked = Array.from({ length: 6 }, () => {
      void lane.enter(clock.now() + 100);
      return lane.spacingMs();
    });
    expect(asked).toEqual([0, 0, 0, 0, 100, 100]);
    expect(open({ concurrency: 1 }).lane.spacingMs()).toBe(0);
  });

  test('keeps the order of coming', async () => {
    const { lane, clock } = open({ concurrency: 1 });
    const order: string[] = [];
    void lane.enter(clock.now() + 100);
    for (const name of ['a', 'b', 'c']) void lane.enter(clock.now() + 60_000)?.then(() => order.push(name));
    for (let call = 0; call < 3; call++) {
      lane.leave();
      await settle();
    }
    expect(order).toEqual(['a', 'b', 'c']);
  });

  test('lets a second try go before those that never had a first', async () => {
    const { lane, clock } = open({ concurrency: 1 });
    const order: string[] = [];
    void lane.enter(clock.now() + 100);
    void lane.enter(clock.now() + 60_000)?.then(() => order.push('new'));
    void lane.enter(clock.now() + 60_000, { inFront: true })?.then(() => order.push('again'));
    lane.leave();
    await settle();
    expect(order).toEqual(['again']);
  });

  test('has no more under way at once than is allowed', () => {
    const { lane, clock } = open({ concurrency: 2 });
    expect([1, 2, 3].map(() => lane.enter(clock.now() + 100) === undefined)).toEqual([true, true, false]);
  });

  test('refuses at once what cannot be sent before its deadline, and says when to come back', async () => {
    const { lane, clock } = open(TEN_SECONDS);
    for (let call = 0; call < 3; call++) void lane.enter(clock.now() + 100);
    for (let call = 0; call < 3; call++) lane.leave();
    await clock.advance(4_000);
    await expect(lane.enter(clock.now() + 5_000)).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_RATE_LIMITED',
      retryAfterMs: 6_100,
    });
    expect(watch(lane.enter(clock.now() + 7_000))()).toBe(false);
  });

  test('counts those in front when it says that there is no time', async () => {
    const { lane, clock } = open({ calls: 1, intervalMs: 1_000, concurrency: 9 });
    void lane.enter(clock.now() + 100);
    const first = lane.enter(clock.now() + 3_500);
    const second = lane.enter(clock.now() + 3_500);
    await expect(lane.enter(clock.now() + 2_500)).rejects.toMatchObject({ retryAfterMs: 3_000 });
    for (const waiting of [first, second]) waiting?.catch(() => undefined);
  });

  test('lets go at its deadline whoever still waits', async () => {
    const { lane, clock } = open({ concurrency: 1 });
    void lane.enter(clock.now() + 100);
    const waiting = expect(lane.enter(clock.now() + 2_000)).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_RATE_LIMITED',
      retryAfterMs: expect.any(Number),
    });
    await clock.advance(2_000);
    await waiting;
    lane.leave();
    expect(lane.enter(clock.now() + 100)).toBeUndefined();
  });

  test('has a bound on how many wait', async () => {
    const { lane, clock } = open({ concurrency: 1 }, 2);
    void lane.enter(clock.now() + 100);
    for (let call = 0; call < 2; call++) lane.enter(clock.now() + 1_000)?.catch(() => undefined);
    await expect(lane.enter(clock.now() + 1_000)).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_RATE_LIMITED',
    });
    await clock.advance(1_000);
  });

  test('pauses for as long as the provider asks, and tells at once who cannot wait', async () => {
    const { lane, clock } = open({ concurrency: 2 });
    void lane.enter(clock.now() + 100);
    void lane.enter(clock.now() + 100);
    const impatient = expect(lane.enter(clock.now() + 1_000)).rejects.toMatchObject({ retryAfterMs: 3_000 });
    const patient = watch(lane.enter(clock.now() + 9_000));
    lane.leave({ pauseMs: 3_000 });
    await impatient;
    await clock.advance(2_999);
    expect(patient()).toBe(false);
    await clock.advance(1);
    expect(patient()).toBe(true);
  });

  test('is given back the turn of a call that was not made', async () => {
    const { lane, clock } = open({ calls: 1, intervalMs: 10_000, concurrency: 1 });
    void lane.enter(clock.now() + 100);
    const next = watch(lane.enter(clock.now() + 60_000));
    lane.leaveUnsent();
    await settle();
    expect(next()).toBe(true);
  });

  test('is idle only when it would not be missed', async () => {
    const { lane, clock } = open(TEN_SECONDS);
    expect(lane.isIdle()).toBe(true);
    void lane.enter(clock.now() + 100);
    expect(lane.isIdle()).toBe(false);
    lane.leave();
    expect(lane.isIdle()).toBe(false);
    await clock.advance(10_200);
    expect(lane.isIdle()).toBe(true);
  });
});

describe('what the provider says of its budget', () => {
  test('makes the lane wider or narrower', () => {
    const { lane, clock } = open(TEN_SECONDS);
    void lane.enter(clock.now() + 100);
    lane.leave({ allowance: { remaining: 189, max: 190, intervalMs: 10_000 } });
    expect(goNow(lane, clock, 20)).toBe(10);
  });

  test('counts the calls of others until one interval later', async () => {
    const { lane, clock } = open({ calls: 10, intervalMs: 10_000, concurrency: 99 });
    void lane.enter(clock.now() + 100);
    lane.leave({ allowance: { remaining: 2, max: 10, intervalMs: 10_000 } });
    expect(goNow(lane, clock, 20)).toBe(2);
    lane.leave({ allowance: { remaining: 0, max: 10, intervalMs: 10_000 } });
    lane.leave({ allowance: { remaining: 0, max: 10, intervalMs: 10_000 } });
    expect(goNow(lane, clock, 20)).toBe(0);
    await clock.advance(10_100);
    expect(goNow(lane, clock, 20)).toBe(10);
  });

  test('of a whole day stops the lane for a minute when nothing is left', async () => {
    const { lane, clock } = open({ concurrency: 5 });
    void lane.enter(clock.now() + 100);
    lane.leave({ allowance: { remaining: 0, max: 15_000, intervalMs: 86_400_000 } });
    await expect(lane.enter(clock.now() + 10_000)).rejects.toMatchObject({ retryAfterMs: 60_000 });
    await clock.advance(60_000);
    void lane.enter(clock.now() + 100);
    lane.leave({ allowance: { remaining: 14_000, max: 15_000, intervalMs: 86_400_000 } });
    expect(goNow(lane, clock, 20)).toBe(5);
  });
});

test('whenever the provider counts a call between its sending and its answer, its window never overflows', async () => {
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
        const { lane, clock } = open({ calls: limit, intervalMs: 1_000, concurrency: 5 });
        const counted: number[] = [];
        for (const { waitMs, lastsMs, countedAt } of calls) {
          await clock.advance(waitMs);
          const send = () => {
            counted.push(clock.now() + lastsMs * countedAt);
            clock.schedule(lastsMs, () => lane.leave());
          };
          const turn = lane.enter(clock.now() + 20_000);
          if (turn) turn.then(send, () => undefined);
          else send();
        }
        await clock.advance(60_000);
        for (const end of counted) {
          expect(counted.filter((at) => at > end - 1_000 && at <= end).length).toBeLessThanOrEqual(limit);
        }
      },
    ),
    { numRuns: 25 },
  );
});

function open(budget: Budget, maxWaiting = 100) {
  const clock = createFakeClock();
  return { clock, lane: createLane({ budget, clock, maxWaiting }) };
}

/** How many of so many calls go at once. */
function goNow(lane: Lane, clock: FakeClock, tries: number): number {
  let went = 0;
  for (let call = 0; call < tries; call++) {
    const turn = lane.enter(clock.now());
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
