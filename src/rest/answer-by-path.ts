import { CrossbookError } from '../domain/errors.ts';
import type { RequestLog } from '../domain/request-log.ts';
import { compressAnswer } from '../lib/compress-answer.ts';
import type { HttpRequest, HttpResponse } from '../lib/http-message.ts';
import { errorResponse } from './errors.ts';
import { createRouter, type Endpoint, toAllow } from './router.ts';

/** What endpoints have in common: the methods of a path, HEAD, compression, and an error for all else. */
export function createAnswerByPath(endpoints: readonly Endpoint[], notFound: string): AnswerByPath {
  const router = createRouter(endpoints);
  return {
    handles: (pathname) => router.find(pathname) !== undefined,
    refuse: (error, { requestLog }) =>
      errorResponse(error, { requestLog, applicationName: requestLog.caller?.application.name ?? null }),
    async answer(request, requestLog) {
      requestLog.record({ face: 'rest' });
      const { status, headers, body } = await route(request, requestLog).catch((thrown: unknown) =>
        errorResponse(thrown, { requestLog, applicationName: null }),
      );
      const answer = { status, headers: { ...headers, 'x-content-type-options': 'nosniff' }, body };
      if (request.method === 'HEAD') return { ...answer, body: null, length: undefined };
      return compressAnswer(answer, request.headers.get('accept-encoding'));
    },
  };

  async function route(request: HttpRequest, requestLog: RequestLog): Promise<HttpResponse> {
    const matches = router.find(request.pathname);
    if (!matches) throw new CrossbookError('NOT_FOUND', notFound);
    const allow = toAllow(matches);
    if (request.method === 'OPTIONS') return { status: 204, headers: { allow }, body: null };
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const found = matches.find(({ endpoint }) => endpoint.method === method);
    if (found) return found.endpoint.answer({ request, path: found.path, requestLog });
    const refusal = new CrossbookError('METHOD_NOT_ALLOWED', `This path takes ${allow}.`);
    return errorResponse(refusal, { requestLog, applicationName: null, headers: { allow } });
  }
}

export interface AnswerByPath {
  answer(request: HttpRequest, requestLog: RequestLog): Promise<HttpResponse>;
  /** The answer to what is not even looked at. */
  refuse(error: CrossbookError, of: { readonly requestLog: RequestLog }): HttpResponse;
  /** Is there something at this path, whatever the method? */
  handles(pathname: string): boolean;
}
