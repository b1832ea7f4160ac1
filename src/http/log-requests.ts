import { randomUUID } from 'node:crypto';
import type { Log } from '../domain/log.ts';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** One line for each request, and the request's id on its answer. */
export function logRequests({ log, now, handle }: Options): (request: Request) => Promise<Response> {
  return async (request) => {
    const started = now();
    const requestId = readRequestId(request.headers.get('x-request-id'));
    const response = await handle(request);
    response.headers.set('x-request-id', requestId);
    log.info(
      {
        requestId,
        method: request.method,
        path: new URL(request.url).pathname,
        status: response.status,
        ms: Math.round(now() - started),
      },
      'request',
    );
    return response;
  };
}

/** A caller's own id is taken over where it can stand in a log line. */
function readRequestId(given: string | null): string {
  return given !== null && REQUEST_ID.test(given) ? given : randomUUID();
}

interface Options {
  readonly log: Log;
  now(): number;
  handle(request: Request): Promise<Response> | Response;
}
