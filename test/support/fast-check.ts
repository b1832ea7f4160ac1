import fc from 'fast-check';

/**
 * Random inputs are the same on every machine and in every run; `TEST_SEED` draws others. A failure prints its
 * seed.
 */
export const SEED = Number(process.env['TEST_SEED'] ?? 20_261_120);

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });

export { fc };

/**
 * Splits a long property test into several, each with a seed of its own: a failure names the piece that reproduces
 * it.
 */
export function toPieces(runs: number): readonly Piece[] {
  const count = Math.ceil(runs / RUNS_EACH);
  const numRuns = Math.ceil(runs / count);
  return Array.from({ length: count }, (_, index) => ({ seed: SEED + index, numRuns }));
}

const RUNS_EACH = 500;

export interface Piece {
  readonly seed: number;
  readonly numRuns: number;
}
