import type { Log, OpenRequestLog, ProviderCall, RejectedRequest, RequestHead } from '../domain/log.ts';
import type { Clock } from '../lib/clock.ts';
import { writeRequestLine } from './logger.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { createRejectedRequestLog, openRequestLog } from './request-log.ts';
import type { Traces } from './traces.ts';

/** Who is told of what happens: the log always, the metrics, and a collector of traces where one is named. */
export async function openTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { log, version, clock } = options;
  const metrics = createMetrics({ version });
  const refusals = createRejectedRequestLog({ log });
  const traces = options.traces && (await loadTraces(options.traces, options));
  return {
    metrics,
    openRequestLog: (arrival) =>
      openRequestLog(arrival, {
        log,
        clock,
        onDone(record) {
          writeRequestLine(log, record);
          metrics.request(record);
        },
        startTrace: traces?.start,
      }),
    onRefused(refusal) {
      refusals.write(refusal);
      metrics.refusal(refusal);
    },
    onCall: metrics.call,
    async close() {
      metrics.close();
      await refusals.close();
      await traces?.close();
    },
  };
}

/** Where no collector is named, not even the code for it is loaded. */
async function loadTraces(
  { endpoint, headers, serviceName }: TracesConfig,
  { log, clock, version }: TelemetryOptions,
): Promise<Traces> {
  const { openTraces } = await import('./traces.ts');
  return openTraces({ endpoint, headers, log, clock, service: { name: serviceName, version } });
}

interface Telemetry {
  readonly metrics: Metrics;
  openRequestLog(arrival: RequestHead): OpenRequestLog;
  onRefused(refusal: RejectedRequest): void;
  onCall(call: ProviderCall): void;
  close(): Promise<void>;
}

interface TelemetryOptions {
  readonly log: Log;
  readonly version: string;
  readonly clock: Pick<Clock, 'now' | 'wall'>;
  readonly traces: TracesConfig | undefined;
}

/** Where traces go, as OpenTelemetry's own variables say it. */
interface TracesConfig {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
}
