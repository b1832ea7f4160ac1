import type { UpstreamReady } from '../upstream/main.ts';
import { CUSTOMERS } from '../workload/customers.ts';
import { type Crossbook, connectCustomer, startCrossbook } from './crossbook.ts';
import { scriptOf } from './paths.ts';
import { type BenchProcess, startProcess } from './process.ts';

/** Crossbook with some workers, and customers that are connected to one account of HubSpot. */
export async function openCrossbookStage(options: StageOptions): Promise<CrossbookStage> {
  const { node, workers, databaseUrl } = options;
  const crossbook = await startCrossbook({
    node,
    env: { DATABASE_URL: databaseUrl, CROSSBOOK_WORKERS: String(workers), CROSSBOOK_METRICS: 'on' },
  });
  const upstream = await startProcess<UpstreamReady>({
    script: scriptOf('upstream/main'),
    args: [String(crossbook.hubspotPort)],
    node,
  });
  for (const customerId of CUSTOMERS)
    await connectCustomer(crossbook, { customerId, account: upstream.ready.account });
  return {
    crossbook,
    upstream,
    async close() {
      await Promise.all([crossbook.stop(), upstream.stop()]);
    },
  };
}

interface StageOptions {
  readonly node: string;
  readonly workers: number;
  readonly databaseUrl: string;
}

export interface CrossbookStage {
  readonly crossbook: Crossbook;
  readonly upstream: BenchProcess<UpstreamReady>;
  close(): Promise<void>;
}
