import { CrossbookError } from '../domain/errors.ts';
import type { RequestLog } from '../domain/log.ts';
import { compressAnswer } from '../lib/compress-answer.ts';
import type { HttpRequest, HttpResponse } from '../lib/http-message.ts';
import type { RestMethod } from './operation.ts';
import { errorResponse } from './responses.ts';

/** Finds what answers a path. Segments are compared still percent-encoded, so that an encoded slash stays in its segment. */
function createRouter(endpoints: readonly Endpoint[]): Router {
  const patterns = endpoints.map((endpoint) => ({ endpoint, segments: endpoint.path.split('/') }));
  return {
    find(pathname) {
      const segments = pathname.split('/');
      const matches = patterns.flatMap((pattern) => {
        const path = match(pattern.segments, segments);
        return path ? [{ endpoint: pattern.endpoint, path }] : [];
      });
      return matches.length > 0 ? matches : undefined;
    },
  };
}

/** The methods that a path takes: whatever can be read can be asked for without its body. */
function toAllow(matches: readonly Match[]): string {
  const methods = matches.map(({ endpoint }) => endpoint.method);
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}

function match(pattern: readonly string[], segments: readonly string[]): Match['path'] | undefined {
  if (pattern.length !== segments.length) return undefined;
  const path: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? '';
    const name = /^\{(.+)\}$/.exec(expected)?.[1];
    if (name && segment !== '') path[name] = segment;
    else if (segment !== expected) return undefined;
  }
  return path;
}

interface Router {
  /** Every method of the path; undefined where there is no such path. */
  find(pathname: string): readonly Match[] | undefined;
}

export interface Match {
  readonly endpoint: Endpoint;
  readonly path: Readonly<Record<string, string>>;
}

export interface Endpoint {
  readonly method: RestMethod;
  readonly path: string;
  answer(arrival: {
    request: HttpRequest;
    path: Match['path'];
    requestLog: RequestLog;
  }): Promise<HttpResponse>;
}

/** What endpoints have in common: the methods of a path, HEAD, compression, and an error for all else. */
export function createAnswerByPath(endpoints: readonly Endpoint[], notFound: string): AnswerByPath {
  const router = createRouter(endpoints);
  return {
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
}
