import { Signal } from '../lib/signal.ts';

/** What the work of one request shares with the rest of the process. */
export interface Work {
  /** Aborted when the client disconnects before the response. Absent: the work has no client. */
  readonly signal?: Signal | undefined;
  /** Whether it has a heavy place. Absent: it has none. */
  readonly isHeavy?: boolean;
  /**
   * Counts bytes that are read from a CRM or from the database. Undefined: go on. A promise: wait for it, because the
   * request needs a heavy place first. Throws or rejects with a 503 if no place becomes free, and with a 400 if the request
   * reads too much.
   */
  read(bytes: number): Promise<void> | undefined;
}

/** The work of a request of its own, which is not part of a call that several requests share. */
export interface RequestWork extends Work {
  /** Call before work that is not light. Undefined: go on. A promise: it waits for a heavy place. */
  beHeavy(): Promise<void> | undefined;
  /** The bytes that it has read since the last call, which is what its results weigh at most. */
  takeReadBytes(): number;
  /** How many requests of the same connection are queued: they may share a call. */
  countQueued(): number;
}

/** Work that is no request: of background jobs, commands and the start. */
export const BACKGROUND_WORK: RequestWork = {
  read: () => undefined,
  beHeavy: () => undefined,
  takeReadBytes: () => 0,
  countQueued: () => 0,
};

/**
 * The work of a call that several requests share. It counts for one of them that still waits: for one with a heavy place
 * if there is any, or a request that waits for such a place would make those that have them wait. Its signal is aborted
 * when all of their clients have disconnected.
 */
export function shareWork(works: readonly Work[]): Work {
  const [first = BACKGROUND_WORK] = works;
  if (works.length === 1) return first;
  const shared = new Signal();
  let left = works.length;
  const leave = () => {
    left -= 1;
    if (left === 0) shared.abort();
  };
  for (const { signal } of works) signal?.add(leave);
  return {
    signal: shared,
    read(bytes) {
      const waiting = works.filter(({ signal }) => !signal?.isAborted);
      return (waiting.find(({ isHeavy }) => isHeavy) ?? waiting[0] ?? first).read(bytes);
    },
  };
}
