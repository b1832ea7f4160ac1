/** Deterministic by seed. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const next = (below: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
  return {
    next,
    chance: (percent) => next(100) < percent,
    pick: (items) => items[next(items.length)] as never,
  };
}

export interface Dice {
  /** From 0 (inclusive) to `below` (exclusive). */
  next(below: number): number;
  chance(percent: number): boolean;
  pick<T>(items: readonly T[]): T;
}
