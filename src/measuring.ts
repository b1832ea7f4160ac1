import type { startJobs } from './background-jobs.ts';
import { readApiSupport } from './domain/provider.ts';
import type { AppOverrides, Foundation } from './foundation.ts';
import type { Outbound } from './outbound/outbound.ts';
import { type GaugeSources, registerGauges } from './telemetry/metrics/gauges.ts';

/** Part of the composition root: gauges, which read the parts of the process at a scrape. */
export function openGauges(
  { clock, database, limits, providers, telemetry }: Foundation,
  { outbound, jobs, requests, unread, countLostLines = () => 0 }: Measured,
): void {
  registerGauges(telemetry.metrics, {
    requests,
    unread,
    clients: outbound.counts,
    providers: outbound.countWaiting,
    apis: () => readApiSupport(providers.values(), clock.wall()),
    database: database.countConnections,
    redis: () => limits.distributedRateLimits?.isConnected(),
    webhooks: jobs.countWebhooks,
    syncs: jobs.countSyncs,
    sweeps: jobs.sweepAges,
    tasks: jobs.taskAges,
    tables: jobs.tableSizes,
    secondsSinceJobs: jobs.secondsSinceJobs,
    lostLogLines: countLostLines,
  });
}

interface Measured
  extends Pick<AppOverrides, 'countLostLines'>,
    Pick<GaugeSources, 'requests' | 'unread'> {
  readonly outbound: Outbound;
  readonly jobs: ReturnType<typeof startJobs>;
}
