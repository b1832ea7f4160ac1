import { beforeEach, describe, expect, test } from 'vitest';
import type { WorkerReady } from '../../src/workers/calls.ts';
import { type Exit, type LaunchedWorker, openFleet } from '../../src/workers/fleet.ts';
import { createFakeClock, type FakeClock, settle } from '../support/clock.ts';
import { createFakeLog, type FakeLog } from '../support/fake-log.ts';

const READY: WorkerReady = {
  url: 'http://localhost:4000',
  welcome: {
    demo: null,
    hasMcp: false,
    hasGraphiQL: false,
    agentToken: null,
    consoleKey: null,
    notes: [],
  },
};
let clock: FakeClock;
let log: FakeLog;
let launched: FakeWorker[];
/** The sockets of the last list of serving workers. */
let serving: (string | undefined)[];

beforeEach(() => {
  clock = createFakeClock();
  log = createFakeLog();
  launched = [];
  serving = [];
});

describe('A start', () => {
  test('the first worker is ready before the others start', async () => {
    const { fleet } = open(3);
    const started = fleet.start();
    await settle();
    expect(launched.map(({ place, isFirst }) => [place, isFirst])).toEqual([[0, true]]);
    launched[0]?.beReady();
    await settle();
    expect(launched.map(({ place, isFirst }) => [place, isFirst])).toEqual([
      [0, true],
      [1, false],
      [2, false],
    ]);
    for (const worker of launched.slice(1)) worker.beReady();
    expect(await started).toBe(READY);
    expect(serving).toEqual(['1', '2', '3']);
  });

  test('a worker that ends before it is ready fails the start', async () => {
    const { fleet } = open(2);
    const started = fleet.start();
    launched[0]?.end({ code: 1, signal: null });
    await expect(started).rejects.toMatchObject({ isExplained: true });
  });
});

describe('A worker that ends', () => {
  test('is left out at once, and replaced in its place without a pause if it has served for a while', async () => {
    const fleet = await start(2);
    await clock.advance(10_000);
    launched[0]?.end({ code: null, signal: 'SIGKILL' });
    await settle();
    expect(serving).toEqual([undefined, '2']);
    await clock.advance(0);
    expect(launched[2]?.place).toBe(0);
    launched[2]?.beReady();
    await settle();
    expect(serving).toEqual(['3', '2']);
    expect(fleet.counts()).toEqual({ ready: 2, restarts: 1 });
    expect(log.lines).toContainEqual({
      level: 'error',
      fields: { worker: 1, code: null, signal: 'SIGKILL' },
      message: 'a worker exited and is replaced',
    });
  });

  test('is replaced after a pause that doubles up to ten seconds while it ends at once', async () => {
    await start(1);
    const pauses: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const before = launched.length;
      const since = clock.now();
      const last = launched.at(-1);
      last?.beReady();
      await settle();
      last?.end({ code: 1, signal: null });
      while (launched.length === before) await clock.advance(100);
      pauses.push(clock.now() - since);
    }
    expect(pauses).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000, 10_000]);
  });

  test('is tried again if its successor cannot start', async () => {
    await start(2);
    launched[1]?.end({ code: 1, signal: null });
    await clock.advance(100);
    launched[2]?.end({ code: 1, signal: null });
    await clock.advance(200);
    launched[3]?.beReady();
    await settle();
    expect(serving).toEqual(['1', '4']);
  });
});

describe('A worker that does not respond', () => {
  test('is killed after half a minute, and replaced', async () => {
    const fleet = await start(2);
    const [, second] = launched;
    second?.hang();
    await clock.advance(34_000);
    expect(log.lines).toEqual([]);
    await clock.advance(1_000);
    expect(log.lines).toEqual([
      {
        level: 'error',
        fields: { worker: 2, seconds: 30 },
        message: 'a worker does not respond and is killed',
      },
      {
        level: 'error',
        fields: { worker: 2, code: null, signal: 'SIGKILL' },
        message: 'a worker exited and is replaced',
      },
    ]);
    launched[2]?.beReady();
    await settle();
    expect(serving).toEqual(['1', '3']);
    expect(fleet.counts()).toEqual({ ready: 2, restarts: 1 });
  });

  test('is kept if it responds in time, and the half minute starts over', async () => {
    await start(1);
    const [worker] = launched;
    worker?.hang();
    await clock.advance(25_000);
    worker?.respond();
    await clock.advance(10_000);
    worker?.hang();
    await clock.advance(30_000);
    expect(log.lines).toEqual([]);
  });

  test('is killed in a rolling restart, which then continues', async () => {
    const fleet = await start(1);
    const restarted = fleet.restart();
    await settle();
    const [before, successor] = launched;
    before?.hang();
    successor?.beReady();
    await settle();
    expect(before?.stopped).toBeDefined();
    await clock.advance(40_000);
    await restarted;
    expect(serving).toEqual(['2']);
    expect(fleet.counts()).toEqual({ ready: 1, restarts: 0 });
  });
});

describe('A rolling restart', () => {
  test('each worker ends when its successor is ready and known to the others', async () => {
    const fleet = await start(2);
    const restarted = fleet.restart();
    // A second signal starts no second restart.
    expect(fleet.restart()).toBe(restarted);
    await settle();
    expect(launched.length).toBe(3);
    expect(launched[0]?.stopped).toBeUndefined();
    launched[2]?.beReady();
    await settle();
    expect(serving).toEqual(['3', '2']);
    expect(launched[0]?.stopped).toEqual({ isLast: false, others: ['3', '2'] });
    expect(launched.length).toBe(3);
    launched[0]?.end({ code: 0, signal: null });
    await settle();
    launched[3]?.beReady();
    await settle();
    launched[1]?.end({ code: 0, signal: null });
    await restarted;
    expect(serving).toEqual(['3', '4']);
    expect(fleet.counts()).toEqual({ ready: 2, restarts: 0 });
  });

  test('where a successor cannot start, all workers stay', async () => {
    const fleet = await start(2);
    const restarted = fleet.restart();
    await settle();
    launched[2]?.end({ code: 1, signal: null });
    await restarted;
    expect(launched.map(({ stopped }) => stopped)).toEqual([undefined, undefined, undefined]);
    expect(serving).toEqual(['1', '2']);
    expect(log.lines.at(-1)).toMatchObject({ level: 'error' });
  });

  test('a worker that is killed while its successor starts is not replaced twice', async () => {
    const fleet = await start(1);
    const restarted = fleet.restart();
    await settle();
    launched[0]?.end({ code: null, signal: 'SIGKILL' });
    await clock.advance(20_000);
    expect(launched.length).toBe(2);
    launched[1]?.beReady();
    await restarted;
    expect(serving).toEqual(['2']);
  });
});

describe('A shutdown', () => {
  test('all workers finish, after they have stopped forwarding, and none is replaced', async () => {
    const fleet = await start(2);
    const stopped = fleet.stop();
    await settle();
    expect(launched.map((worker) => worker.stopped)).toEqual([
      { isLast: true, others: [] },
      { isLast: true, others: [] },
    ]);
    for (const worker of launched) worker.end({ code: 0, signal: null });
    expect(await stopped).toBe(true);
    await clock.advance(60_000);
    expect(launched.length).toBe(2);
    expect(clock.pending).toBe(0);
  });

  test('reports that a worker has cut requests off', async () => {
    const fleet = await start(2);
    const stopped = fleet.stop();
    await settle();
    launched[0]?.end({ code: 1, signal: null });
    launched[1]?.end({ code: 0, signal: null });
    expect(await stopped).toBe(false);
  });
});

function open(count: number) {
  const fleet = openFleet({
    count,
    clock,
    log,
    async onChange(workers) {
      serving = workers.map((worker) => worker?.socket);
    },
    launch(place, { isFirst }) {
      const worker = createFakeWorker(place, isFirst);
      launched.push(worker);
      return worker;
    },
  });
  return { fleet };
}

async function start(count: number) {
  const { fleet } = open(count);
  const started = fleet.start();
  await settle();
  launched[0]?.beReady();
  await settle();
  for (const worker of launched.slice(1)) worker.beReady();
  await started;
  return fleet;
}

function createFakeWorker(place: number, isFirst: boolean): FakeWorker {
  const ready = createDeferred<WorkerReady>();
  const exited = createDeferred<Exit>();
  let answering = createDeferred<void>();
  answering.resolve();
  const worker: FakeWorker = {
    place,
    isFirst,
    socket: String(launched.length + 1),
    ready: ready.promise,
    exited: exited.promise,
    stopped: undefined,
    ping: () => answering.promise,
    hang() {
      answering = createDeferred();
    },
    respond: () => answering.resolve(),
    stop(isLast) {
      worker.stopped = { isLast, others: [...serving] };
    },
    kill: () => exited.resolve({ code: null, signal: 'SIGKILL' }),
    beReady: () => ready.resolve(READY),
    end: exited.resolve,
  };
  return worker;
}

function createDeferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settled) => {
    resolve = settled;
  });
  return { promise, resolve };
}

interface FakeWorker extends LaunchedWorker {
  readonly place: number;
  readonly isFirst: boolean;
  /** How it was stopped, and which workers served at that time. */
  stopped:
    | { readonly isLast: boolean; readonly others: readonly (string | undefined)[] }
    | undefined;
  hang(): void;
  respond(): void;
  beReady(): void;
  end(exit: Exit): void;
}
