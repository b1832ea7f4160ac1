import { randomFillSync, randomUUID } from 'node:crypto';
import type { Caller } from '../domain/caller.ts';
import type { CrossbookError, ErrorCode } from '../domain/errors.ts';
import type {
  CacheUse,
  Log,
  OpenRequestLog,
  ProviderCall,
  RateLimitResult,
  RejectedRequest,
  RequestFields,
  RequestHead,
  RequestRecord,
} from '../domain/log.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { UNCOUNTED, type WorkPermit } from '../domain/resources.ts';
import { type Clock, type PeriodicTaskOptions, runPeriodically } from '../lib/clock.ts';
import type { RemoteParent, RequestTrace, Traces } from './traces.ts';

/** The log of one request. At its end the record goes to whoever wants it: the log, the metrics, the collector. */
export function openRequestLog(arrival: RequestHead, deps: RequestLogDeps): OpenRequestLog {
  return new WrittenRequestLog(arrival, deps);
}

class WrittenRequestLog implements OpenRequestLog {
  readonly requestId: string;
  caller: Caller | undefined;
  rateLimit: RateLimitResult | undefined;
  permit: WorkPermit = UNCOUNTED;
  readonly #arrival: RequestHead;
  readonly #deps: RequestLogDeps;
  readonly #traceId: string;
  /** Absent: nobody follows this request on its way. */
  readonly #trace: RequestTrace | undefined;
  readonly #startedAt: number;
  // What is noted of each is little: a list is searched sooner than a set is made.
  readonly #customers: string[] = [];
  readonly #providers: ProviderName[] = [];
  readonly #cache: CacheUse[] = [];
  readonly #errors: { readonly id: string; readonly code: ErrorCode }[] = [];
  #face: RequestFields['face'];
  #operation: string | undefined;
  #operationName: string | undefined;
  #application: string | undefined;
  #credential: string | undefined;
  #calls = 0;

  constructor(arrival: RequestHead, deps: RequestLogDeps) {
    this.requestId = readRequestId(arrival.requestId) ?? randomUUID();
    this.#arrival = arrival;
    this.#deps = deps;
    const { parent, isSampled } = readTraceContext(arrival.traceparent);
    this.#trace = isSampled ? deps.startTrace?.(parent) : undefined;
    this.#traceId = parent?.traceId ?? this.#trace?.traceId ?? createTraceId();
    this.#startedAt = deps.clock.now();
  }

  record(notes: RequestFields): void {
    const { customer, provider, cache, operation } = notes;
    if (customer !== undefined && this.#customers.length < MAX_CUSTOMERS) addOnce(this.#customers, customer);
    if (provider !== undefined) addOnce(this.#providers, provider);
    if (cache !== undefined) addOnce(this.#cache, cache);
    if (operation !== undefined) {
      this.#operation = (this.#operation ?? operation) === operation ? operation : SEVERAL;
    }
    this.#face = notes.face ?? this.#face;
    this.#operationName = notes.operationName ?? this.#operationName;
    this.#application = notes.application ?? this.#application;
    this.#credential = notes.credential ?? this.#credential;
  }

  failed(error: CrossbookError): void {
    const { id, code, cause } = error;
    // Operations of one batch may share one.
    if (this.#errors.some((known) => known.id === id)) return;
    this.#errors.push({ id, code });
    if (code !== 'INTERNAL_SERVER_ERROR') return;
    const { requestId } = this;
    this.#deps.log.error({ requestId, traceId: this.#traceId, errorId: id, cause: cause ?? error }, 'a bug');
  }

  called(call: ProviderCall): void {
    this.#calls += 1;
    this.#trace?.called(toCallSpan(call));
  }

  operation<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#trace ? this.#trace.operation(name, work) : work();
  }

  withSpan<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#trace ? this.#trace.withSpan(name, work) : work();
  }

  close({ status, bytes }: Pick<RequestRecord, 'status' | 'bytes'>): void {
    const record: RequestRecord = {
      requestId: this.requestId,
      traceId: this.#traceId,
      method: this.#arrival.method,
      path: this.#arrival.path,
      face: this.#face,
      operation: this.#operation,
      operationName: this.#operationName,
      application: this.#application,
      credential: this.#credential,
      customers: this.#customers,
      providers: this.#providers,
      status,
      bytes,
      errors: this.#errors,
      ms: this.#deps.clock.now() - this.#startedAt,
      calls: this.#calls,
      cache: this.#cache,
    };
    this.#deps.onDone(record);
    this.#trace?.end(toRequestSpan(record));
  }
}

function addOnce<Value>(list: Value[], value: Value): void {
  if (!list.includes(value)) list.push(value);
}

function toCallSpan({
  provider,
  budget,
  outcome,
  status,
  ms,
  waitedMs,
}: Parameters<OpenRequestLog['called']>[0]) {
  const failed = outcome !== 'answered' || (status ?? 0) >= 400;
  const attributes = {
    ...{ 'crossbook.provider': provider, 'crossbook.budget': budget, 'crossbook.outcome': outcome },
    ...{ 'http.response.status_code': status, 'crossbook.waited_ms': waitedMs },
  };
  return { name: `call ${provider}`, failed, attributes, ms };
}

function toRequestSpan({ method, status, errors, ...record }: RequestRecord) {
  const attributes = {
    'http.request.method': method,
    'http.response.status_code': status,
    'url.path': record.path,
    'crossbook.request_id': record.requestId,
    'crossbook.face': record.face,
    'crossbook.operation': record.operation,
    'crossbook.application': record.application,
    'crossbook.error_code': errors[0]?.code,
  };
  return {
    name: `${method} ${record.operation ?? record.face ?? 'none'}`,
    failed: status >= 500,
    attributes,
  };
}

/** A caller's own id is taken over where it can stand in a log line. */
function readRequestId(given: string | null): string | undefined {
  return given !== null && REQUEST_ID.test(given) ? given : undefined;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
const SEVERAL = 'several';
/** A line stays readable, whatever was asked for. */
const MAX_CUSTOMERS = 20;

const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const SAMPLED = 1;

/** The trace that a request belongs to (W3C Trace Context), unless it begins here. */
function readTraceContext(traceparent: string | null): TraceContext {
  const [, traceId, spanId, flags] = (traceparent !== null && TRACEPARENT.exec(traceparent)) || NONE;
  if (!traceId || !spanId) return BEGINS_HERE;
  const isSampled = (Number.parseInt(flags ?? '0', 16) & SAMPLED) === SAMPLED;
  return { parent: { traceId, spanId }, isSampled };
}

/** Random bytes are drawn many at a time: to draw is what costs. */
function createTraceId(): string {
  if (offset === pool.length) {
    randomFillSync(pool);
    offset = 0;
  }
  offset += TRACE_ID_BYTES;
  return pool.toString('hex', offset - TRACE_ID_BYTES, offset);
}

const TRACE_ID_BYTES = 16;
const pool = Buffer.alloc(4_096);
let offset = pool.length;
const NONE: readonly undefined[] = [];
const BEGINS_HERE: TraceContext = { parent: undefined, isSampled: true };

interface RequestLogDeps {
  readonly log: Log;
  readonly clock: Pick<Clock, 'now'>;
  onDone(record: RequestRecord): void;
  /** Absent: nobody follows requests on their way. */
  readonly startTrace?: Traces['start'] | undefined;
}

interface TraceContext {
  /** The caller's span. */
  readonly parent: RemoteParent | undefined;
  /** False: the caller does not want it recorded. */
  readonly isSampled: boolean;
}

/**
 * One line for each refusal while they are few. Whoever floods us with nonsense does not flood the log: of one kind only
 * the first in each while are written, and one line at its end says how many were left out.
 */
export function createRejectedRequestLog({ log, schedule }: RejectedRequestLogOptions): RejectedRequestLog {
  // The codes are few: so are these.
  let kinds = new Map<string, Kind>();
  const turns = runPeriodically({
    intervalMs: WHILE_MS,
    work: async () => tellLeftOut(),
    onError: (cause) => log.warn({ cause }, 'refusals were not told'),
    schedule,
  });

  return {
    write(refusal) {
      const { status, code } = refusal;
      const key = `${status} ${code}`;
      const kind = kinds.get(key) ?? { status, code, count: 0 };
      kinds.set(key, kind);
      kind.count += 1;
      if (kind.count <= MOST_LINES) log.info(toLine(refusal), 'refused');
    },
    async close() {
      await turns.stop();
      tellLeftOut();
    },
  };

  function tellLeftOut(): void {
    for (const { status, code, count } of kinds.values())
      if (count > MOST_LINES) log.warn({ status, code, leftOut: count - MOST_LINES }, 'refused');
    kinds = new Map();
  }
}

function toLine({ status, code, errorId, arrival }: RejectedRequest): object {
  if (!arrival) return { status, code, errorId };
  return {
    requestId: readRequestId(arrival.requestId),
    // One that begins here leads nowhere.
    traceId: readTraceContext(arrival.traceparent).parent?.traceId,
    ...{ status, code, errorId },
  };
}

const WHILE_MS = 10_000;
const MOST_LINES = 10;

interface RejectedRequestLog {
  write(refusal: RejectedRequest): void;
  /** Tells what is still to be told. */
  close(): Promise<void>;
}

interface RejectedRequestLogOptions extends Pick<PeriodicTaskOptions, 'schedule'> {
  readonly log: Log;
}

interface Kind extends Pick<RejectedRequest, 'status' | 'code'> {
  count: number;
}
