import type { Hold } from './held-bytes.ts';

/**
 * A request's place among those at work. A request that waits for a provider is not at work: each wait pauses the permit,
 * and the last wait that ends resumes it. Waits of one request may overlap.
 */
export interface WorkPermit {
  /**
   * Before a wait: the place is given back until the returned function is called, once, after the wait. Throws where the
   * client has gone, so that nothing more is asked on its behalf.
   */
  pause(): Resume;
  /**
   * Before a piece of work that may take the processor for milliseconds: applications take turns. Undefined: at once. A
   * promise: when its turn has come.
   */
  takeTurn(): Promise<void> | undefined;
  /** How many requests of the same application have come and not begun: they may want the same call. */
  countFollowers(): number;
  /** Calls back once where the client goes before its answer, at once where it has gone. The returned function takes the callback off. */
  whenGone(callback: () => void): () => void;
  /** Releases it when the request is over, answered or not: for memory that its answer is made of. */
  keep(hold: Pick<Hold, 'release'>): void;
}

/**
 * Undefined where the request goes on at once; a promise where it queues for a place. Throws or rejects where the client
 * has gone meanwhile, which ends the work that was done for it. Call it for a request's own wait, never inside a flight
 * that several requests share.
 */
export type Resume = () => Promise<void> | undefined;

/** For work that no request stands for: it is not counted. */
export const UNCOUNTED: WorkPermit = {
  pause: () => () => undefined,
  takeTurn: () => undefined,
  countFollowers: () => 0,
  whenGone: () => () => {},
  keep: (hold) => hold.release(),
};
