import type { RejectedRequest } from '../domain/log.ts';
import { createRejectedRequestLog } from './logger.ts';
import { createMetrics } from './metrics/metrics.ts';
import { createRequestLogs } from './request-log.ts';
import type { TracesOptions } from './traces.ts';

/** What happens goes to the log always, to the metrics, and to a collector of traces where one is named. */
export async function openTelemetry({ log, version, clock, traces: collector }: TelemetryOptions) {
  const metrics = createMetrics({ version });
  const rejected = createRejectedRequestLog({ log });
  // Where no collector is named, not even the code for it is loaded.
  const traces = collector && (await import('./traces.ts')).openTraces({ ...collector, version, log, clock });
  return {
    metrics,
    openRequestLog: createRequestLogs({ log, clock, onDone: metrics.request, startTrace: traces?.start }),
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
