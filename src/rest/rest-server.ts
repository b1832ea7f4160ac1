import type { RequestWork } from '../admission/work.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { RequestState } from '../domain/request-state.ts';
import { html, toPage } from '../lib/html.ts';
import type { HttpHeaders, HttpRequest, HttpResponse } from '../lib/http-message.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { compressAnswer } from '../lib/response-body.ts';
import type { RequestContext } from '../request/context.ts';
import type { Endpoint } from './endpoint.ts';
import { createDocsEndpoint, createOpenApiEndpoint } from './openapi/endpoints.ts';
import type { DocsDemo } from './openapi/page.ts';
import { errorResponse, type Route } from './operation.ts';
import { OPERATIONS } from './routes/all.ts';

/** The REST API: the operations, their OpenAPI document, and its page. */
export function createRest({
  openContext,
  prefixes = {},
  demo,
  hasGraphiQL = false,
  version,
}: RestOptions) {
  const operations = OPERATIONS.map((operation) => ({
    ...operation,
    path: `${prefixes[operation.group] ?? ''}${operation.path}`,
  }));
  return createRouter(
    [
      ...operations.map((operation) =>
        toEndpoint(operation, async (request, state) => {
          const context = openContext(request.request.headers, state, request.work);
          // Refuses unauthenticated requests before they are read.
          context.requireCaller();
          const response = await operation.run(context, request, context.allowance);
          const revalidated = context.revalidateReads();
          if (revalidated) await revalidated;
          return response;
        }),
      ),
      createOpenApiEndpoint(operations, version),
      createDocsEndpoint(demo, hasGraphiQL),
    ],
    'There is no endpoint at this path: see /docs.',
  );
}

/** Serves a route by `answer`, under its id in the request log. */
export function toEndpoint(
  { id, method, path }: Route<never>,
  answer: Endpoint['answer'],
): Endpoint {
  return {
    method,
    path,
    answer(request, state) {
      state.requestLog.record({ operation: id });
      return state.requestLog.operation(id, () => answer(request, state));
    },
  };
}

/** Whether a person opens the path in a browser. */
function isPageWanted({ method, headers }: HttpRequest): boolean {
  return method === 'GET' && (headers.get('accept') ?? '').startsWith('text/html');
}

/** The page instead of the JSON of the same error. */
function toNotFoundPage({ status }: HttpResponse): HttpResponse {
  return toPage({
    status,
    title: 'Page not found',
    body: html`<h1>There is nothing at this address</h1>
<p>Check the address for typing mistakes, or go on from here:</p>
<ul>
<li><a href="/">Home page</a></li>
<li><a href="/docs">REST reference</a></li>
</ul>`,
  });
}

/** Routes requests to endpoints and handles OPTIONS, HEAD, compression and errors. */
export function createRouter(endpoints: readonly Endpoint[], notFound: string) {
  const routes = endpoints.map((endpoint) => ({ endpoint, pattern: toPattern(endpoint.path) }));
  return {
    findRoute: (pathname: string) =>
      routes.find(({ pattern }) => pattern.test(pathname))?.endpoint.path,
    /** The response to a request that was rejected before routing. */
    toErrorResponse: (error: CrossbookError, state: RequestState) => errorResponse(error, state),
    async answer(
      request: HttpRequest,
      state: RequestState,
      work: RequestWork,
    ): Promise<HttpResponse> {
      state.requestLog.record({ api: 'rest' });
      let response: HttpResponse;
      try {
        const answered = route(request, state, work);
        response = answered instanceof Promise ? await answered : answered;
      } catch (thrown) {
        response = errorResponse(thrown, state);
      }
      if (request.method === 'HEAD') return { ...response, body: null };
      return compressAnswer(response, request.headers.get('accept-encoding'));
    },
  };

  function route(
    request: HttpRequest,
    state: RequestState,
    work: RequestWork,
  ): MaybePromise<HttpResponse> {
    const matches = routes.flatMap(({ endpoint, pattern }) => {
      const match = pattern.exec(request.pathname);
      return match ? [{ endpoint, path: match.groups ?? {} }] : [];
    });
    if (matches.length === 0) {
      const refused = refuse(new CrossbookError('NOT_FOUND', notFound));
      return isPageWanted(request) ? toNotFoundPage(refused) : refused;
    }
    const methods = matches.map(({ endpoint }) => endpoint.method);
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    if (request.method === 'OPTIONS') return { status: 204, headers: { allow }, body: null };
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const found = matches.find(({ endpoint }) => endpoint.method === method);
    if (found) return found.endpoint.answer({ request, path: found.path, work }, state);
    return refuse(new CrossbookError('METHOD_NOT_ALLOWED', `This path supports only ${allow}.`), {
      allow,
    });

    function refuse(error: CrossbookError, headers = {}) {
      return errorResponse(error, state, headers);
    }
  }
}

/** Matches the percent-encoded path, so that an encoded slash stays in its segment. */
function toPattern(path: string): RegExp {
  const pattern = path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return new RegExp(`^${pattern}$`);
}

export interface RestOptions {
  openContext(headers: HttpHeaders, state: RequestState, work: RequestWork): RequestContext;
  /** Path prefixes of operation groups: `/crm/v2`. */
  readonly prefixes?: Readonly<Record<string, string | undefined>>;
  /** Demo values for the documentation page. Undefined without a demo. */
  readonly demo?: DocsDemo | undefined;
  /** Whether browsers get GraphiQL at `/graphql`. */
  readonly hasGraphiQL?: boolean | undefined;
  /** The product's version, for the document. */
  readonly version: string;
}
