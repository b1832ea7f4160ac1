import { toGrowthTables } from '../commands/growth.ts';
import { toMemoryTable } from '../commands/memory.ts';
import { toStartTable } from '../commands/start.ts';
import { toUpsertsTable } from '../commands/upserts.ts';
import { toEnvironmentText } from './environment.ts';
import { toLookupsTable } from './lookups-table.ts';
import { toLosses } from './losses.ts';
import type { Report } from './results.ts';
import { toRatioTable } from './throughput-table.ts';

/** The complete section of docs/performance.md, which is not written by hand. */
export function toSection(reports: readonly Report[]): string {
  const [main, ...others] = reports;
  if (!main) return 'Nothing has been measured yet: `npm run bench`.';
  // Not every run had a PostgreSQL.
  const withUpserts = reports.find(({ upserts }) => upserts);
  return [
    `Made by \`npm run bench\`: ${toEnvironmentText(main.environment)}.`,
    '## Look-ups under a CRM’s rate limit',
    LOOKUPS,
    toLookupsTable(main.lookups),
    '## Time that Crossbook adds to one request',
    GROWTH,
    toGrowthTables(main.growth),
    '## Throughput, compared with other servers and a hand-written endpoint',
    '![Throughput as a share of a hand-written endpoint](../bench/results/chart.svg)',
    HOW,
    toRatioTable(main.throughput.cases),
    toLosses(main.throughput.cases),
    ...others.flatMap((other) => [
      `The same with Node ${other.environment.node} (${other.environment.date}):`,
      toRatioTable(other.throughput.cases),
    ]),
    ...(withUpserts?.upserts
      ? [
          '## Upserts of customers',
          `${UPSERTS} Node ${withUpserts.environment.node}.`,
          toUpsertsTable(withUpserts.upserts),
        ]
      : []),
    ...(main.start || main.memory ? ['## Start time and memory'] : []),
    ...(main.start ? [START, toStartTable(main.start)] : []),
    ...(main.memory ? [toMemoryTable(main.memory)] : []),
  ].join('\n\n');
}

const HOW = `Every server reads the same contacts from the same simulated HubSpot, in batches of 100 emails, and returns all their fields. 32 connections,
one core for the server, the same Node flags, medians of interleaved rounds. The hand-written endpoint (\`node:http\` and undici) parses, maps and
stringifies, and nothing else. Crossbook runs as it ships, with API keys, limits, signed cursors, cache and log. A REST endpoint has no selection, so
three fields cost it as much as all. At one contact Crossbook merges look-ups for the same CRM account, and so makes fewer calls. Mesh returns HubSpot's
own shape.`;

const LOOKUPS = `Look-ups of different emails that arrive together for one HubSpot account, one in each request, under HubSpot's
real limits. The other clients make one call for each: one backs off on 429, one knows the limit and paces itself.`;

const UPSERTS = `Upserts of customers over 32 connections, compared with a bare \`INSERT … ON CONFLICT\` with \`pg\`, one statement for
each. Crossbook writes concurrent upserts in one statement, so its storage can be ahead of the bare statement.`;

const START = `From the start of the process, with the sandbox: medians of interleaved rounds, as multiples of what Node needs to import graphql-yoga and end.
Memory is resident memory after the first search; of the embedded server and its guard, their proportional share.`;

const GROWTH = 'One request at a time, from the request to the complete response:';
