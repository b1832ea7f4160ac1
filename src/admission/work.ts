import { Signal } from '../lib/signal.ts';
import type { Turns } from '../lib/turns.ts';

/** What the work of one request shares with the rest of the process. */
export interface Work {
  /**
   * Call before some milliseconds of CPU time: requests take turns. Undefined: begin at once, without an `await`, which
   * would let others begin in the same turn. Throws or rejects if the client has disconnected.
   */
  takeTurn(): Promise<void> | undefined;
  /** Aborted when the client disconnects before the response. Absent: the work has no client. */
  readonly signal?: Signal | undefined;
  /** Releases the memory when the work ends. */
  keep(hold: Releasable): void;
}

/** The work of a request of its own, which is not part of a call that several requests share. */
export interface RequestWork extends Work {
  /**
   * Charges memory to its application until the request ends. Throws a 503 if the share of the application is in
   * use.
   */
  reserve(bytes: number): void;
  /**
   * Charges what other requests may use at the same time to its application: once, until the last of them ends. Throws a
   * 503 where the share of the application is in use.
   */
  use(shared: object, bytes: number): void;
  /** How many requests of the same connection are queued: they may share a call. */
  countQueued(): number;
}

export interface Releasable {
  /** Absent: unknown. */
  readonly bytes?: number;
  release(): void;
}

/** Work that is neither a request nor a background job: it takes no turns, and its memory is not limited. */
export const UNMETERED_WORK: RequestWork = {
  takeTurn: () => undefined,
  // There is no end at which it could be released.
  keep: () => {},
  reserve: () => {},
  use: () => {},
  countQueued: () => 0,
};

/**
 * Work of a background job, which takes turns with that of all others: requests have the thread between two pieces.
 * `end` releases the memory of what it has read.
 */
export function openBackgroundWork(turns: Turns): EndedWork {
  const holds: Releasable[] = [];
  return {
    ...UNMETERED_WORK,
    takeTurn: () => turns.take(),
    keep: (hold) => void holds.push(hold),
    heldBytes: () => holds.reduce((sum, { bytes = 0 }) => sum + bytes, 0),
    end() {
      for (const hold of holds.splice(0)) hold.release();
    },
  };
}

type EndedWork = RequestWork & {
  /** The memory that is charged to it. */
  heldBytes(): number;
  end(): void;
};

/**
 * The work of a call that several requests share. Its signal is aborted when all of their clients have disconnected,
 * and its memory is released when the last request ends.
 */
export function shareWork(works: readonly Work[]): Work {
  const [first = UNMETERED_WORK] = works;
  if (works.length === 1) return first;
  const shared = new Signal();
  const goOne = countDown(works.length, () => shared.abort());
  for (const { signal } of works) signal?.add(goOne);
  return {
    takeTurn: () => (works.find(({ signal }) => !signal?.isAborted) ?? first).takeTurn(),
    signal: shared,
    keep(hold) {
      const release = countDown(works.length, () => hold.release());
      for (const work of works) work.keep({ release });
    },
  };
}

/** Calls back at the last of `left` calls. */
function countDown(left: number, callback: () => void): () => void {
  return () => {
    left--;
    if (left === 0) callback();
  };
}
