/**
 * Lets a few users of each name in at a time. Others of the same name wait in their order; other names are not
 * affected.
 */
export class Turns {
  readonly #most: number;
  /** Those that wait, by name. A name is here while it has all its places taken. */
  readonly #names = new Map<string, { taken: number; readonly waiting: (() => void)[] }>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves with a function to call once at the end of the turn. */
  async take(name: string): Promise<() => void> {
    const users = this.#names.get(name) ?? { taken: 0, waiting: [] };
    this.#names.set(name, users);
    if (users.taken === this.#most)
      await new Promise<void>((resolve) => users.waiting.push(resolve));
    else users.taken += 1;
    return () => {
      const next = users.waiting.shift();
      // The place goes to the next one.
      if (next) return next();
      users.taken -= 1;
      if (users.taken === 0) this.#names.delete(name);
    };
  }
}
