/** Limits what begins in one iteration of the event loop, so that other work runs in between. */
export class PerIteration {
  readonly #max: number;
  readonly #defer: Defer;
  readonly #onRenewed: () => void;
  #left: number;

  constructor(max: number, defer: Defer, onRenewed: () => void) {
    this.#max = max;
    this.#defer = defer;
    this.#onRenewed = onRenewed;
    this.#left = max;
  }

  get hasLeft(): boolean {
    return this.#left > 0;
  }

  /** Counts one. The first of an iteration schedules the next iteration's. */
  take(): void {
    if (this.#left === this.#max) {
      this.#defer(() => {
        this.#left = this.#max;
        this.#onRenewed();
      });
    }
    this.#left -= 1;
  }
}

/** Calls back in the next iteration of the event loop. */
export type Defer = (callback: () => void) => unknown;
