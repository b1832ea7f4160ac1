import type { CaseResult } from '../commands/throughput.ts';

/**
 * The contenders that are faster than Crossbook, and where: listed first, so that they are easy to find.
 */
export function toLosses(cases: readonly CaseResult[]): string {
  const lines = cases.flatMap(({ title, rows }) => {
    const own = rows.find(({ name }) => name === 'crossbook')?.ratio.median ?? Number.NaN;
    const faster = rows
      .filter(({ name, ratio }) => !OURS.has(name) && ratio.median > own)
      .map((row) => `${row.title} (${row.ratio.median.toFixed(2)} against ${own.toFixed(2)})`);
    return faster.length > 0 ? [`- ${title}: ${faster.join(', ')}`] : [];
  });
  return lines.length > 0
    ? `Faster than Crossbook in this run:\n\n${lines.join('\n')}`
    : 'Nobody was faster than Crossbook in this run.';
}

const OURS = new Set(['crossbook', 'crossbook-postgres', 'crossbook-rest']);
