import { startJobs } from './background-jobs.ts';
import type { Config } from './config.ts';
import { type AppOverrides, openCalls, openFoundation } from './foundation.ts';
import { createProbes } from './http/lifecycle.ts';
import { createProbeHandler } from './http/probe-handler.ts';
import { withCleanup } from './lib/cleanup.ts';
import { openGauges } from './measuring.ts';
import type { Logging } from './telemetry/logger.ts';

/** The composition root of a process that does jobs and serves no requests. */
export function createJobs(config: Config, logging: Logging, overrides: AppOverrides = {}) {
  return withCleanup((onFailure) => open({ config, logging, overrides, onFailure }));
}

async function open({ config, logging, overrides, onFailure }: Opening) {
  const foundation = await openFoundation(config, logging, overrides, onFailure);
  const { database, log, notes, telemetry } = foundation;
  const { metrics, onRefused } = telemetry;
  const { outbound, revoke } = openCalls(foundation, overrides);
  onFailure(outbound.close);
  const jobs = startJobs(foundation, {
    outbound,
    revoke,
    doesJobs: true,
  });
  onFailure(jobs.stop);
  const { countLostLines } = overrides;
  openGauges(foundation, {
    outbound,
    jobs,
    requests: () => NO_REQUESTS,
    unread: () => NOTHING_UNREAD,
    countLostLines,
  });
  const probes = createProbes({
    checkShared: database.checkShared,
    renderMetrics: config.metrics ? () => metrics.answer(overrides.renderMetrics) : undefined,
  });
  return {
    handler: createProbeHandler({ probes, onRefused }),
    onRefused,
    /** Something may be due. */
    wake: jobs.wake,
    readMetrics: metrics.read,
    /** Messages for the operator. */
    notes,
    log,
    announceStop: probes.announceStop,
    async close(): Promise<void> {
      await Promise.all([database.flush(), jobs.stop()]);
      await jobs.storeUsage();
      await Promise.all([outbound.close(), foundation.close()]);
    },
  };
}

const NO_REQUESTS = {
  running: 0,
  queued: 0,
  unauthenticated: 0,
  refused: { queueFull: 0, queueTimeout: 0 },
  heavy: { taken: 0, waiting: 0 },
};

const NOTHING_UNREAD = { held: 0, max: 0, refused: 0 };

interface Opening {
  readonly config: Config;
  readonly logging: Logging;
  readonly overrides: AppOverrides;
  readonly onFailure: (close: () => unknown) => void;
}
