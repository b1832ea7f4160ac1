import { describe, expect, test, vi } from 'vitest';
import { createHeavyPlaces } from '../../src/admission/heavy-places.ts';
import { type EnteredRequest, RequestQueue } from '../../src/admission/request-queue.ts';
import { fc } from '../support/fast-check.ts';

const OVERLOADED = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', retryAfterMs: 1_000 });

describe('places', () => {
  test('a request begins immediately while a place is free, and otherwise as soon as one becomes free', async () => {
    const { queue, enter, iterate } = open({ maxBegun: 3 });
    const [one, two, three] = [enter('a', 'x'), enter('a', 'y'), enter('a', 'z')];
    await iterate();
    expect([one, two, three].map(({ state }) => state)).toEqual(['begun', 'begun', 'queued']);
    expect(queue.counts()).toMatchObject({ running: 2, queued: 1 });
    one.request.end();
    await iterate(3);
    expect(three.state).toBe('begun');
    for (const { request } of [one, two, three]) request.end();
    expect(queue.counts()).toMatchObject({ running: 0, queued: 0 });
  });

  test('an application alone gets half of them, and a connection alone a third', async () => {
    const { queue, enter, iterate } = open({ maxBegun: 60 });
    for (let n = 0; n < 30; n += 1) enter('a', 'x');
    await iterate(3);
    expect(queue.counts()).toMatchObject({ running: 20, queued: 10 });
    for (let n = 0; n < 30; n += 1) enter('a', `${n}`);
    await iterate();
    expect(queue.counts()).toMatchObject({ running: 30, queued: 30, refused: { queueFull: 0 } });
    enter('b');
    await iterate(3);
    expect(queue.counts().running).toBe(31);
  });

  test('have room for another request until half of them, or a quarter of the queue, are taken', async () => {
    const { queue, enter, iterate } = open({ maxBegun: 60 });
    for (let n = 0; n < 29; n += 1) enter('a', `${n}`);
    await iterate(3);
    expect(queue.hasRoom()).toBe(true);
    const last = enter('a', 'y');
    await iterate();
    expect(queue.hasRoom()).toBe(false);
    last.request.end();
    expect(queue.hasRoom()).toBe(true);
  });

  test('limit unauthenticated requests, which are one owner, to a number of their own', async () => {
    const { queue, enter, iterate } = open({ maxBegun: 1_000, maxUnauthenticated: 20 });
    for (let n = 0; n < 40; n += 1) enter();
    await iterate();
    expect(queue.counts()).toMatchObject({ running: 20, unauthenticated: 20, queued: 20 });
  });

  test('are free again once, however often a request ends', async () => {
    const { queue, enter, iterate } = open({ maxBegun: 60 });
    const [one] = Array.from({ length: 25 }, () => enter('a', 'x'));
    await iterate();
    for (let time = 0; time < 3; time += 1) one?.request.end();
    one?.request.disconnect();
    await iterate(3);
    expect(queue.counts()).toMatchObject({ running: 20, queued: 4 });
  });

  test('go to the applications in turn, and to the connections of an application in turn', async () => {
    const { enter, iterate, begun } = open({ maxBegun: 1, maxQueued: 100 });
    const first = enter('x');
    await iterate();
    const waiting = ['a 1', 'a 1', 'a 2', 'a 1', 'b 1', 'b 2'].map((name) => {
      const [application, connection] = name.split(' ');
      return { name, ...enter(application, connection) };
    });
    first.request.end();
    for (const _ of waiting) {
      await iterate(4);
      begun.at(-1)?.end();
    }
    const names = begun
      .slice(1)
      .map((request) => waiting.find((entered) => entered.request === request)?.name);
    expect(names).toEqual(['a 1', 'b 1', 'a 2', 'b 2', 'a 1', 'a 1']);
  });
});

describe('the queue', () => {
  test('refuses a request that has waited too long, and one that finds the share of its owner full', async () => {
    const { queue, enter, iterate, clock } = open({ maxBegun: 1, maxQueued: 3 });
    enter('a');
    await iterate();
    const waiting = enter('a');
    const full = enter('a');
    await iterate();
    expect([waiting.state, full.error]).toEqual(['queued', OVERLOADED]);
    clock.advance(4_999);
    await iterate();
    expect(waiting.state).toBe('queued');
    clock.advance(1);
    await iterate();
    expect(waiting.error).toEqual(OVERLOADED);
    expect(queue.counts()).toMatchObject({
      running: 1,
      queued: 0,
      refused: { queueFull: 1, queueTimeout: 1 },
    });
  });

  test('always has room for another owner', async () => {
    const { enter, iterate } = open({ maxBegun: 1, maxQueued: 20 });
    for (const application of ['a', 'b', 'c'])
      for (let n = 0; n < 20; n += 1) enter(application, `${n}`);
    await iterate();
    expect(enter('d').error).toBeUndefined();
  });

  test('counts what has not begun, by connection', async () => {
    const { enter, iterate } = open({ maxBegun: 1, maxQueued: 100 });
    const first = enter('a', 'x');
    await iterate();
    enter('a', 'x');
    enter('a', 'x');
    enter('a', 'y');
    expect(first.request.countQueued()).toBe(2);
  });
});

describe('a client that disconnects', () => {
  test('leaves the queue', async () => {
    const { queue, enter, iterate } = open({ maxBegun: 1, maxQueued: 3 });
    enter('a');
    await iterate();
    const waiting = enter('a');
    waiting.request.disconnect();
    await iterate();
    expect(waiting.error).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    waiting.request.end();
    expect(queue.counts()).toMatchObject({ running: 1, queued: 0 });
  });

  test('aborts the signal of its request', async () => {
    const { enter, iterate } = open({ maxBegun: 10 });
    const { request } = enter('a');
    const { signal } = request;
    await iterate();
    const listener = vi.fn<() => void>();
    signal.add(listener);
    expect(signal.isAborted).toBe(false);
    request.disconnect();
    expect(signal.isAborted).toBe(true);
    expect(listener).toHaveBeenCalledOnce();
  });

  test('cannot begin', async () => {
    const { queue } = open({ maxBegun: 10 });
    const request = queue.enter({ application: 'a' });
    request.disconnect();
    await expect(begin(request)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    request.end();
    expect(queue.counts().running).toBe(0);
  });
});

describe('an iteration of the event loop', () => {
  test('begins 16 requests, and the next one those that had to wait', async () => {
    const { enter, iterate, queue } = open({ maxBegun: 1_000 });
    for (let n = 0; n < 40; n += 1) enter('a', `${n}`);
    expect(queue.counts()).toMatchObject({ running: 16, queued: 24 });
    await iterate();
    expect(queue.counts()).toMatchObject({ running: 32, queued: 8 });
    await iterate();
    expect(queue.counts()).toMatchObject({ running: 40, queued: 0 });
  });

  test('lets another application pass before what waits of a busy one', async () => {
    const { enter, iterate } = open({ maxBegun: 1_000 });
    for (let n = 0; n < 200; n += 1) enter('a', `${n}`);
    const other = enter('b');
    await iterate();
    expect(other.state).toBe('begun');
  });

  test('begins a request of another application at once, however many wait for a place', async () => {
    const { enter, iterate } = open({ maxBegun: 2, maxQueued: 100 });
    for (let n = 0; n < 10; n += 1) enter('a', `${n}`);
    await iterate(3);
    const other = enter('b');
    await iterate();
    expect(other.state).toBe('begun');
  });

  test('nothing is scheduled while nothing waits', async () => {
    const { enter, iterate, loop } = open({ maxBegun: 10 });
    enter('a').request.end();
    await iterate();
    expect(loop).toEqual([]);
  });
});

describe('heavy requests', () => {
  const LARGE = 300 * 1024;

  test('have a few places, of which an application gets all but one', async () => {
    const { enter, queue, iterate } = open({ maxBegun: 100, maxHeavy: 3 });
    const [one, two, three] = Array.from({ length: 3 }, (_, n) => enter('a', `${n}`).request);
    expect(one?.beHeavy()).toBeUndefined();
    await iterate();
    expect([two?.beHeavy(), one?.beHeavy()]).toEqual([undefined, undefined]);
    await iterate();
    const waiting = three?.beHeavy();
    expect(waiting).toBeInstanceOf(Promise);
    expect(enter('b').request.beHeavy()).toBeUndefined();
    expect(queue.counts().heavy).toEqual({ taken: 3, waiting: 1 });
    one?.end();
    await iterate();
    await waiting;
    two?.end();
    three?.end();
    three?.end();
    await iterate();
    expect(queue.counts().heavy).toEqual({ taken: 1, waiting: 0 });
  });

  test('begin one in each iteration of the event loop, so that others run in between', async () => {
    const { enter, queue, iterate } = open({ maxBegun: 100, maxHeavy: 8 });
    const requests = Array.from({ length: 5 }, (_, n) => enter(`${n}`).request);
    const waits = requests.map((request) => request.beHeavy());
    expect(waits.map((wait) => wait instanceof Promise)).toEqual([false, true, true, true, true]);
    for (let taken = 1; taken <= 5; taken += 1) {
      expect(queue.counts().heavy).toEqual({ taken, waiting: 5 - taken });
      await iterate();
    }
    await Promise.all(waits);
  });

  test('are those that read much, in one part or in many', async () => {
    const { enter, queue } = open({ maxBegun: 100, maxHeavy: 3 });
    const { request } = enter('a');
    for (let part = 0; part < 3; part += 1) expect(request.read(LARGE / 4)).toBeUndefined();
    expect(queue.counts().heavy.taken).toBe(0);
    expect(request.read(LARGE / 4)).toBeUndefined();
    expect(queue.counts().heavy.taken).toBe(1);
    expect(() => request.read(1e9)).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
    request.end();
    expect(queue.counts().heavy.taken).toBe(0);
  });

  test('know what they have read since it was last taken', () => {
    const { request } = open({ maxBegun: 100, maxHeavy: 3 }).enter('a');
    void request.read(700);
    void request.read(300);
    expect(request.takeReadBytes()).toBe(1_000);
    void request.read(50);
    expect([request.takeReadBytes(), request.takeReadBytes()]).toEqual([50, 0]);
  });

  test('that turn heavy while they read are refused where as many as there are places wait', async () => {
    const { enter, clock, iterate } = open({ maxBegun: 100, maxHeavy: 2 });
    expect(enter('a').request.beHeavy()).toBeUndefined();
    await iterate();
    const waiting = ['1', '2'].map((connection) => enter('a', connection).request.read(LARGE));
    expect(() => enter('a', '3').request.read(LARGE)).toThrow(OVERLOADED);
    clock.advance(5_000);
    for (const one of waiting) await expect(one).rejects.toEqual(OVERLOADED);
  });

  test('leave the line when their client disconnects, and give a place back that comes after their end', async () => {
    const { enter, queue, iterate } = open({ maxBegun: 100, maxHeavy: 2 });
    const first = enter('a').request;
    expect(first.beHeavy()).toBeUndefined();
    await iterate();
    const [gone, ended] = ['1', '2'].map((connection) => enter('a', connection).request);
    const left = gone?.beHeavy();
    const late = ended?.beHeavy();
    gone?.disconnect();
    await expect(left).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    ended?.end();
    first.end();
    await late;
    await iterate();
    expect(queue.counts().heavy).toEqual({ taken: 0, waiting: 0 });
  });
});

test('in any sequence of events, places are never exceeded, and all of them are free in the end', async () => {
  const step = fc.record({
    what: fc.constantFrom(
      'enter',
      'enter',
      'enter',
      'end',
      'disconnect',
      'heavy',
      'read',
      'iterate',
      'wait',
    ),
    who: fc.constantFrom(undefined, 'a', 'b', 'c'),
    connection: fc.constantFrom(undefined, 'x', 'y'),
    which: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.array(step, { maxLength: 80 }),
      async (maxBegun, steps) => {
        const { queue, enter, iterate, clock } = open({ maxBegun, maxUnauthenticated: 2 });
        const requests: EnteredRequest[] = [];
        for (const { what, who, connection, which } of steps) {
          const request = requests[which % requests.length];
          if (what === 'enter') requests.push(enter(who, connection).request);
          else if (what === 'iterate') await iterate();
          else if (what === 'wait') clock.advance(which % 3_000);
          else if (what === 'heavy') void attempt(() => request?.beHeavy());
          else if (what === 'read') void attempt(() => request?.read(which % 400_000));
          else if (what === 'end') request?.end();
          else request?.disconnect();
          const counts = queue.counts();
          expect(counts.running).toBeGreaterThanOrEqual(0);
          expect(counts.running).toBeLessThanOrEqual(maxBegun);
          expect(counts.unauthenticated).toBeLessThanOrEqual(2);
          expect(counts.queued).toBeGreaterThanOrEqual(0);
        }
        for (let n = 0; n < 200 && queue.counts().queued > 0; n += 1) {
          for (const request of requests) request.disconnect();
          await iterate();
        }
        await iterate(3);
        for (const request of requests) request.end();
        await iterate(3);
        expect(queue.counts()).toMatchObject({
          running: 0,
          queued: 0,
          unauthenticated: 0,
          heavy: { taken: 0, waiting: 0 },
        });
      },
    ),
    { numRuns: 300 },
  );
});

/** The iterations of the event loop run, and time passes, when the test says so. */
function open(options: {
  readonly maxBegun: number;
  readonly maxUnauthenticated?: number;
  readonly maxQueued?: number;
  readonly maxHeavy?: number;
}) {
  const loop: (() => void)[] = [];
  const clock = createStepClock();
  const defer = (callback: () => void) => loop.push(callback);
  const heavy = createHeavyPlaces({ clock, max: options.maxHeavy ?? 4, defer });
  const queue = new RequestQueue({ ...options, heavy, clock, defer });
  const begun: EnteredRequest[] = [];
  const enter = (application?: string, connection?: string) => {
    const request = queue.enter({ application, connection });
    const entered: Entered = { request, state: 'arrived', error: undefined };
    const before = queue.counts().queued;
    begin(request).then(
      () => {
        entered.state = 'begun';
        begun.push(request);
      },
      (error: unknown) => {
        entered.error = error;
      },
    );
    if (queue.counts().queued > before) entered.state = 'queued';
    return entered;
  };
  const iterate = async (times = 1) => {
    for (let time = 0; time < times; time += 1) {
      for (const callback of loop.splice(0)) {
        callback();
        await settle();
      }
      await settle();
    }
  };
  return { queue, enter, iterate, clock, loop, begun };
}

/** As the request handler does, with all failures as rejections. */
async function begin(request: EnteredRequest): Promise<void> {
  const queued = request.begin();
  if (queued) await queued;
}

function createStepClock() {
  let now = 0;
  const timers = new Map<() => void, number>();
  return {
    now: () => now,
    schedule(delayMs: number, callback: () => void) {
      timers.set(callback, now + delayMs);
      return () => timers.delete(callback);
    },
    advance(ms: number) {
      now += ms;
      for (const [callback, at] of [...timers]) {
        if (at > now) continue;
        timers.delete(callback);
        callback();
      }
    },
  };
}

/** Long enough for every fulfilled promise to settle. */
async function settle(): Promise<void> {
  for (let step = 0; step < 10; step += 1) await Promise.resolve();
}

interface Entered {
  readonly request: EnteredRequest;
  state: 'arrived' | 'queued' | 'begun';
  error: unknown;
}

/** Ignores refusals, and that its client may have disconnected. */
async function attempt(work: () => Promise<void> | undefined): Promise<void> {
  try {
    await work();
  } catch {}
}
