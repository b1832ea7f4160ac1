import { CrossbookError } from '../domain/errors.ts';
import type { RejectedRequest } from '../domain/log.ts';
import type { ArrivingRequest, HttpResponse } from '../lib/http-message.ts';
import { toProbeResponse } from './lifecycle.ts';
import { createNodeHandler, type NodeHandler } from './node-handler.ts';
import { toRefusal } from './rejected-request.ts';
import type { OwnedResponse } from './send-response.ts';
import { UnreadBytes } from './unread-bytes.ts';

/**
 * Handles requests while the application opens, which takes as long as migrations take: the process is live and not
 * ready, and everything else gets 503. From `open` on, the application handles them.
 */
export function createStartupHandler(basePath = '') {
  const starting = createNodeHandler({
    answer: async (request) => answerStarting(request),
    onRefused: () => {},
    unread: new UnreadBytes(),
    basePath: () => basePath,
  });
  let handler: NodeHandler = starting;
  let report: Application['onRefused'] = () => {};
  return {
    handler: {
      handle: (...request) => handler.handle(...request),
      refuse: (...refused) => handler.refuse(...refused),
    } satisfies Partial<NodeHandler>,
    onRefused: (refusal: RejectedRequest): void => report(refusal),
    open(opened: Application): void {
      ({ handler, onRefused: report } = opened);
      void starting.close();
    },
  };
}

/** Its responses are short. */

function answerStarting({ method, pathname }: ArrivingRequest): OwnedResponse {
  const isProbe = method === 'GET' || method === 'HEAD';
  if (isProbe && pathname === '/livez') return toOwned(toProbeResponse(200, {}), method);
  if (isProbe && pathname === '/readyz')
    return toOwned(toProbeResponse(503, { started: false }), method);
  const detail = 'This process is starting. Send the request again in a moment.';
  const error = new CrossbookError('SERVICE_UNAVAILABLE', detail, { retryAfterMs: 1_000 });
  return toOwned(toRefusal(error, pathname), method);
}

function toOwned(response: HttpResponse, method: string): OwnedResponse {
  const body = method === 'HEAD' ? null : response.body;
  return { ...response, body, application: undefined };
}

interface Application {
  readonly handler: NodeHandler;
  onRefused(refusal: RejectedRequest): void;
}
