import { describe, expect, test } from 'vitest';
import type { Resume } from '../../src/domain/resources.ts';
import { createConcurrencyLimit, type RequestPermit } from '../../src/http/concurrency-limit.ts';
import { fc } from '../support/fast-check.ts';
import { NO_SCHEDULING } from '../support/no-scheduling.ts';

/** The timers fire when the test calls them. */
function open(max: number, maxStrangers = max) {
  const timers = new Set<() => void>();
  const limit = createConcurrencyLimit({
    max,
    maxStrangers,
    cpuScheduler: NO_SCHEDULING,
    queuedPerSlot: 1,
    schedule(_delayMs, callback) {
      timers.add(callback);
      return () => timers.delete(callback);
    },
  });
  const enter = (application?: string, connection?: string) => {
    const permit = limit.open(application, connection);
    const taken = permit.acquire();
    const entered = { permit, isIn: taken === undefined, error: undefined as unknown };
    taken?.then(
      () => {
        entered.isIn = true;
      },
      (error: unknown) => {
        entered.error = error;
      },
    );
    return entered;
  };
  const expire = () => {
    for (const callback of [...timers]) callback();
  };
  return { limit, enter, expire, timers };
}

async function turn(): Promise<void> {
  for (let step = 0; step < 5; step += 1) await Promise.resolve();
}

const OVERLOADED = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', retryAfterMs: 1_000 });

describe('the concurrency limit', () => {
  test('gives its permits immediately, and queues the next request until one is released', async () => {
    const { limit, enter } = open(2);
    const [one, two, three] = [enter('a'), enter('b'), enter('a')];
    expect([one, two, three].map(({ isIn }) => isIn)).toEqual([true, true, false]);
    expect(limit.counts()).toMatchObject({ running: 2, queued: 1 });
    one.permit.release();
    await turn();
    expect(three.isIn).toBe(true);
    for (const { permit } of [one, two, three]) permit.release();
    expect(limit.counts()).toMatchObject({ running: 0, queued: 0 });
  });

  test('rejects a request that queues too long, and immediately one that finds the queue full', async () => {
    const { limit, enter, expire, timers } = open(1);
    const held = enter('a');
    const queued = enter('a');
    expect(() => limit.open('a').acquire()).toThrow(OVERLOADED);
    expire();
    await turn();
    expect(queued.error).toEqual(OVERLOADED);
    expect(limit.counts()).toMatchObject({
      running: 1,
      queued: 0,
      refused: { queueFull: 1, queueTimeout: 1 },
    });
    held.permit.release();
    expect([timers.size, enter('a').isIn]).toEqual([0, true]);
  });

  test('releases a permit once, however often release is called', () => {
    const { limit, enter } = open(2);
    const [one] = [enter('a'), enter('a')];
    for (let time = 0; time < 3; time += 1) one.permit.release();
    one.permit.abandon();
    expect(limit.counts().running).toBe(1);
  });

  test('gives an application no further permits when one permit is released repeatedly', () => {
    const { limit, enter } = open(20);
    const [one] = Array.from({ length: 19 }, () => enter('a'));
    for (let time = 0; time < 20; time += 1) one?.permit.release();
    expect([enter('a'), enter('a')].map(({ isIn }) => isIn)).toEqual([true, false]);
    expect(limit.counts()).toMatchObject({ running: 19, queued: 1 });
  });

  test('drops a queued request whose client disconnects', async () => {
    const { limit, enter } = open(1);
    const held = enter('a');
    const queued = enter('a');
    queued.permit.abandon();
    await turn();
    expect(queued.error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    held.permit.release();
    expect(limit.counts()).toMatchObject({ running: 0, queued: 0 });
  });
});

describe('fair sharing of permits', () => {
  test('gives one application alone nearly all permits, and keeps one for another', () => {
    const { limit, enter } = open(100);
    for (let index = 0; index < 150; index += 1) enter('a');
    expect(limit.counts()).toMatchObject({ running: 95, queued: 55 });
    expect(enter('b').isIn).toBe(true);
    const few = open(2);
    expect(['a', 'a', 'b'].map((name) => few.enter(name).isIn)).toEqual([true, false, true]);
  });

  test('gives a freed permit to the waiting application with the fewest permits', async () => {
    const { enter } = open(20);
    const large = Array.from({ length: 38 }, () => enter('large'));
    const small = Array.from({ length: 10 }, () => enter('small'));
    expect([countIn(large), countIn(small)]).toEqual([19, 1]);
    for (const { permit } of large.slice(0, 9)) permit.release();
    await turn();
    expect(countIn(small)).toBe(10);
  });

  test('alternates between applications with equal numbers of permits', async () => {
    const { enter } = open(4);
    const held = Array.from({ length: 4 }, () => enter('x'));
    const queued = ['a', 'a', 'b', 'b'].map((name) => ({ name, entered: enter(name) }));
    const order: string[] = [];
    for (const { permit } of held) {
      permit.release();
      await turn();
      order.push(...queued.filter(({ entered }) => entered.isIn).map(({ name }) => name));
      for (const [index, { entered }] of queued.entries())
        if (entered.isIn) queued.splice(index, 1);
    }
    expect(order).toEqual(['a', 'b', 'a', 'b']);
  });

  test('makes room in a full queue for an application with fewer queued requests', async () => {
    const { limit, enter } = open(20);
    const large = Array.from({ length: 38 }, () => enter('large'));
    for (let index = 0; index < 2; index += 1) enter('middle');
    const small = enter('small');
    await turn();
    expect([small.error, large.at(-1)?.error]).toEqual([undefined, OVERLOADED]);
    expect(limit.counts().queued).toBe(20);
  });

  test('counts unauthenticated requests as one application, with few permits and a short queue', () => {
    const { limit, enter } = open(1_000, 20);
    for (let index = 0; index < 40; index += 1) enter();
    expect(limit.counts()).toMatchObject({ running: 20, queued: 20, strangers: 20 });
    expect(() => limit.open(undefined).acquire()).toThrow(OVERLOADED);
    expect(enter('a').isIn).toBe(true);
  });
});

describe('connections of one application', () => {
  test('one connection alone has nearly all permits; a freed permit goes to the waiting connection with the fewest', async () => {
    const { limit, enter } = open(20);
    const large = Array.from({ length: 30 }, () => enter('a', 'large'));
    expect(limit.counts()).toMatchObject({ running: 19, queued: 11 });
    const small = Array.from({ length: 4 }, () => enter('a', 'small'));
    for (const { permit } of large.slice(0, 4)) permit.release();
    await turn();
    expect(countIn(small)).toBe(4);
    large[5]?.permit.release();
    await turn();
    expect(limit.counts()).toMatchObject({ running: 19, queued: 10 });
  });

  test('the connection with most queued requests loses one to another connection when the application’s queue is full', async () => {
    const { limit, enter } = open(20);
    const large = Array.from({ length: 38 }, () => enter('a', 'large'));
    const small = [enter('a', 'small'), enter('a')];
    await turn();
    expect(small.map(({ error }) => error)).toEqual([undefined, undefined]);
    expect(large.slice(-3).map(({ error }) => error)).toEqual([undefined, OVERLOADED, OVERLOADED]);
    expect(() => limit.open('a', 'large').acquire()).toThrow(OVERLOADED);
    expect(limit.counts().queued).toBe(19);
  });

  test('requests that resume are served before new ones, whatever their connection', async () => {
    const { enter } = open(1);
    const [first] = [enter('a', 'x')];
    const resume = first.permit.pause();
    const second = enter('a', 'y');
    const resumed = resume();
    const third = enter('a', 'z');
    second.permit.release();
    await resumed;
    expect(third.isIn).toBe(false);
  });
});

describe('waiting for a provider', () => {
  test('takes no permit, and requests that resume are served before new ones', async () => {
    const { limit, enter } = open(1);
    const one = enter('a');
    const resume = one.permit.pause();
    const two = enter('a');
    expect(two.isIn).toBe(true);
    const three = enter('a');
    const resumed = resume();
    expect(limit.counts()).toMatchObject({ running: 1, queued: 2, waiting: 0 });
    two.permit.release();
    await resumed;
    expect(three.isIn).toBe(false);
    one.permit.release();
    await turn();
    expect(three.isIn).toBe(true);
  });

  test('lasts until the last of several waits is over', () => {
    const { limit, enter } = open(2);
    const { permit } = enter('a');
    const resumes = [permit.pause(), permit.pause()];
    expect(limit.counts()).toMatchObject({ running: 0, waiting: 1 });
    void resumes[0]?.();
    void resumes[0]?.();
    expect(limit.counts()).toMatchObject({ running: 0, waiting: 1 });
    void resumes[1]?.();
    expect(limit.counts()).toMatchObject({ running: 1, waiting: 0 });
  });

  test('ends when the client disconnects: nothing more is fetched, and reserved resources are released', () => {
    const { limit, enter } = open(2);
    const { permit } = enter('a');
    const released: string[] = [];
    permit.keep({ release: () => void released.push('memory') });
    permit.whenGone(() => void released.push('told'));
    permit.whenGone(() => void released.push('never'))();
    const resume = permit.pause();
    permit.abandon();
    expect([limit.counts().waiting, released]).toEqual([0, ['memory', 'told']]);
    expect(() => resume()).toThrow();
    expect(() => permit.pause()).toThrow();
    permit.keep({ release: () => void released.push('late') });
    expect(released).toEqual(['memory', 'told', 'late']);
  });

  test('after the response needs no permit: background work continues', () => {
    const { limit, enter } = open(2);
    const { permit } = enter('a');
    permit.release();
    expect(permit.pause()()).toBeUndefined();
    expect(limit.counts()).toMatchObject({ running: 0, waiting: 0 });
  });
});

test('the concurrency limit is never exceeded, and all permits are released, in any sequence of events', async () => {
  const step = fc.record({
    what: fc.constantFrom(
      'enter',
      'enter',
      'enter',
      'release',
      'abandon',
      'pause',
      'resume',
      'expire',
    ),
    who: fc.constantFrom(undefined, 'a', 'b', 'c'),
    connection: fc.constantFrom(undefined, 'x', 'y'),
    which: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.array(step, { maxLength: 80 }),
      async (max, steps) => {
        const { limit, expire } = open(max, 2);
        const permits: RequestPermit[] = [];
        const resumes: Resume[] = [];
        const ignore = () => undefined;
        const attempt = (work: () => unknown) => {
          try {
            Promise.resolve(work()).catch(ignore);
          } catch {
            // Rejected, or its client disconnected.
          }
        };
        for (const { what, who, connection, which } of steps) {
          const permit = permits[which % permits.length];
          if (what === 'enter') {
            const entered = limit.open(who, connection);
            permits.push(entered);
            attempt(() => entered.acquire());
          } else if (what === 'expire') expire();
          else if (what === 'resume')
            attempt(() => resumes.splice(which % Math.max(1, resumes.length), 1)[0]?.());
          else if (what === 'pause') attempt(() => permit && resumes.push(permit.pause()));
          else if (permit) permit[what as 'release' | 'abandon']();
          const counts = limit.counts();
          expect(counts.running).toBeGreaterThanOrEqual(0);
          expect(counts.running).toBeLessThanOrEqual(max);
          expect(counts.strangers).toBeLessThanOrEqual(2);
          // Nothing is queued while no permit is taken.
          if (counts.queued > 0) expect(counts.running).toBeGreaterThan(0);
          if (which % 3 === 0) await Promise.resolve();
        }
        for (const permit of permits) permit.release();
        expect(limit.counts()).toMatchObject({ running: 0, queued: 0, waiting: 0, strangers: 0 });
      },
    ),
    { numRuns: 500 },
  );
});

function countIn(entered: readonly { readonly isIn: boolean }[]): number {
  return entered.filter(({ isIn }) => isIn).length;
}
