import type { Arrival, ArrivalIds } from '../domain/journal.ts';
import type { HttpHeaders, HttpRequest } from '../lib/http-message.ts';
import { redactPath } from '../lib/redact-path.ts';

/** What a request's journal begins with. */
export function toArrival({ method, pathname, headers }: HttpRequest): Arrival {
  const { requestId, traceparent } = toArrivalIds(headers);
  return { method, path: redactPath(pathname), requestId, traceparent };
}

export function toArrivalIds(headers: HttpHeaders): ArrivalIds {
  return { requestId: headers.get('x-request-id'), traceparent: headers.get('traceparent') };
}
