import { beforeEach, describe, expect, test } from 'vitest';
import { createRateLimitHub, type RateLimitHub } from '../../src/workers/rate-limit-hub.ts';

let now: number;
let hub: RateLimitHub;
beforeEach(() => {
  now = 5_000;
  hub = createRateLimitHub({ workers: 2, now: () => now });
});

describe('Counted units', () => {
  const count = (units: number, points: number) =>
    hub.count({ key: 'application a', units, points, windowMs: 60_000 });

  test('a small limit is counted one by one', () => {
    expect(count(1, 10)).toEqual({ count: 1, resetMs: 60_000, spare: 0 });
    now += 1_000;
    expect(count(9, 10)).toEqual({ count: 10, resetMs: 59_000, spare: 0 });
    expect(count(1, 10).count).toBe(11);
  });

  test('of a large limit a worker gets units in advance, and fewer as the limit comes nearer', () => {
    const spares: number[] = [];
    for (let counted = 0; counted <= 32_000; ) {
      const { count: sum, spare } = count(1, 32_000);
      counted = sum;
      spares.push(spare);
    }
    expect(spares[0]).toBe(999);
    expect(spares).toEqual(spares.toSorted((a, b) => b - a));
    expect(spares.at(-1)).toBe(0);
    expect(spares.length).toBeLessThan(400);
  });

  test('a window begins again after its time', () => {
    count(10, 10);
    now += 60_000;
    expect(count(1, 10)).toEqual({ count: 1, resetMs: 60_000, spare: 0 });
  });
});

describe('Permits of provider calls', () => {
  const name = 'connection:search';
  const limit = { name, calls: 2, intervalMs: 1_000, ahead: 0 };
  const acquire = (leaseMs = 10_000) => hub.acquire({ ...limit, leaseMs });
  const release = (permitId: string | undefined, more = {}) =>
    hub.release([
      {
        name,
        permitId,
        intervalMs: 1_000,
        rateLimit: undefined,
        pauseMs: undefined,
        ...more,
      },
    ]);
  const id = (result: ReturnType<typeof acquire>) =>
    'permitIds' in result ? result.permitIds[0] : undefined;

  test('a permit counts from its call until one interval after the response', () => {
    const first = id(acquire());
    expect(id(acquire())).toBeDefined();
    release(first);
    // The next one is free when the first one has left the window, with a hundredth of tolerance.
    expect(acquire()).toEqual({ waitMs: 1_000 });
    now += 1_009;
    expect(acquire()).toEqual({ waitMs: 1 });
    now += 1;
    expect(id(acquire())).toBeDefined();
    expect(acquire()).toHaveProperty('waitMs');
  });

  test('of a large limit a worker gets permits in advance, and none as the limit comes nearer', () => {
    const counts: number[] = [];
    for (let granted = 0; granted < 190; ) {
      const result = hub.acquire({ ...limit, calls: 190, leaseMs: 1_000, ahead: 16 });
      const count = 'permitIds' in result ? result.permitIds.length : 0;
      granted += count;
      counts.push(count);
    }
    expect(counts[0]).toBe(6);
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
    expect(counts.at(-1)).toBe(1);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(190);
    expect(acquire()).toHaveProperty('waitMs');
  });

  test('a canceled permit is free at once', () => {
    acquire();
    hub.cancel({ name, permitIds: [String(id(acquire()))] });
    expect(id(acquire())).toBeDefined();
  });

  test('the permit of a worker that was killed expires with its lease', () => {
    acquire(3_000);
    acquire(3_000);
    now += 3_999;
    expect(acquire()).toEqual({ waitMs: 1 });
    now += 1;
    expect(id(acquire())).toBeDefined();
  });

  test('a pause and a limit that the provider reports hold for all workers, and calls of other clients count', () => {
    release(id(acquire()), { rateLimit: { max: 5, remaining: 1, intervalMs: 1_000 } });
    // Three of the five are calls of others, one is ours.
    expect(id(acquire())).toBeDefined();
    expect(acquire()).toHaveProperty('waitMs');
    now += 1_010;
    expect([1, 2, 3, 4].map(() => id(acquire()) !== undefined)).toEqual(Array(4).fill(true));
    expect(acquire()).toHaveProperty('waitMs');
    release(undefined, { pauseMs: 30_000 });
    now += 29_000;
    expect(acquire()).toEqual({ waitMs: 1_000 });
  });

  test('limits that are not used any more are removed', () => {
    for (let number = 0; number < 100; number += 1)
      hub.acquire({ ...limit, name: `${number}:search`, leaseMs: 1_000 });
    expect(hub.size()).toBe(100);
    now += 60_000;
    acquire();
    expect(hub.size()).toBe(1);
  });
});
