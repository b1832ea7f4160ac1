import { describe, expect, test } from 'vitest';
import { FairShares, shareOf } from '../../src/admission/fair-shares.ts';
import { Places } from '../../src/admission/places.ts';
import { createFakeClock, settle } from '../support/clock.ts';

describe('fair shares', () => {
  /** Takes as many as the owner may. */
  function takeAll(places: FairShares, owner: string): number {
    let taken = 0;
    for (; places.mayTake(shareOf(owner)); taken += 1) places.take(shareOf(owner));
    return taken;
  }

  test('leave most places to others, and a free one after several owners that release nothing', () => {
    const places = new FairShares(128);
    const taken = Array.from({ length: 10 }, (_, n) => takeAll(places, `owner ${n}`));
    expect(taken[0]).toBe(43);
    expect(places.free).toBeGreaterThan(0);
    expect(places.mayTake(shareOf('a newcomer'))).toBe(true);
  });

  test('are shared in equal parts by owners that release theirs in turn', () => {
    const places = new FairShares(10);
    const owners = ['a', 'b', 'c'];
    for (let round = 0; round < 30; round += 1) {
      for (const owner of owners) {
        if (places.held.has(owner)) places.release(shareOf(owner));
        takeAll(places, owner);
      }
    }
    expect([...places.held.values()]).toEqual([2, 2, 2]);
    expect(places.free).toBe(4);
  });

  test('grant one to everybody while any is free, also where there is one only', () => {
    const places = new FairShares(1);
    expect([takeAll(places, 'a'), takeAll(places, 'b')]).toEqual([1, 0]);
    places.release(shareOf('a'));
    expect(takeAll(places, 'b')).toBe(1);
  });
});

describe('a fair queue', () => {
  function open(max = 10) {
    const clock = createFakeClock();
    const toRefusal = () => new Error('too late');
    const queue = new Places({ max, maxWaitMs: 5_000, clock, toRefusal });
    const started: string[] = [];
    const running: { readonly owner: string; end(): void }[] = [];
    const run = (owner: string) =>
      queue.run(owner, () => {
        started.push(owner);
        return new Promise<void>((resolve) => running.push({ owner, end: resolve }));
      });
    return { clock, queue, started, running, run };
  }

  test('starts the work of another owner at once, however much one has waiting', async () => {
    const { run, started, queue } = open();
    for (let n = 0; n < 1_000; n += 1) void run('greedy');
    await settle();
    expect(started).toHaveLength(4);
    void run('other');
    await settle();
    expect(started.at(-1)).toBe('other');
    expect(queue.counts().waiting).toBe(996);
  });

  test('serves the owners in turn, whatever the lengths of their queues', async () => {
    const { run, started, running } = open(1);
    for (const owner of ['a', 'a', 'a', 'a', 'b', 'c']) void run(owner);
    while (started.length < 6) {
      running.shift()?.end();
      await settle();
    }
    expect(started.join('')).toBe('aabcaa');
  });

  test('refuses work that waits too long, and not the work that runs', async () => {
    const { run, running, clock, queue } = open(1);
    const first = run('a');
    const refused = expect(run('a')).rejects.toThrow('too late');
    await settle();
    await clock.advance(5_000);
    await refused;
    expect(queue.counts().waiting).toBe(0);
    running.shift()?.end();
    await first;
    const next = run('b');
    await settle();
    running.shift()?.end();
    await next;
  });

  test('frees the slot of work that fails', async () => {
    const { queue } = open(1);
    for (let n = 0; n < 3; n += 1) {
      const failed = queue.run('a', () => Promise.reject(new Error('failed')));
      await expect(failed).rejects.toThrow('failed');
    }
  });
});
