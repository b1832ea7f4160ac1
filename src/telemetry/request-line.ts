import { ERROR_CODES } from '../domain/errors.ts';
import type { RequestRecord } from '../domain/journal.ts';
import type { Log } from '../domain/log.ts';

/** One line for each request, and in it all that was not as usual: what is absent is left out. */
export function writeRequestLine(log: Log, record: RequestRecord): void {
  const { customers, providers, cache, errors, ms, path, operationName, ...facts } = record;
  const line = {
    ...facts,
    path: path.slice(0, LONGEST),
    operationName: operationName?.slice(0, LONGEST),
    ...{ customer: listed(customers), provider: listed(providers), cache: listed(cache) ?? 'none' },
    ...(errors.length > 0 && { errors }),
    ms: Math.round(ms * 10) / 10,
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
