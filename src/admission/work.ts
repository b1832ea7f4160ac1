import { Signal } from '../lib/signal.ts';

/** What the work of one request shares with the rest of the process. */
export interface Work {
  /**
   * Call before some milliseconds of CPU time: requests take turns. Undefined: begin at once, without an `await`, which
   * would let others begin in the same turn. Throws or rejects where the client has disconnected.
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
   * Charges memory to its application until the request ends. Throws a 503 where the share of the application is in
   * use.
   */
  reserve(bytes: number): void;
  /** How many requests of the same connection are queued: they may share a call. */
  countQueued(): number;
}

export interface Releasable {
  release(): void;
}

/** Work without a request: it takes no turns, and its memory is not limited. */
export const BACKGROUND_WORK: RequestWork = {
  takeTurn: () => undefined,
  // There is no end at which it could be released.
  keep: () => {},
  reserve: () => {},
  countQueued: () => 0,
};

/**
 * The work of a call that several requests share. Its signal is aborted when all of their clients have disconnected,
 * and its memory is released when the last request ends.
 */
export function shareWork(works: readonly Work[]): Work {
  const [first = BACKGROUND_WORK] = works;
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
