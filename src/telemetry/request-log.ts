import { randomFillSync, randomUUID } from 'node:crypto';
import { MAX_CUSTOMER_ID_LENGTH } from '../domain/customer.ts';
import { AbandonedError, type CrossbookError, ERROR_CODES } from '../domain/errors.ts';
import type {
  Log,
  OpenRequestLog,
  ProviderCall,
  RequestEnd,
  RequestFields,
  RequestRecord,
} from '../domain/log.ts';
import type { UsageMeter, UsageOwner } from '../domain/usage.ts';
import type { Clock } from '../lib/clock.ts';
import type { HttpRequest } from '../lib/http-message.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { RemoteParent, RequestTrace, Traces } from './traces.ts';

/**
 * Opens the request log of each request. At the end its record becomes a log line and a span, and is counted in the
 * metrics.
 */
export function createRequestLogs(deps: RequestLogDeps): (request: RequestHead) => OpenRequestLog {
  return (request) => new WrittenRequestLog(request, deps);
}

class WrittenRequestLog implements OpenRequestLog {
  readonly #record: OpenRecord;
  readonly #deps: RequestLogDeps;
  /** Absent: traces are disabled. */
  readonly #trace: RequestTrace | undefined;
  readonly #startedAt: number;
  /** The only customer that it concerns; null: several. */
  #customer: string | undefined | null;

  constructor({ method, route, headers }: RequestHead, deps: RequestLogDeps) {
    this.#deps = deps;
    const { parent, isSampled } = readTraceContext(headers.get('traceparent'));
    this.#trace = isSampled ? deps.startTrace?.(parent) : undefined;
    this.#record = {
      requestId: readRequestId(headers.get('x-request-id')) ?? randomUUID(),
      traceId: parent?.traceId ?? this.#trace?.traceId ?? createTraceId(),
      method,
      route,
      api: undefined,
      operation: undefined,
      operationName: undefined,
      application: undefined,
      credential: undefined,
      customers: NONE,
      providers: NONE,
      status: 0,
      bytes: undefined,
      errors: NONE,
      clientClosed: undefined,
      ms: 0,
      calls: 0,
      cache: NONE,
    };
    this.#startedAt = deps.clock.now();
  }

  get requestId(): string {
    return this.#record.requestId;
  }

  record(notes: RequestFields): void {
    const { customer, provider, cache, operation } = notes;
    const record = this.#record;
    if (customer !== undefined)
      this.#customer = (this.#customer ?? customer) === customer ? customer : null;
    if (customer !== undefined && isLoggable(customer) && record.customers.length < MAX_CUSTOMERS)
      record.customers = addOnce(record.customers, customer);
    if (provider !== undefined) record.providers = addOnce(record.providers, provider);
    if (cache !== undefined) record.cache = addOnce(record.cache, cache);
    if (operation !== undefined)
      record.operation = (record.operation ?? operation) === operation ? operation : SEVERAL;
    record.api = notes.api ?? record.api;
    record.operationName = notes.operationName ?? record.operationName;
    record.application = notes.application ?? record.application;
    record.credential = notes.credential ?? record.credential;
  }

  failed(error: CrossbookError): void {
    // Nothing has failed: the client no longer waits for the response.
    if (error instanceof AbandonedError) {
      this.#record.clientClosed = true;
      return;
    }
    const { id, code, cause } = error;
    const { requestId, traceId, errors } = this.#record;
    // Operations of one batch may share an error.
    if (errors.some((known) => known.id === id)) return;
    this.#record.errors = [...errors, { id, code, ...toProviderFailure(error) }];
    if (code !== 'INTERNAL_SERVER_ERROR') return;
    this.#deps.log.error(
      { requestId, traceId, errorId: id, cause: cause ?? error },
      'internal error',
    );
  }

  called(call: ProviderCall, owner?: UsageOwner): void {
    this.#record.calls += 1;
    if (owner) this.#deps.usage?.called(owner, call);
    this.#trace?.called(toCallSpan(call));
  }

  operation<T>(name: string, work: () => MaybePromise<T>): MaybePromise<T> {
    return this.#trace ? this.#trace.operation(name, async () => work()) : work();
  }

  withSpan<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#trace ? this.#trace.withSpan(name, work) : work();
  }

  close(end: RequestEnd): void {
    const record = this.#record;
    record.status = end.status;
    record.bytes = end.bytes;
    record.ms = this.#deps.clock.now() - this.#startedAt;
    writeRequestLine(this.#deps.log, record);
    this.#deps.onDone(record);
    this.#meter(end);
    this.#trace?.end(toRequestSpan(record));
  }

  #meter({ caller, cost }: RequestEnd): void {
    if (!caller) return;
    const { application, customer } = caller;
    const customerId = customer?.customerId ?? this.#customer ?? undefined;
    this.#deps.usage?.request(
      { applicationId: application.id, customerId },
      { errors: this.#record.errors.length, cost },
      this.#record,
    );
  }
}

/** Why a provider failed, without any of its texts: the status of its response, or the code of the error. */
function toProviderFailure({ code, cause, remote }: CrossbookError): { readonly reason?: string } {
  if (!code.startsWith('REMOTE_PROVIDER_')) return {};
  if (remote) return { reason: `status ${remote.code}` };
  for (let at: unknown = cause; at instanceof Error; at = at.cause) {
    const found = (at as { readonly code?: unknown }).code;
    if (typeof found === 'string' && SYSTEM_CODE.test(found) && !(found in ERROR_CODES))
      return { reason: found };
  }
  return {};
}

/** Codes of the system, of TLS and of undici: `ENOTFOUND`, `UND_ERR_HEADERS_TIMEOUT`. */
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]{2,60}$/;

function addOnce<Value>(list: readonly Value[], value: Value): readonly Value[] {
  return list.includes(value) ? list : [...list, value];
}

/** Whether a customer id can be logged: clients also send emails, keys and tokens in its place. */
function isLoggable(customerId: string): boolean {
  return customerId.length <= MAX_CUSTOMER_ID_LENGTH && !EMAIL_OR_SECRET.test(customerId);
}

/** An email address, or the beginning of a key, a customer token, a webhook secret or the token of a link. */
const EMAIL_OR_SECRET = /@|cb[ak]_|eyJ|whsec_|v\d\.[\w-]+\./;

/** Writes one line per request. Fields with usual values are omitted. */
function writeRequestLine(log: Log, record: RequestRecord): void {
  const { errors } = record;
  const line = {
    requestId: record.requestId,
    traceId: record.traceId,
    method: record.method,
    route: record.route,
    api: record.api,
    operation: record.operation,
    operationName: record.operationName?.slice(0, LONGEST),
    application: record.application,
    credential: record.credential,
    customer: listed(record.customers),
    provider: listed(record.providers),
    status: record.status,
    bytes: record.bytes,
    calls: record.calls,
    cache: listed(record.cache) ?? 'none',
    errors: errors.length > 0 ? errors : undefined,
    clientClosed: record.clientClosed,
    ms: Math.round(record.ms * 10) / 10,
  };
  if (errors.some(({ code }) => ERROR_CODES[code].status >= FAILURES)) log.warn(line, 'request');
  else log.info(line, 'request');
}

function listed(values: readonly string[]): string | undefined {
  return values.length > 0 ? values.join(',') : undefined;
}

/** The maximum length of text from the client. */
const LONGEST = 200;
/** From here on a request failed through no fault of the client: 499 is the CRM’s failure. */
const FAILURES = 499;

function toCallSpan({ provider, budget, outcome, status, ms, waitedMs }: ProviderCall) {
  const failed = outcome !== 'answered' || (status ?? 0) >= 400;
  const attributes = {
    'crossbook.provider': provider,
    'crossbook.budget': budget,
    'crossbook.outcome': outcome,
    'http.response.status_code': status,
    'crossbook.waited_ms': waitedMs,
  };
  return { name: `call ${provider}`, failed, attributes, ms };
}

function toRequestSpan({ method, status, errors, ...record }: RequestRecord) {
  const attributes = {
    'http.request.method': method,
    'http.response.status_code': status,
    'http.route': record.route,
    'crossbook.request_id': record.requestId,
    'crossbook.api': record.api,
    'crossbook.operation': record.operation,
    'crossbook.application': record.application,
    'crossbook.error_code': errors[0]?.code,
  };
  return {
    name: `${method} ${record.operation ?? record.api ?? 'none'}`,
    failed: status >= 500,
    attributes,
  };
}

/** Accepts the caller's request id where it is safe to log. */
export function readRequestId(given: string | null): string | undefined {
  return given !== null && REQUEST_ID.test(given) ? given : undefined;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
const SEVERAL = 'several';
/** Keeps log lines short. */
const MAX_CUSTOMERS = 20;

const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const SAMPLED = 1;

/** Parses the W3C Trace Context header; without a valid one a new trace starts. */
export function readTraceContext(traceparent: string | null): TraceContext {
  const [, traceId, spanId, flags] =
    (traceparent !== null && TRACEPARENT.exec(traceparent)) || NONE;
  if (!traceId || !spanId) return BEGINS_HERE;
  const isSampled = (Number.parseInt(flags ?? '0', 16) & SAMPLED) === SAMPLED;
  return { parent: { traceId, spanId }, isSampled };
}

/** Random bytes are drawn in bulk, because each draw is expensive. */
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
const NONE: readonly never[] = [];
const BEGINS_HERE: TraceContext = { parent: undefined, isSampled: true };

type OpenRecord = { -readonly [Field in keyof RequestRecord]: RequestRecord[Field] };

type RequestHead = Pick<HttpRequest, 'method' | 'headers'> & Pick<RequestRecord, 'route'>;

interface RequestLogDeps {
  readonly log: Log;
  readonly clock: Pick<Clock, 'now'>;
  /** Called with the finished record, for the metrics. */
  onDone(record: RequestRecord): void;
  /** Counts requests of authenticated callers. */
  readonly usage?: UsageMeter | undefined;
  /** Absent: traces are disabled. */
  readonly startTrace?: Traces['start'] | undefined;
}

interface TraceContext {
  /** The caller's span. */
  readonly parent: RemoteParent | undefined;
  /** False: the caller has disabled sampling for this trace. */
  readonly isSampled: boolean;
}
