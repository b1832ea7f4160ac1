import { createDice, type Dice, toDice } from '@crossbook/executor/testing';

export { createDice, type Dice };

/** Replays given numbers, so that a failing test can be shrunk to fewer and smaller ones. */
export function createGivenDice(numbers: readonly number[]): Dice {
  let position = 0;
  return toDice((below) => {
    const number = numbers[position % numbers.length] ?? 0;
    position += 1;
    return (number * 7 + position) % below;
  });
}
