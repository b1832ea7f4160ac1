import { randomUUID } from 'node:crypto';
import type { CrossbookError } from '../domain/errors.ts';
import type { Arrival, CacheUse, Notes, OpenJournal, RequestRecord } from '../domain/journal.ts';
import type { Log } from '../domain/log.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { createSpans, type Span } from './spans.ts';
import { readTraceContext } from './trace-context.ts';

/** One request's journal. At its end the record goes to whoever wants it: the log, the metrics, the collector. */
export function openJournal(arrival: Arrival, deps: JournalDeps): OpenJournal {
  const requestId = readRequestId(arrival.requestId);
  const trace = readTraceContext(arrival.traceparent);
  const { now } = deps;
  const spans =
    deps.onSpans && trace.isSampled ? createSpans({ trace, now, onEnd: deps.onSpans }) : undefined;
  const startedAt = now();
  const customers = new Set<string>();
  const providers = new Set<ProviderName>();
  const cache = new Set<CacheUse>();
  const errors = new Map<string, CrossbookError['code']>();
  let notes: Notes = {};
  let calls = 0;

  return {
    requestId,

    note({ customer, provider, cache: use, ...more }) {
      if (customer !== undefined && customers.size < MAX_CUSTOMERS) customers.add(customer);
      if (provider !== undefined) providers.add(provider);
      if (use !== undefined) cache.add(use);
      const isAnother =
        notes.operation !== undefined && (more.operation ?? notes.operation) !== notes.operation;
      notes = { ...notes, ...more, ...(isAnother && { operation: SEVERAL }) };
    },

    failed(error) {
      const { id, code } = error;
      // Operations of one batch may share one.
      if (errors.has(id)) return;
      errors.set(id, code);
      if (code !== 'INTERNAL_SERVER_ERROR') return;
      deps.log.error(
        { requestId, traceId: trace.traceId, errorId: id, cause: error.cause ?? error },
        'a bug',
      );
    },

    called(call) {
      calls += 1;
      spans?.called(toCallSpan(call));
    },

    operation: (name, work) => (spans ? spans.operation(name, work) : work()),
    timed: (name, work) => (spans ? spans.timed(name, work) : work()),

    close(answer) {
      const { method, path } = arrival;
      const { face, operation, operationName, application, credential } = notes;
      const record: RequestRecord = {
        ...{ requestId, traceId: trace.traceId, method, path, face, operation, operationName },
        ...{ application, credential, customers: [...customers], providers: [...providers] },
        ...{
          ...answer,
          errors: [...errors].map(([id, code]) => ({ id, code })),
          ms: now() - startedAt,
          calls,
          cache: [...cache],
        },
      };
      deps.onDone(record);
      spans?.end(toRequestSpan(record));
    },
  };
}

function toCallSpan({
  provider,
  budget,
  outcome,
  status,
  ms,
  waitedMs,
}: Parameters<OpenJournal['called']>[0]) {
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
function readRequestId(given: string | null): string {
  return given !== null && REQUEST_ID.test(given) ? given : randomUUID();
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
const SEVERAL = 'several';
/** A line stays readable, whatever was asked for. */
const MAX_CUSTOMERS = 20;

export interface JournalDeps {
  readonly log: Log;
  /** Milliseconds since 1970, with fractions. */
  now(): number;
  onDone(record: RequestRecord): void;
  /** Absent: nobody follows requests on their way. */
  readonly onSpans?: ((spans: readonly Span[]) => void) | undefined;
}
