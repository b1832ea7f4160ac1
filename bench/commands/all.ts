import { drawChart } from '../report/chart.ts';
import { writeBetweenMarks } from '../report/documents.ts';
import { readEnvironment } from '../report/environment.ts';
import {
  keepReport,
  type Report,
  type ResultsName,
  readReports,
  writeResult,
} from '../report/results.ts';
import { toSection } from '../report/section.ts';
import type { Options } from '../support/options.ts';
import { say } from '../support/progress.ts';
import { measureGrowth } from './growth.ts';
import { measureLookups } from './lookups.ts';
import { measureMemory } from './memory.ts';
import { measureStart } from './start.ts';
import { measureThroughput } from './throughput.ts';
import { measureUpserts } from './upserts.ts';

/**
 * All measurements, stored in bench/results and shown in docs/performance.md; a quick run is stored separately
 * and not published.
 */
export async function measureAll(options: Options): Promise<void> {
  const name: ResultsName = options.quick ? 'quick' : 'latest';
  const report: Report = {
    environment: readEnvironment(options.node),
    throughput: await measureThroughput(options),
    lookups: await measureLookups(options),
    upserts: await measureUpserts(options),
    start: await measureStart(options),
    memory: await measureMemory(options),
    growth: await measureGrowth(options),
  };
  show(name, keepReport(name, report));
}

/** The same from stored results, without measuring: after a change of the tables or of the chart. */
export async function showKept({ quick }: Options): Promise<void> {
  const name: ResultsName = quick ? 'quick' : 'latest';
  show(name, readReports(name));
}

function show(name: ResultsName, reports: readonly Report[]): void {
  const [main] = reports;
  if (!main) {
    say('Nothing is kept yet.');
    return;
  }
  const section = toSection(reports);
  const isQuick = name === 'quick';
  writeResult(`${name}.md`, `${section}\n`);
  writeResult(
    isQuick ? 'quick.svg' : 'chart.svg',
    drawChart(main.throughput.cases, main.environment),
  );
  if (isQuick) {
    say(KEPT_ASIDE);
    return;
  }
  say(
    writeBetweenMarks(DOCUMENT, 'bench', section)
      ? `${DOCUMENT} shows it.`
      : `${DOCUMENT} ${NO_MARKS}`,
  );
}

const DOCUMENT = 'docs/performance.md';
const KEPT_ASIDE = 'Kept as bench/results/quick.*: a quick run is not shown in documents.';
const NO_MARKS = 'has no marks for it: <!-- bench:start --> and <!-- bench:end -->.';
