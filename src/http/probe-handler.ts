import { CrossbookError, toCrossbookError } from '../domain/errors.ts';
import type { RejectedRequest } from '../domain/log.ts';
import type { HttpRequest, HttpResponse } from '../lib/http-message.ts';
import type { Probes } from './lifecycle.ts';
import { createNodeHandler, type NodeHandler } from './node-handler.ts';
import { toRefusal } from './rejected-request.ts';
import { UnreadBytes } from './unread-bytes.ts';

/** Answers probes and metrics, and nothing else: for a process that serves no requests. */
export function createProbeHandler({ probes, onRefused }: ProbeHandlerOptions): NodeHandler {
  return createNodeHandler({
    answer: async (request) => ({ ...(await answer(request)), application: undefined }),
    onRefused,
    unread: new UnreadBytes(),
  });

  async function answer(request: HttpRequest): Promise<HttpResponse> {
    const { pathname } = request;
    try {
      const probe = probes.answer(request);
      return probe ? await probe : toRefusal(new CrossbookError('NOT_FOUND', NO_API), pathname);
    } catch (error) {
      return toRefusal(toCrossbookError(error), pathname);
    }
  }
}

const NO_API = 'This process does jobs, and serves /livez, /readyz and /metrics only.';

interface ProbeHandlerOptions {
  readonly probes: Pick<Probes, 'answer'>;
  onRefused(refusal: RejectedRequest): void;
}
