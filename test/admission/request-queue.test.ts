import { describe, expect, test, vi } from 'vitest';
import { createMemory } from '../../src/admission/memory.ts';
import { type EnteredRequest, RequestQueue } from '../../src/admission/request-queue.ts';
import { fc } from '../support/fast-check.ts';

const OVERLOADED = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', retryAfterMs: 1_000 });

describe('places', () => {
  test('a request begins at once while places are free, and else when one is', async () => {
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

  test('are in use while a request has one, and a moment after the last arrival', async () => {
    const { queue, enter, iterate, clock } = open({ maxBegun: 3 });
    expect(queue.isInUse()).toBe(false);
    const { request } = enter('a', 'x');
    await iterate();
    clock.advance(1_000);
    expect(queue.isInUse()).toBe(true);
    request.end();
    expect(queue.isInUse()).toBe(false);
    enter('a', 'x').request.end();
    expect(queue.isInUse()).toBe(true);
    clock.advance(20);
    expect(queue.isInUse()).toBe(false);
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

test('the memory of a request is released when it ends, and what is kept later at once', async () => {
  const { enter, iterate, memory } = open({ maxBegun: 10 });
  const { request } = enter('a');
  await iterate();
  request.reserve(100);
  request.reserve(200);
  expect(memory.counts().held).toBe(300);
  expect(() => request.reserve(10_000)).toThrow(OVERLOADED);
  const kept: string[] = [];
  request.keep({ release: () => void kept.push('early') });
  request.end();
  request.keep({ release: () => void kept.push('late') });
  expect([memory.counts().held, kept]).toEqual([0, ['early', 'late']]);
});

test('what several requests use is charged to their application once, until the last of them ends', async () => {
  const { enter, iterate, memory } = open({ maxBegun: 10 });
  const [one, two, other] = [enter('a'), enter('a'), enter('b')].map(({ request }) => request);
  await iterate();
  const shared = {};
  one?.use(shared, 100);
  two?.use(shared, 100);
  two?.use(shared, 100);
  expect(memory.counts().kinds.operation.held).toBe(100);
  // Another application pays for itself: it could otherwise keep the first one charged.
  other?.use(shared, 100);
  expect(memory.counts().held).toBe(200);
  expect(() => one?.use({}, 10_000)).toThrow(OVERLOADED);
  one?.end();
  expect(memory.counts().held).toBe(200);
  two?.end();
  expect(memory.counts().held).toBe(100);
  // Unauthenticated clients share a quarter.
  const stranger = enter().request;
  expect(() => stranger.use({}, 300)).toThrow(OVERLOADED);
  stranger.end();
  // It is charged again where it is used again.
  const { request: later } = enter('a');
  await iterate();
  later.use(shared, 100);
  expect(memory.counts().held).toBe(200);
  other?.end();
  later.end();
  later.use(shared, 100);
  expect(memory.counts().held).toBe(0);
});

describe('turns', () => {
  test('short pieces share an iteration of the event loop', async () => {
    const { work, done } = openWork();
    for (const name of ['a', 'b', 'c']) await work(name, 2);
    expect(done).toEqual(['a', 'b', 'c']);
  });

  test('after a long piece the others get an iteration each, in order', async () => {
    const { work, done, iterate } = openWork();
    await work('a', 100);
    for (const name of ['b', 'c']) void work(name, 100);
    await iterate();
    expect(done).toEqual(['a']);
    await iterate();
    expect(done).toEqual(['a', 'b']);
    await iterate();
    expect(done).toEqual(['a', 'b', 'c']);
  });

  test('short pieces that waited share an iteration too', async () => {
    const { work, done, iterate } = openWork();
    await work('a', 100);
    for (const name of ['b', 'c', 'd', 'e']) void work(name, 2);
    await iterate(2);
    expect(done).toEqual(['a', 'b', 'c', 'd']);
    await iterate();
    expect(done).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('an iteration runs at most 64 pieces, even if they take no time', async () => {
    const { work, done, iterate } = openWork();
    await work('a', 100);
    for (let piece = 0; piece < 100; piece++) void work(`${piece}`, 0);
    await iterate(2);
    expect(done).toHaveLength(1 + 64);
    await iterate();
    expect(done).toHaveLength(1 + 100);
  });

  test('go to the applications in turn, whatever their number of pieces, and to connections likewise', async () => {
    const { work, done, iterate } = openWork();
    await work('a', 100);
    for (const name of ['b', 'c', 'd']) void work(name, 100);
    void work('theirs', 100, { application: 'two' });
    void work('of another connection', 100, { connection: 'y' });
    await iterate(6);
    expect(done).toEqual(['a', 'b', 'theirs', 'of another connection', 'c', 'd']);
  });

  test('of one connection, the request that arrived first finishes first', async () => {
    const { queue, done, run, iterate } = openWork();
    const work = async (name: string) => {
      const request = queue.enter({ application: 'one', connection: 'x' });
      for (const piece of [1, 2, 3]) {
        await request.takeTurn();
        run(`${name}${piece}`, 10);
      }
    };
    void Promise.all(['a', 'b', 'c'].map(work));
    await iterate(8);
    // The slice of the first iteration has room for one piece of each.
    expect(done.slice(3)).toEqual(['a2', 'a3', 'b2', 'b3', 'c2', 'c3']);
  });

  test('a newcomer does not take the place that a queued request of its application waits for', async () => {
    const { enter, iterate, queue } = open({ maxBegun: 2 });
    const before = enter('a', 'x');
    const first = enter('a', 'x');
    before.request.end();
    await iterate(3);
    expect(first.state).toBe('begun');
    const queued = enter('a', 'x');
    await iterate(3);
    expect(queued.state).toBe('queued');
    // In one phase of the event loop, the first works, ends, and a newcomer arrives.
    expect(first.request.takeTurn()).toBeUndefined();
    first.request.end();
    const newcomer = enter('a', 'x');
    await settle();
    expect(newcomer.state).toBe('queued');
    await iterate(3);
    expect(queued.state).toBe('begun');
    expect(queue.counts()).toMatchObject({ running: 1, queued: 1 });
  });

  test('a request continues while its time lasts, and then waits like others, also those of its application', async () => {
    const { queue, run, work, done, iterate } = openWork();
    await work('a', 100);
    const request = queue.enter({ application: 'two', connection: 'x' });
    const step = async (name: string, ms: number) => {
      const turn = request.takeTurn();
      if (turn) await turn;
      run(name, ms);
    };
    void step('first', 0.1)
      .then(() => {
        void work('another', 1, { application: 'two' });
        return step('at once', 100);
      })
      .then(() => step('later', 1));
    for (const name of ['b', 'c']) void work(name, 100);
    await iterate(2);
    expect(done).toEqual(['a', 'first', 'at once']);
    await iterate(4);
    expect(done).toEqual(['a', 'first', 'at once', 'b', 'later', 'c', 'another']);
  });

  test('requests that have begun come before new ones of their application', async () => {
    const { work, begin, done, iterate } = openWork();
    await work('a', 100);
    for (const name of ['new 1', 'new 2']) begin(name, 100);
    void work('begun', 100);
    begin('theirs, new', 100, 'two');
    await iterate(6);
    expect(done).toEqual(['a', 'begun', 'theirs, new', 'new 1', 'new 2']);
  });

  test('of other applications are not delayed by requests that wait for a place', async () => {
    const { queue, enter, iterate, clock } = open({ maxBegun: 1, maxQueued: 100 });
    const { request } = enter('a', 'x');
    await iterate();
    enter('a', 'y');
    await iterate(3);
    clock.advance(1);
    const turn = queue.takeTurn(request);
    expect(turn).toBeUndefined();
  });

  test('nothing is scheduled while nothing waits', async () => {
    const { work, loop, iterate } = openWork();
    await work('a', 100);
    await iterate();
    await work('b', 100);
    await iterate(2);
    expect(loop).toEqual([]);
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
      'turn',
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
          else if (what === 'turn') void takeTurn(request);
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
        expect(queue.counts()).toMatchObject({ running: 0, queued: 0, unauthenticated: 0 });
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
}) {
  const loop: (() => void)[] = [];
  const clock = createStepClock();
  const memory = createMemory({ maxBytes: 1_000 });
  const queue = new RequestQueue({
    ...options,
    memory,
    clock,
    defer: (callback) => loop.push(callback),
  });
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
  return { queue, enter, iterate, clock, loop, memory, begun };
}

function openWork() {
  const { queue, iterate, clock, loop } = open({ maxBegun: 100 });
  const done: string[] = [];
  const run = (name: string, ms: number) => {
    clock.advance(ms);
    done.push(name);
  };
  return {
    queue,
    iterate,
    loop,
    done,
    run,
    async work(name: string, ms: number, { application = 'one', connection = 'x' } = {}) {
      const turn = queue.enter({ application, connection }).takeTurn();
      if (turn) await turn;
      run(name, ms);
    },
    begin(name: string, ms: number, application = 'one') {
      const request = queue.enter({ application, connection: 'x' });
      void begin(request).then(() => run(name, ms));
    },
  };
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

/** Ignores that its client may have disconnected. */
async function takeTurn(request: EnteredRequest | undefined): Promise<void> {
  try {
    await request?.takeTurn();
  } catch {}
}
