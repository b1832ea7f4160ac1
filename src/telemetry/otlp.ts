import type { Log } from '../domain/log.ts';
import type { Span } from './spans.ts';

/** Sends spans to a collector over OTLP/HTTP in JSON. What a collector cannot take in time is dropped, and counted. */
export function createSpanExporter(options: ExporterOptions): SpanExporter {
  const { log, maxWaiting = 4_096 } = options;
  const url = `${options.endpoint.replace(/\/+$/, '')}/v1/traces`;
  const headers = { ...options.headers, 'content-type': 'application/json' };
  const timer = setInterval(() => void flush(), options.everyMs ?? 2_000).unref();
  const waiting: Span[] = [];
  let dropped = 0;
  let sending: Promise<void> | undefined;

  return {
    export(spans) {
      const room = Math.max(0, maxWaiting - waiting.length);
      dropped += Math.max(0, spans.length - room);
      waiting.push(...spans.slice(0, room));
      if (waiting.length >= BATCH) void flush();
    },
    async close() {
      clearInterval(timer);
      await sending;
      await flush();
    },
  };

  /** One at a time: a slow collector makes the line longer, not the number of sockets. Never rejects. */
  function flush(): Promise<void> {
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    return sending;
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, BATCH);
      const problem = await send(batch);
      if (problem !== undefined) dropped += batch.length;
      if (dropped > 0) log.warn({ dropped, problem }, 'spans were not taken by the collector');
      dropped = 0;
      if (problem !== undefined) return;
    }
  }

  async function send(batch: readonly Span[]): Promise<string | undefined> {
    try {
      const body = JSON.stringify(toOtlp(batch, options.service));
      const signal = AbortSignal.timeout(options.timeoutMs ?? 5_000);
      const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
      await response.arrayBuffer();
      return response.ok ? undefined : `HTTP ${response.status}`;
    } catch (error) {
      return error instanceof Error ? error.name : 'failed';
    }
  }
}

function toOtlp(spans: readonly Span[], { name, version }: Service) {
  const attributes = toAttributes({ 'service.name': name, 'service.version': version });
  const scope = { name: 'crossbook', version };
  return {
    resourceSpans: [{ resource: { attributes }, scopeSpans: [{ scope, spans: spans.map(toOtlpSpan) }] }],
  };
}

function toOtlpSpan({ traceId, id, parentId, name, kind, start, end, failed, attributes }: Span) {
  return {
    traceId,
    spanId: id,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: toNanoseconds(start),
    endTimeUnixNano: toNanoseconds(end),
    attributes: toAttributes(attributes),
    status: failed ? { code: STATUS_ERROR } : {},
  };
}

function toAttributes(attributes: Span['attributes']) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toValue(value) }],
  );
}

function toValue(value: string | number) {
  if (typeof value === 'string') return { stringValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** As text: the number has more digits than a double holds. */
function toNanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1_000)) * 1_000n);
}

const BATCH = 512;
const KINDS = { internal: 1, server: 2, client: 3 } as const;
const STATUS_ERROR = 2;

export interface SpanExporter {
  export(spans: readonly Span[]): void;
  /** Sends what waits; in the time that one batch may take. */
  close(): Promise<void>;
}

interface ExporterOptions {
  /** Of the collector: `http://localhost:4318`. */
  readonly endpoint: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly service: Service;
  readonly log: Log;
  readonly everyMs?: number;
  readonly timeoutMs?: number;
  readonly maxWaiting?: number;
}

interface Service {
  readonly name: string;
  readonly version: string;
}
