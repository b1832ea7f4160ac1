import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GrowthResult } from '../commands/growth.ts';
import type { LookupsResult } from '../commands/lookups.ts';
import type { MemoryResult } from '../commands/memory.ts';
import type { StartResult } from '../commands/start.ts';
import type { ThroughputResult } from '../commands/throughput.ts';
import type { UpsertsResult } from '../commands/upserts.ts';
import { RESULTS } from '../support/paths.ts';
import type { Environment } from './environment.ts';

/** The newest complete run of each major version of Node, newest version first. */
export function readReports(name: ResultsName): readonly Report[] {
  const path = join(RESULTS, `${name}.json`);
  return existsSync(path)
    ? (JSON.parse(readFileSync(path, 'utf8')) as { reports: Report[] }).reports
    : [];
}

export function keepReport(name: ResultsName, report: Report): readonly Report[] {
  const others = readReports(name).filter((one) => majorOf(one) !== majorOf(report));
  const reports = [report, ...others].sort((a, b) => majorOf(b) - majorOf(a));
  writeResult(`${name}.json`, `${JSON.stringify({ reports }, null, 1)}\n`);
  return reports;
}

export function writeResult(file: string, text: string): void {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, file), text);
}

function majorOf({ environment }: Report): number {
  return Number(/^v(\d+)/.exec(environment.node)?.[1]);
}

/** Quick runs are stored separately and never published. */
export type ResultsName = 'latest' | 'quick';

export interface Report {
  readonly environment: Environment;
  readonly throughput: ThroughputResult;
  readonly lookups: LookupsResult;
  /** Undefined without PostgreSQL. */
  readonly upserts?: UpsertsResult | undefined;
  /** Undefined in results from before this measurement existed. */
  readonly start?: StartResult | undefined;
  /** Undefined if the system does not report it. */
  readonly memory?: MemoryResult | undefined;
  readonly growth: GrowthResult;
}
