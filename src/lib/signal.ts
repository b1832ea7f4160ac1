/**
 * Tells its listeners once that they need not go on. Each request has one and each of its waits listens to it, for
 * which an `AbortSignal` is too expensive: together a twentieth of a small request.
 */
export class Signal {
  #isAborted = false;
  readonly #listeners = new Set<() => void>();

  get isAborted(): boolean {
    return this.#isAborted;
  }

  /** Idempotent. */
  abort(): void {
    this.#isAborted = true;
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /** Calls at once if this is aborted. */
  add(listener: () => void): void {
    if (this.#isAborted) listener();
    else this.#listeners.add(listener);
  }

  remove(listener: () => void): void {
    this.#listeners.delete(listener);
  }
}
