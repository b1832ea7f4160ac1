import type { RejectedRequest } from '../domain/log.ts';
import { createRejectedRequestLog } from './logger.ts';
import { createMetrics } from './metrics/metrics.ts';
import { createRequestLogs } from './request-log.ts';
import type { TracesOptions } from './traces.ts';
import { createUsageCounts } from './usage.ts';

/** Opens logging of requests, the metrics, and traces where a collector is configured. */
export async function openTelemetry({ log, version, clock, traces: collector }: TelemetryOptions) {
  const metrics = createMetrics({ version });
  const usage = createUsageCounts(clock);
  const rejected = createRejectedRequestLog({ log });
  // The tracing code is loaded only where a collector is configured.
  const traces =
    collector && (await import('./traces.ts')).openTraces({ ...collector, version, log, clock });
  return {
    metrics,
    /** Counted by customer, for the operator. */
    usage,
    openRequestLog: createRequestLogs({
      log,
      clock,
      onDone: metrics.request,
      usage,
      startTrace: traces?.start,
    }),
    onRefused(refusal: RejectedRequest): void {
      rejected.write(refusal);
      metrics.refusal(refusal);
    },
    onCall: metrics.call,
    async close(): Promise<void> {
      metrics.close();
      await rejected.close();
      await traces?.close();
    },
  };
}

interface TelemetryOptions extends Pick<TracesOptions, 'log' | 'version' | 'clock'> {
  readonly traces: Pick<TracesOptions, 'endpoint' | 'headers' | 'serviceName'> | undefined;
}
