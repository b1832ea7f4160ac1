/** Deterministic by seed. The fuzzer runs this compiled, so that it cannot use the same dice of `packages/executor`. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  return toDice((below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  });
}

/** Replays given numbers, so that a failing test can be shrunk to fewer and smaller ones. */
export function createGivenDice(numbers: readonly number[]): Dice {
  let position = 0;
  return toDice((below) => {
    const number = numbers[position % numbers.length] ?? 0;
    position += 1;
    return (number * 7 + position) % below;
  });
}

function toDice(next: Dice['next']): Dice {
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
