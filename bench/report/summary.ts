import type { Report } from './results.ts';

/** The README's sentences about performance: the whole is in docs/performance.md. */
export function toSummary({ throughput, lookups }: Report): string {
  const shares = throughput.cases
    .filter(({ fields }) => fields === 'all')
    .flatMap(({ title, rows }) => {
      const share = rows.find(({ name }) => name === 'crossbook')?.ratio.median;
      return share === undefined ? [] : [`${share.toFixed(2)} with ${title}`];
    });
  const [tier] = lookups.tiers;
  const quicker = tier && `${(tier.paceItself.seconds / tier.crossbook.seconds).toFixed(0)} times as quick`;
  return `Throughput as a share of a hand-written endpoint without keys, budgets, cursors, cache and log: ${shares.join(', ')} in an answer.
${lookups.count.toLocaleString('en')} look-ups that arrive together are ${quicker} as one call each, paced at HubSpot's limit. [All figures](docs/performance.md).`;
}
