import { toThroughputTable } from '../report/throughput-table.ts';
import type { Options } from '../support/options.ts';
import { say } from '../support/progress.ts';
import { openStage } from '../throughput/stage.ts';
import { WITH_COMPANIES } from '../workload/cases.ts';
import { LINKS_FLOOR } from '../workload/contenders.ts';
import { CONNECTIONS, measureCase } from './throughput.ts';

/** Contacts with their companies, compared with an endpoint written for that, which makes the same calls to the CRM. */
export async function measureLinks(options: Options): Promise<void> {
  const stage = await openStage({
    ...options,
    only: ['crossbook'],
    floor: LINKS_FLOOR,
    records: ['contact', 'company'],
  });
  try {
    const { rounds, seconds } = options;
    const cases = [await measureCase(stage, WITH_COMPANIES, options)];
    say(toThroughputTable({ connections: CONNECTIONS, rounds, seconds, cases }));
  } finally {
    await stage.close();
  }
}
