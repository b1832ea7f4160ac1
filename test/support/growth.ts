import { expect } from 'vitest';

/**
 * Asserts that work is linear in its input. It is compared with itself at sixteen times the size: linear work takes
 * some sixteen times as long, quadratic work two hundred and fifty-six times. Sizes increase until the clock is
 * precise enough; CPU time of the best of several rounds is compared. On a busy machine even CPU time is stretched at
 * times (caches, garbage collection), so a ratio above the bound is measured again: the work is quadratic only if
 * no attempt stays below.
 */
export function expectLinear<Input>(
  make: (size: number) => Input,
  work: (input: Input) => unknown,
): void {
  let size = 250;
  while (best(make(size), work) < CLEAR_MS && size < LARGEST) size *= 2;
  let ratio = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && ratio >= FACTOR * TOLERANCE; attempt += 1) {
    const small = best(make(size), work);
    const large = best(make(size * FACTOR), work);
    ratio = Math.min(ratio, large / Math.max(small, CLEAR_MS));
  }
  expect(ratio, `${size} and ${size * FACTOR}`).toBeLessThan(FACTOR * TOLERANCE);
}

function best<Input>(input: Input, work: (input: Input) => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = processorMs();
    try {
      work(input);
    } catch {
      // A rejection is an outcome as well.
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
const ATTEMPTS = 5;
/** One garbage collection during the larger run is small compared to this, times the factor. */
const CLEAR_MS = 2;
const LARGEST = 4_000;
