import { type RequestWork, shareWork, type Work } from '../admission/work.ts';
import { AbandonedError, type CrossbookError } from '../domain/errors.ts';
import type { CrmRecord } from '../domain/records/record.ts';
import { type FieldSelection, mergeSelections } from '../domain/records/record-search.ts';
import { createBatcher } from '../lib/batcher.ts';
import { type Clock, whenOver } from '../lib/clock.ts';
import { cloneError, rateLimited, timedOut } from './failures.ts';
import type { OnProgress, Progress } from './send.ts';

/**
 * Batches look-ups by key, such as emails, of one connection across requests. (`request/loaders.ts` does so within one request.)
 * - Look-ups of one event loop iteration share a call.
 * - A batch waits briefly for requests of the connection that have arrived but not begun, if they would fill it.
 * - While `maxInFlight` calls are in flight further look-ups queue and are then sent together: a thousand at once
 * become a dozen calls.
 * - Once half of the provider's rate limit is used, calls that are not full are spaced so that the rest of it lasts.
 */
export function createLookupBatcher(options: LookupBatcherOptions) {
  const { clock, batchSize, maxInFlight, defer = setImmediate } = options;
  let lastSentAt = Number.NEGATIVE_INFINITY;
  const batcher = createBatcher<Waiter>({
    clock,
    defer,
    run,
    maxConcurrent: maxInFlight,
    maxSize: batchSize,
    createSizer: countKeys,
    pauseMs: (queued, next) =>
      queued >= batchSize ? 0 : Math.max(spacingLeftMs(), gatherMs(queued, next)),
  });

  return {
    find(lookup: Lookup): Promise<FoundByKey> {
      // Only full calls: sent at once.
      return lookup.keys.length % batchSize === 0 ? send(lookup) : wait(lookup);
    },
    isIdle: batcher.isIdle,
  };

  /** How long to wait for queued requests of the connection, if their look-ups would fill the call. */
  function gatherMs(queued: number, { lookup, since }: Waiter): number {
    if (queued + lookup.work.countQueued() < batchSize) return 0;
    return Math.min(LOOK_AGAIN_MS, since + GATHER_MS - clock.now());
  }

  /** How long a call that is not full must wait after the last one. */
  function spacingLeftMs(): number {
    const spacing = options.spacingMs();
    return spacing === 0 ? 0 : lastSentAt + spacing - clock.now();
  }

  function send(
    { keys, selection, deadline, work, findByKey }: Call,
    onProgress?: OnProgress,
  ): Promise<FoundByKey> {
    lastSentAt = clock.now();
    for (let left = keys.length; left > 0; left -= batchSize)
      options.onCall?.(Math.min(left, batchSize));
    return findByKey(keys, selection, { deadline, work, onProgress });
  }

  function wait(lookup: Lookup): Promise<FoundByKey> {
    const { deadline, work, key } = lookup;
    return new Promise((resolve, reject) => {
      let stopWaiting: (() => void) | undefined;
      const waiter: Waiter = {
        lookup,
        since: clock.now(),
        call: NOT_STARTED,
        sharesCallDeadline: false,
        resolve(found) {
          stopWaiting?.();
          resolve(found);
        },
        reject(error) {
          stopWaiting?.();
          reject(error as Error);
        },
      };
      batcher.add(waiter, key);
      // Registered last: for a client that has disconnected it calls back at once.
      stopWaiting = whenOver({ clock, deadline, signal: work.signal }, (hasGone) => {
        if (waiter.sharesCallDeadline && !hasGone) return;
        batcher.remove(waiter, key);
        waiter.reject(hasGone ? new AbandonedError() : deadlineError(waiter.call));
      });
    });
  }

  /** Runs one call and gives each waiter its own result or error. */
  async function run(waiters: readonly Waiter[]): Promise<void> {
    try {
      const [first] = waiters;
      if (!first) return;
      // The call references this object instead of its waiters: otherwise references to a finished call would retain
      // their requests in memory.
      const call: CallState = { progress: 'starting' };
      const found = await send({ ...first.lookup, ...merge(waiters, call) }, (progress) => {
        call.progress = progress;
      });
      for (const { lookup, resolve } of waiters) resolve(pick(found, lookup.keys));
    } catch (error) {
      for (const { reject } of waiters) reject(cloneError(error));
    }
  }
}

/** Merges look-ups into one call, with the latest deadline and the union of the fields. */
function merge(waiters: readonly Waiter[], call: CallState): Omit<Call, 'key' | 'findByKey'> {
  const deadline = Math.max(...waiters.map(({ lookup }) => lookup.deadline));
  for (const waiter of waiters) {
    waiter.call = call;
    // A waiter whose deadline is about the call's waits for the call's own error.
    waiter.sharesCallDeadline = deadline - waiter.lookup.deadline <= SAME_MOMENT_MS;
  }
  return {
    deadline,
    keys: [...new Set(waiters.flatMap(({ lookup }) => lookup.keys))],
    selection: mergeSelections(waiters.map(({ lookup }) => lookup.selection)),
    work: shareWork([...new Set(waiters.map(({ lookup }) => lookup.work))]),
  };
}

/** A key that is already in the batch adds nothing to its size. */
function countKeys(): (waiter: Waiter) => number {
  const keys = new Set<string>();
  return ({ lookup }) => {
    const before = keys.size;
    for (const key of lookup.keys) keys.add(key);
    return keys.size - before;
  };
}

/** The error of a missed deadline. Missed while queued: rate limited. Missed in flight: provider timeout. */
function deadlineError({ progress }: CallState): CrossbookError {
  if (progress === 'queued') return rateLimited(RETRY_AFTER_MS);
  return timedOut(progress === 'sent' ? 'remote-provider' : 'crossbook');
}

function pick(found: FoundByKey, keys: readonly string[]): FoundByKey {
  return new Map(keys.map((key) => [key, found.get(key) ?? []]));
}

const NOT_STARTED: CallState = { progress: 'queued' };
const RETRY_AFTER_MS = 1_000;
/** The maximum wait for requests that have not begun. */
const GATHER_MS = 20;
const LOOK_AGAIN_MS = 2;
/** The tolerance within which deadlines count as equal. */
const SAME_MOMENT_MS = 50;

export interface Lookup {
  readonly keys: readonly string[];
  readonly selection: FieldSelection;
  /** Look-ups with the same key may share a call, which requests the union of their fields. */
  readonly key: string;
  readonly deadline: number;
  readonly work: RequestWork;
  /** Makes the call, which may serve other look-ups as well. */
  findByKey(
    keys: readonly string[],
    selection: FieldSelection,
    shared: SharedCall,
  ): Promise<FoundByKey>;
}

/** An adapter's call that serves several requests. */
export interface SharedCall {
  readonly deadline: number;
  readonly work: Work;
  readonly onProgress?: OnProgress | undefined;
}

interface Call extends Omit<Lookup, 'work'> {
  readonly work: Work;
}

export type FoundByKey<Item extends CrmRecord = CrmRecord> = Map<string, readonly Item[]>;

interface LookupBatcherOptions {
  readonly clock: Clock;
  readonly batchSize: number;
  readonly maxInFlight: number;
  /** Calls back at the end of this event loop iteration. */
  readonly defer?: ((callback: () => void) => unknown) | undefined;
  /** The current minimum distance between calls; 0: none. */
  spacingMs(): number;
  /** Called with the number of keys of each call. */
  readonly onCall?: (keys: number) => void;
}

interface CallState {
  progress: Progress | 'starting';
}

interface Waiter {
  readonly lookup: Lookup;
  readonly since: number;
  /** Shared by all waiters of the call. */
  call: CallState;
  /** Its own deadline is replaced by the call's. */
  sharesCallDeadline: boolean;
  resolve(found: FoundByKey): void;
  reject(error: unknown): void;
}
