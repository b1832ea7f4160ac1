import { ERROR_CODES } from '../domain/errors.ts';
import type { RequestRecord } from '../domain/journal.ts';
import type { Log } from '../domain/log.ts';

/** One line for each request, and in it all that was not as usual: what is absent is left out. */
export function writeRequestLine(log: Log, record: RequestRecord): void {
  const { errors } = record;
  const line = {
    requestId: record.requestId,
    traceId: record.traceId,
    method: record.method,
    path: record.path.slice(0, LONGEST),
    face: record.face,
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
    ms: Math.round(record.ms * 10) / 10,
  };
  if (errors.some(({ code }) => ERROR_CODES[code].status >= FAILURES)) log.warn(line, 'request');
  else log.info(line, 'request');
}

function listed(values: readonly string[]): string | undefined {
  return values.length > 0 ? values.join(',') : undefined;
}

/** Of text that the client chose. */
const LONGEST = 200;
/** From here on it is not the caller who was wrong. */
const FAILURES = 499;
