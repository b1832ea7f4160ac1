import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import type { SupervisorCalls } from '../../src/workers/calls.ts';
import { createRateLimitHub } from '../../src/workers/rate-limit-hub.ts';
import { createSharedLimits } from '../../src/workers/shared-limits.ts';
import { createFakeClock } from '../support/clock.ts';
import { openLinks } from '../support/linked.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Two workers of one supervisor. */
function openWorkers(points: number) {
  const hub = createRateLimitHub({ workers: 2, now: systemClock.now });
  let asked = 0;
  const supervisor = {
    ...hub,
    count(units: Parameters<SupervisorCalls['count']>[0]) {
      asked += 1;
      return hub.count(units);
    },
  } as unknown as SupervisorCalls;
  const counts = [0, 1].map(() => {
    const { right: link, close } = openLinks(supervisor, {});
    closers.push(close);
    const limits = createSharedLimits({ link, workers: 2, clock: systemClock });
    return limits.createCount({ name: 'application', points, windowMs: 60_000 });
  });
  return { counts, asked: () => asked };
}

async function countAllowed(
  { counts }: ReturnType<typeof openWorkers>,
  { points, tries }: { readonly points: number; readonly tries: number },
) {
  let allowed = 0;
  for (let number = 0; number < tries; number += 1) {
    const { count } = (await counts[number % 2]?.('a', 1)) ?? { count: 0 };
    if (count <= points) allowed += 1;
  }
  return allowed;
}

describe('The limit of a caller over two workers', () => {
  test('a small limit is exact', async () => {
    const points = 20;
    expect(await countAllowed(openWorkers(points), { points, tries: 60 })).toBe(points);
  });

  test('a large one is never exceeded, is used for at least fifteen sixteenths, and takes few questions', async () => {
    const points = 6_000;
    const workers = openWorkers(points);
    const allowed = await countAllowed(workers, { points, tries: 7_000 });
    expect(allowed).toBeLessThanOrEqual(points);
    expect(allowed).toBeGreaterThanOrEqual((points * 15) / 16);
    expect(workers.asked()).toBeLessThan(points / 10);
  });
});

describe('While the supervisor does not answer', () => {
  const open = () => {
    const clock = createFakeClock();
    const cancelled: object[] = [];
    let answer: (permits: HubPermitIds) => void = () => {};
    const { right: link, close } = openLinks(
      {
        count: () => new Promise<never>(() => {}),
        acquire: () =>
          new Promise<HubPermitIds>((resolve) => {
            answer = resolve;
          }),
        cancel: (permit: object) => void cancelled.push(permit),
      },
      {},
    );
    closers.push(close);
    const limits = createSharedLimits({
      link: link as never,
      workers: 4,
      clock,
    });
    return { clock, limits, cancelled, answer: () => answer({ permitIds: ['late', 'too'] }) };
  };
  const permit = { name: 'c:search', calls: 5, intervalMs: 1_000, leaseMs: 10_000 };

  test('a count rejects, so that the worker counts by itself', async () => {
    const { clock, limits } = open();
    const counted = limits.createCount({ name: 'n', points: 1, windowMs: 60_000 })('a', 1);
    const outcome = expect(counted).rejects.toThrow();
    await clock.advance(1_000);
    await outcome;
  });

  test('calls to a provider keep to the share of this worker, and a late permit is returned', async () => {
    const { clock, limits, cancelled, answer } = open();
    const { distributedRateLimits: shared } = limits;
    expect(shared.share(1_000)).toBe(1);
    const acquired = shared.acquire(permit);
    await clock.advance(1_000);
    expect(await acquired).toBeUndefined();
    expect(shared.share(1_000)).toBe(1 / 4);
    answer();
    await expect.poll(() => cancelled).toEqual([{ name: 'c:search', permitIds: ['late', 'too'] }]);
    await clock.advance(2_000);
    expect(shared.share(1_000)).toBe(1);
  });
});

describe('Permits of calls to a provider over two workers', () => {
  const calls = 190;
  const request = { name: 'c:search', calls, intervalMs: 10_000, leaseMs: 5_000 };

  const open = () => {
    const clock = createFakeClock();
    const hub = createRateLimitHub({ workers: 2, now: clock.now });
    const sent: Record<string, number> = {};
    const counted = <Input, Output>(name: string, answer: (input: Input) => Output) => {
      return (input: Input) => {
        sent[name] = (sent[name] ?? 0) + 1;
        return answer(input);
      };
    };
    const workers = [0, 1].map(() => {
      const supervisor = {
        acquire: counted('acquire', hub.acquire),
        cancel: counted('cancel', hub.cancel),
        release: counted('release', hub.release),
      } as unknown as SupervisorCalls;
      const { right: link, close } = openLinks(supervisor, {});
      closers.push(close);
      return createSharedLimits({ link, workers: 2, clock }).distributedRateLimits;
    });
    const acquireAt = async (worker: number): Promise<string | undefined> => {
      const held = workers[worker]?.take(request);
      if (held !== undefined) return held;
      const result = await workers[worker]?.acquire(request);
      return result && 'permitId' in result ? result.permitId : undefined;
    };
    const release = (worker: number, permitId: string) =>
      workers[worker]?.release({
        name: request.name,
        permitId,
        intervalMs: request.intervalMs,
        rateLimit: undefined,
        pauseMs: undefined,
      });
    return { clock, sent, acquireAt, release };
  };

  test('never more calls than the limit, of which at most a sixteenth is out of reach, with few messages', async () => {
    const { sent, acquireAt, release, clock } = open();
    let granted = 0;
    for (let number = 0; number < 2 * calls; number += 1) {
      const permitId = await acquireAt(number % 2);
      if (permitId === undefined) continue;
      granted += 1;
      release(number % 2, permitId);
    }
    await clock.advance(25);
    expect(granted).toBeLessThanOrEqual(calls);
    expect(granted).toBeGreaterThanOrEqual(calls - Math.ceil(calls / 16));
    await expect.poll(() => sent['release']).toBeLessThanOrEqual(4);
    // Each call after the limit asks again.
    expect(sent['acquire']).toBeLessThan(calls + granted / 2);
  });

  test('permits that a worker does not use are free for the other one a second later', async () => {
    const { clock, sent, acquireAt } = open();
    for (let number = 0; number < 4; number += 1) await acquireAt(0);
    await clock.advance(1_000);
    await expect.poll(() => sent['cancel']).toBe(1);
    let granted = 0;
    while ((await acquireAt(1)) !== undefined) granted += 1;
    expect(granted).toBe(calls - 4);
  });

  test('a permit is not used for a call that may end after its lease', async () => {
    const { clock, acquireAt, sent } = open();
    await acquireAt(0);
    await acquireAt(0);
    const asked = sent['acquire'];
    await clock.advance(900);
    await acquireAt(0);
    expect(sent['acquire']).toBe(asked);
    await acquireAt(0);
    await acquireAt(0);
    expect(sent['acquire']).toBeGreaterThan(asked ?? 0);
  });
});

test('a window of one caller that has ended counts no further, while one of another caller goes on', async () => {
  const clock = createFakeClock();
  const answers = [
    { count: 1, resetMs: 60_000, spare: 0 },
    { count: 9, resetMs: 5_000, spare: 4 },
    { count: 1, resetMs: 60_000, spare: 0 },
  ];
  const supervisor = { count: () => answers.shift() } as unknown as SupervisorCalls;
  const { right: link, close } = openLinks(supervisor, {});
  closers.push(close);
  const limits = createSharedLimits({ link, workers: 2, clock });
  const count = limits.createCount({ name: 'application', points: 10, windowMs: 60_000 });
  await count('a', 1);
  await count('b', 1);
  await clock.advance(6_000);
  expect(await count('b', 1)).toEqual({ count: 1, resetMs: 60_000 });
});

interface HubPermitIds {
  readonly permitIds: readonly string[];
}
