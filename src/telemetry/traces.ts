import {
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { Log } from '../domain/log.ts';
import type { Clock } from '../lib/clock.ts';

/**
 * OpenTelemetry traces, sent to a collector over OTLP/HTTP in JSON. Spans that it cannot take in time are dropped and
 * logged.
 */
export function openTraces({
  endpoint,
  headers = {},
  serviceName,
  version,
  log,
  clock,
  timeoutMs = 5_000,
  maxWaiting = 4_096,
}: TracesOptions) {
  // The SDK reports a full queue as a warning. Failed exports are logged below with the number of spans.
  const warn = (problem: string) => log.warn({ problem }, NOT_TAKEN);
  const logger = { error: ignore, warn, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: timeoutMs });
  const processor = new BatchSpanProcessor(withLosses(exporter, log), {
    maxQueueSize: maxWaiting,
    maxExportBatchSize: Math.min(512, maxWaiting),
    scheduledDelayMillis: 2_000,
    exportTimeoutMillis: 2 * timeoutMs,
  });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('crossbook', version);

  return {
    /** Starts the trace of one request, as a child of the caller's span if there is one. */
    start(parent: RemoteParent | undefined) {
      const root = tracer.startSpan('request', { kind: SpanKind.SERVER }, toContext(parent));
      const below = trace.setSpan(ROOT_CONTEXT, root);
      // All times of a trace derive from one clock, so that steps of the wall clock do not move them.
      const wallAtZero = clock.wall() - clock.now();
      // With several concurrent operations (a batch) a call's operation is unknown, so it becomes a child of the
      // request.
      const operations = new Set<Span>();
      let left = MAX_SPANS;

      function startSpan(name: string, kind: SpanKind, startTime?: number): Span | undefined {
        if (left === 0) return undefined;
        left -= 1;
        const [only, another] = operations;
        const context = only && !another ? trace.setSpan(ROOT_CONTEXT, only) : below;
        return tracer.startSpan(
          name,
          { kind, ...(startTime !== undefined && { startTime }) },
          context,
        );
      }

      async function during<T>(kind: string, name: string, work: () => Promise<T>): Promise<T> {
        const span = startSpan(name, SpanKind.INTERNAL)?.setAttribute('crossbook.kind', kind);
        if (span && kind === OPERATION) operations.add(span);
        try {
          return await work();
        } catch (error) {
          span?.setStatus(FAILED);
          throw error;
        } finally {
          if (span) operations.delete(span);
          span?.end();
        }
      }

      return {
        traceId: root.spanContext().traceId,
        operation: <T>(name: string, work: () => Promise<T>) => during(OPERATION, name, work),
        withSpan: <T>(name: string, work: () => Promise<T>) => during('use case', name, work),
        called({ ms, ...call }: SpanEnd & { readonly ms: number }): void {
          const end = wallAtZero + clock.now();
          const span = startSpan(call.name, SpanKind.CLIENT, end - ms);
          if (span) endSpan(span, call, end);
        },
        end: (request: SpanEnd) => endSpan(root, request),
      };
    },
    /** Flushes the queue, within the timeout of one export. */
    close: () => provider.shutdown().catch(ignore),
  };
}

function toContext(parent: RemoteParent | undefined) {
  if (!parent) return ROOT_CONTEXT;
  const { traceId, spanId } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  });
}

function endSpan(span: Span, { name, failed, attributes }: SpanEnd, end?: number): void {
  span.updateName(name).setAttributes(attributes);
  if (failed) span.setStatus(FAILED);
  span.end(end);
}

/** Logs how many spans a collector did not take, and why. */
function withLosses(exporter: OTLPTraceExporter, log: Log): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== TAKEN)
          log.warn({ dropped: spans.length, problem: result.error?.message }, NOT_TAKEN);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

function ignore(): void {}

const OPERATION = 'operation';
const FAILED = { code: SpanStatusCode.ERROR };
const TAKEN = 0;
const NOT_TAKEN = 'the collector did not accept spans';
/** The maximum per request, so that an operation over a thousand records does not flood a collector. */
const MAX_SPANS = 256;

export type Traces = ReturnType<typeof openTraces>;
export type RequestTrace = ReturnType<Traces['start']>;

/** The caller's span. */
export interface RemoteParent {
  readonly traceId: string;
  readonly spanId: string;
}

interface SpanEnd {
  readonly name: string;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
}

export interface TracesOptions {
  /** The collector's URL: `http://localhost:4318`. */
  readonly endpoint: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly version: string;
  readonly log: Log;
  readonly clock: Pick<Clock, 'now' | 'wall'>;
  readonly timeoutMs?: number;
  readonly maxWaiting?: number;
}
