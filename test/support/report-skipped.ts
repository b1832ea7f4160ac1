import { SEED } from './fast-check.ts';
import { listSkipped } from './machine.ts';

export function setup(): void {
  process.stderr.write(`Random inputs are drawn from TEST_SEED=${SEED}.\n`);
}

/** One line at the end of a run, so that a skipped suite is not mistaken for a passed one. */
export function teardown(): void {
  const skipped = listSkipped();
  if (skipped.length > 0) process.stderr.write(`SKIPPED: ${skipped.join(', ')}.\n`);
}
