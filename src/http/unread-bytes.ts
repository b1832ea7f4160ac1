import { FairShares, type Share } from '../admission/fair-shares.ts';

/**
 * What clients have not read of their responses yet: one number with one limit. An application alone may leave three
 * quarters of it unread, and all clients without a key or token together a quarter.
 */
export class UnreadBytes {
  readonly #max: number;
  readonly #shares: FairShares;
  #refused = 0;

  /** Without a maximum: for probes, which have short responses. */
  constructor(max = 16 * 1024 * 1024) {
    this.#max = max;
    this.#shares = new FairShares(max);
  }

  /** Call the result when the response is closed. Undefined: too much is unread. */
  hold(application: string | undefined, bytes: number): (() => void) | undefined {
    const shares = application === undefined ? UNAUTHENTICATED : [{ owner: application, ratio: 3 }];
    if (!this.#shares.mayTake(shares, bytes)) {
      this.#refused += 1;
      return undefined;
    }
    this.#shares.take(shares, bytes);
    return () => this.#shares.release(shares, bytes);
  }

  counts() {
    return { held: this.#max - this.#shares.free, max: this.#max, refused: this.#refused };
  }
}

const UNAUTHENTICATED: readonly Share[] = [{ owner: '', ratio: 1 / 3 }];
