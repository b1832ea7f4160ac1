/**
 * Shares what exists once in the process (places, bytes) among owners. An owner may take more while it holds less
 * than `ratio` × what is free: alone it gets up to a third with ½, half with 1, three quarters with 3. Several owners
 * share the rest, and a newcomer finds some free however long the others hold theirs.
 */
export class FairShares {
  readonly #held = new Map<string, number>();
  #free: number;

  constructor(total: number) {
    this.#free = total;
  }

  get free(): number {
    return this.#free;
  }

  /** The owners that hold some, with their amounts. */
  get held(): ReadonlyMap<string, number> {
    return this.#held;
  }

  /** Whether each of the owners may take as much. */
  mayTake(shares: readonly Share[], amount = 1): boolean {
    // The last unit decides, after all others were taken.
    const others = amount - 1;
    const free = this.#free - others;
    return shares.every(({ owner, ratio }) => this.#heldBy(owner) + others < ratio * free);
  }

  /** What is taken counts for each of the owners, and once for what is free. */
  take(shares: readonly Share[], amount = 1): void {
    for (const { owner } of shares) this.#held.set(owner, this.#heldBy(owner) + amount);
    this.#free -= amount;
  }

  release(shares: readonly Share[], amount = 1): void {
    for (const { owner } of shares) {
      const left = this.#heldBy(owner) - amount;
      if (left > 0) this.#held.set(owner, left);
      else this.#held.delete(owner);
    }
    this.#free += amount;
  }

  #heldBy(owner: string): number {
    return this.#held.get(owner) ?? 0;
  }
}

/** The share of one owner. */
export interface Share {
  readonly owner: string;
  /** How much it may hold, in relation to what is free. */
  readonly ratio: number;
}

/** A share of at most a third, for owners that are all alike. */
export function shareOf(owner: string): readonly Share[] {
  return [{ owner, ratio: 1 / 2 }];
}
