import type { TestProject } from 'vitest/node';
import { SEED } from './fast-check.ts';
import { listSkipped } from './machine.ts';

let rest = true;

export function setup({ vitest }: TestProject): void {
  rest = !vitest.config.project.includes('shared');
  process.stderr.write(`Random inputs are drawn from TEST_SEED=${SEED}.\n`);
}

/** Lines at the end of a run, so that neither a skipped suite nor one of `npm run test:all` is mistaken for a passed one. */
export function teardown(): void {
  const skipped = listSkipped({ rest });
  if (skipped.length > 0) process.stderr.write(`SKIPPED: ${skipped.join(', ')}.\n`);
  if (!rest) process.stderr.write(`NOT RUN: ${REST}.\n`);
}

const REST =
  'browsers, gateways, GraphQL clients, vendors’ clients, and tests that start processes or take minutes (`npm run test:all` runs them)';
