import { SEED } from './fast-check.ts';
import { listSkipped } from './machine.ts';

export function setup(): void {
  process.stderr.write(`Random inputs are drawn from TEST_SEED=${SEED}.\n`);
}

/** One line, after all that a run prints: nobody takes a skipped suite for a passed one. */
export function teardown(): void {
  const skipped = listSkipped();
  if (skipped.length > 0) process.stderr.write(`SKIPPED: ${skipped.join(', ')}.\n`);
}
