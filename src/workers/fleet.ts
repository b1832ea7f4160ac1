import type { Log } from '../domain/log.ts';
import { backoff } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import type { WorkerReady } from './calls.ts';

/**
 * The workers, each in a numbered place. One that ends is replaced: at once if it has served for a while, and after a
 * pause that grows if it ends again soon. One whose event loop hangs is killed.
 */
export function openFleet({ count, launch, clock, log, onChange }: FleetOptions) {
  const places: Place[] = Array.from({ length: count }, (_, number) => ({ number, failures: 0 }));
  /** All processes, including those that are shutting down. */
  const running = new Set<LaunchedWorker>();
  let isStopping = false;
  let restarts = 0;
  let restarting: Promise<void> | undefined;

  return {
    /**
     * Resolves when all workers are ready. The first starts alone, because it migrates the database. Rejects if one
     * of them ends before it is ready.
     */
    async start(): Promise<WorkerReady> {
      const [first, ...others] = places;
      if (!first) throw new Error('A fleet has at least one worker.');
      const ready = await occupy(first, { isFirst: true });
      await Promise.all(others.map((place) => occupy(place)));
      return ready;
    },

    /** Replaces one worker after the other: each ends when its successor is ready. One restart at a time. */
    restart(): Promise<void> {
      restarting ??= restartAll().finally(() => {
        restarting = undefined;
      });
      return restarting;
    },

    /** Resolves when all workers have ended. False if one of them cut requests off. */
    async stop(): Promise<boolean> {
      isStopping = true;
      // They finish what they have, and forward nothing any more.
      await onChange([]);
      for (const worker of running) worker.stop(true);
      const exits = await Promise.all([...running].map(({ exited }) => exited));
      return exits.every(({ code }) => code === 0);
    },

    counts: (ofPlaces = count) => ({
      /** In the first places. */
      ready: places.slice(0, ofPlaces).filter(({ ready }) => ready).length,
      /** Workers that ended unexpectedly. */
      restarts,
    }),
  };

  /** Starts a worker and gives it the place when it is ready. */
  async function occupy(place: Place, { isFirst = false } = {}): Promise<WorkerReady> {
    const worker = launch(place.number, { isFirst });
    running.add(worker);
    const hangs = watchHangs(worker, place);
    void worker.exited.then((exit) => {
      running.delete(worker);
      hangs.stop();
      if (place.worker === worker) vacate(place, exit);
    });
    const ready = await Promise.race([worker.ready, worker.exited.then(toEarlyEnd)]);
    if ('error' in ready) throw ready.error;
    place.worker = worker;
    place.ready = ready;
    place.since = clock.now();
    await publish();
    return ready;
  }

  /**
   * Kills a worker that does not answer. Checks are counted instead of time: after a pause of all processes, of which
   * the clock tells nothing here, each worker gets the time to answer again.
   */
  function watchHangs(worker: LaunchedWorker, { number }: Place) {
    let missed = 0;
    let isAsked = false;
    let cancel = clock.schedule(CHECK_MS, check);
    return { stop: () => cancel() };

    function check(): void {
      cancel = clock.schedule(CHECK_MS, check);
      missed = isAsked ? missed + 1 : 0;
      if (missed === MAX_MISSED) {
        const seconds = (MAX_MISSED * CHECK_MS) / 1_000;
        log.error({ worker: number + 1, seconds }, 'a worker does not respond and is killed');
        worker.kill();
      }
      if (isAsked) return;
      isAsked = true;
      worker.ping().then(
        () => {
          isAsked = false;
        },
        // It has ended.
        () => undefined,
      );
    }
  }

  function vacate(place: Place, { code, signal }: Exit): void {
    place.ready = undefined;
    place.worker = undefined;
    void publish();
    if (isStopping) return;
    restarts += 1;
    log.error({ worker: place.number + 1, code, signal }, 'a worker exited and is replaced');
    const livedMs = clock.now() - (place.since ?? clock.now());
    place.failures = livedMs >= LONG_LIFE_MS ? 0 : place.failures + 1;
    if (!place.isRestarting) revive(place);
  }

  function revive(place: Place): void {
    const pauseMs =
      place.failures === 0 ? 0 : backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS, place.failures - 1);
    clock.schedule(pauseMs, () => {
      if (isStopping || place.worker) return;
      occupy(place).catch((error: unknown) => {
        if (isStopping) return;
        log.error({ worker: place.number + 1, cause: error }, 'a worker could not start');
        place.failures += 1;
        revive(place);
      });
    });
  }

  async function restartAll(): Promise<void> {
    log.info({}, 'the workers are restarted, one after the other');
    for (const place of places) {
      const before = place.worker;
      // One that is missing is being replaced already.
      if (isStopping || !before) continue;
      place.isRestarting = true;
      try {
        await occupy(place);
      } catch (error) {
        log.error({ cause: error }, 'the restart was aborted: the other workers keep running');
        return;
      } finally {
        place.isRestarting = false;
        if (!place.worker && !isStopping) revive(place);
      }
      before.stop(false);
      await before.exited;
    }
    log.info({}, 'all workers were restarted');
  }

  function publish(): Promise<void> {
    return onChange(isStopping ? [] : places.map(({ worker }) => worker));
  }
}

function toEarlyEnd(exit: Exit): { readonly error: Error } {
  return { error: new EarlyEndError(exit) };
}

export class EarlyEndError extends Error {
  /** Whether the worker has printed the reason. */
  readonly isExplained: boolean;

  constructor({ code, signal }: Exit) {
    super(`A worker ended before it was ready (${signal ?? code}).`);
    this.isExplained = code === 1;
  }
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
const LONG_LIFE_MS = 10_000;
const CHECK_MS = 5_000;
/** Checks in a row without an answer after which a worker is killed. */
const MAX_MISSED = 6;

interface Place {
  readonly number: number;
  /** The worker that serves. Absent while there is none. */
  worker?: LaunchedWorker | undefined;
  ready?: WorkerReady | undefined;
  /** When it was ready. */
  since?: number;
  /** Consecutive early exits. */
  failures: number;
  isRestarting?: boolean;
}

export interface LaunchedWorker {
  readonly socket: string;
  readonly ready: Promise<WorkerReady>;
  readonly exited: Promise<Exit>;
  /** Resolves unless its event loop hangs. */
  ping(): Promise<unknown>;
  /** Finish the running requests and exit. */
  stop(isLast: boolean): void;
  kill(): void;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

interface FleetOptions {
  readonly count: number;
  launch(place: number, options: { readonly isFirst: boolean }): LaunchedWorker;
  readonly clock: Pick<Clock, 'now' | 'schedule'>;
  readonly log: Log;
  /**
   * Called with the worker of each place, when one is ready or has ended. Resolves when all workers know, or do not
   * answer.
   */
  onChange(workers: readonly (LaunchedWorker | undefined)[]): Promise<void>;
}
