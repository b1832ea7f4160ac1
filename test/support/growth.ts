import { expect } from 'vitest';

/**
 * Does the work grow with its input as a straight line does? It is compared with itself, at sixteen times the size: what is
 * linear takes some sixteen times as long, what is quadratic two hundred and fifty-six times. Sizes grow until the clock can
 * tell; processor time is compared, and the best of several rounds, so that other work on the machine does not decide.
 */
export function expectLinear<Input>(make: (size: number) => Input, work: (input: Input) => unknown): void {
  let size = 250;
  while (best(make(size), work) < CLEAR_MS && size < LARGEST) size *= 2;
  const small = best(make(size), work);
  const large = best(make(size * FACTOR), work);
  expect(large / Math.max(small, CLEAR_MS), `${size} and ${size * FACTOR}`).toBeLessThan(FACTOR * TOLERANCE);
}

function best<Input>(input: Input, work: (input: Input) => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = processorMs();
    try {
      work(input);
    } catch {
      // A refusal is an outcome as well.
    }
    least = Math.min(least, processorMs() - before);
  }
  return least;
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

const FACTOR = 16;
const TOLERANCE = 6;
const ROUNDS = 3;
/** A collection of garbage that falls into the large one is little against this, times the factor. */
const CLEAR_MS = 2;
const LARGEST = 4_000;
