import type { Clock } from '../lib/clock.ts';

/**
 * The clock of a connection's CRM, by the `Date` of its responses. Its records have times of that clock, so a period of
 * changes must not end later than it says.
 */
export class ProviderClock {
  readonly #clock: Pick<Clock, 'now' | 'wall'>;
  /** The difference of each of the last two windows. */
  #current: number | undefined;
  #previous: number | undefined;
  #windowEndsAt = 0;

  constructor(clock: Pick<Clock, 'now' | 'wall'>) {
    this.#clock = clock;
  }

  /** Reads the `Date` header of a response that has just arrived. Returns whether it has one. */
  observe(date: string | undefined): boolean {
    const time = date === undefined ? Number.NaN : Date.parse(date);
    if (Number.isNaN(time)) return false;
    // The CRM's clock is not behind by more than this: the header was cut to seconds, and then the response took a while.
    const difference = time - this.#clock.wall();
    const now = this.#clock.now();
    if (now >= this.#windowEndsAt) {
      this.#previous = now < this.#windowEndsAt + WINDOW_MS ? this.#current : undefined;
      this.#current = undefined;
      this.#windowEndsAt = now + WINDOW_MS;
    }
    this.#current = Math.max(this.#current ?? difference, difference);
    return true;
  }

  /** How far it is ahead of our clock; negative if it is behind. 0 while it is unknown. */
  differenceMs(): number {
    if (this.#current === undefined) return 0;
    const difference = Math.max(this.#current, this.#previous ?? this.#current);
    return Math.abs(difference) < RESOLUTION_MS ? 0 : difference;
  }

  /** How far it is behind our clock. */
  behindMs(): number {
    return Math.max(0, -this.differenceMs());
  }
}

/** Of several responses the fastest one is the most exact. */
const WINDOW_MS = 60_000;
/** The header has whole seconds, and a response takes a while. */
const RESOLUTION_MS = 2_000;
/** Differences that are reported. */
export const REPORTED_DIFFERENCE_MS = 60_000;
