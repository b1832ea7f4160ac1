import type { Clock } from './clock.ts';

/**
 * Gives turns to long work outside of the queue at the door: syncs, and the redaction of long errors. Each iteration of
 * the event loop runs at most one piece of all this work, in the order in which turns were requested.
 */
export class Turns {
  readonly #clock: Pick<Clock, 'now' | 'schedule'>;
  readonly #hasUrgentWork: () => boolean;
  readonly #queue: (() => void)[] = [];
  /** When the last piece began. */
  #began = Number.NEGATIVE_INFINITY;
  #isScheduled = false;

  /** While there is urgent work elsewhere, each piece is preceded by a pause. */
  constructor(clock: Pick<Clock, 'now' | 'schedule'>, hasUrgentWork = () => false) {
    this.#clock = clock;
    this.#hasUrgentWork = hasUrgentWork;
  }

  /** Call before a step. Undefined: go on at once. A promise: await it directly, and go on. */
  take(): Promise<void> | undefined {
    if (this.#queue.length === 0 && this.#hasTime()) return undefined;
    return new Promise((resolve) => {
      this.#queue.push(resolve);
      this.#schedule();
    });
  }

  #hasTime(): boolean {
    return this.#clock.now() - this.#began < PIECE_MS;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const run = () => void this.#runPiece();
    if (this.#hasUrgentWork()) this.#clock.schedule(PAUSE_MS, run);
    else setImmediate(run);
  }

  async #runPiece(): Promise<void> {
    this.#began = this.#clock.now();
    do {
      this.#queue.shift()?.();
      // The resumed step runs before this continues.
      await undefined;
    } while (this.#queue.length > 0 && this.#hasTime());
    this.#isScheduled = false;
    if (this.#queue.length > 0) this.#schedule();
  }
}

const PIECE_MS = 1;
const PAUSE_MS = 10;
