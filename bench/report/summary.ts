import type { Report } from './results.ts';

/**
 * The README's performance table, of the run that documents show first and of each stored Node version: the
 * complete results are in docs/performance.md.
 */
export function toSummary({ throughput, lookups }: Report, reports: readonly Report[]): string {
  const cases = throughput.cases.filter(({ fields }) => fields === 'all');
  const rows = reports.flatMap(({ environment, throughput: measured }) =>
    PLAYERS.map((player) => {
      const shares = cases.map(({ title }) => {
        const one = measured.cases.find((each) => each.title === title);
        return one?.rows.find(({ name }) => name === player)?.ratio.median.toFixed(2) ?? '';
      });
      const title = cases[0]?.rows.find(({ name }) => name === player)?.title;
      return `| ${title}, Node ${environment.node} | ${shares.join(' | ')} |`;
    }),
  );
  const [tier] = lookups.tiers;
  const quicker =
    tier && `${(tier.paceItself.seconds / tier.crossbook.seconds).toFixed(0)} times as quick`;
  return `Throughput as a share of a hand-written endpoint without keys, budgets, cursors, cache and log, by contacts in an answer:

| | ${cases.map(({ title }) => title).join(' | ')} |
|---|${'---:|'.repeat(cases.length)}
${rows.join('\n')}

${lookups.count.toLocaleString('en')} look-ups that arrive together are ${quicker} as one call each, paced at HubSpot's limit. [All figures](docs/performance.md).`;
}

const PLAYERS = ['crossbook', 'crossbook-rest', 'mercurius'];
