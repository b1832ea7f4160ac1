import type { Arrival } from '../domain/journal.ts';
import type { HttpRequest } from '../lib/http-message.ts';

/** What a request's journal begins with. */
export function toArrival({ method, pathname, headers }: HttpRequest): Arrival {
  return {
    method,
    path: pathname,
    requestId: headers.get('x-request-id'),
    traceparent: headers.get('traceparent'),
  };
}
