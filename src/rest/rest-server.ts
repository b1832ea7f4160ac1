import type { RequestWork } from '../admission/work.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { RequestState } from '../domain/request-state.ts';
import { html, toPage } from '../lib/html.ts';
import type { HttpHeaders, HttpRequest, HttpResponse } from '../lib/http-message.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { compressAnswer } from '../lib/response-body.ts';
import type { RequestContext } from '../request/context.ts';
import { authorizeOperator, type OperatorAccess } from './console-access.ts';
import type { Endpoint } from './endpoint.ts';
import { createGuideEndpoints } from './guides/endpoints.ts';
import { createDocsEndpoint, createOpenApiEndpoint } from './openapi/endpoints.ts';
import type { DocsDemo } from './openapi/page.ts';
import { errorResponse, type Route } from './operation.ts';
import { OPERATIONS } from './routes/all.ts';

/** The REST API: the operations, their OpenAPI document, and its page. */
export function createRest({
  openContext,
  prefixes = {},
  basePath = () => '',
  demo,
  hasGraphiQL = false,
  version,
  operators,
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
          const { application, operator } = context.requireCaller();
          if (operator && operators)
            await authorizeOperator(operators, {
              operation: operation.id,
              operator,
              applicationId: application.id,
              path: request.path,
              headers: request.request.headers,
            });
          const response = await operation.run(context, request, context.allowance);
          const revalidated = context.revalidateReads();
          if (revalidated) await revalidated;
          return response;
        }),
      ),
      createOpenApiEndpoint(operations, { version, basePath }),
      createDocsEndpoint({ demo, hasGraphiQL, basePath }),
      ...createGuideEndpoints(basePath),
    ],
    {
      notFound: () =>
        `There is no endpoint at this path: see ${basePath()}/docs, or the guides at ${basePath()}/guides.`,
      toNotFoundPage: (response) => toNotFoundPage(response, basePath()),
    },
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
function toNotFoundPage({ status }: HttpResponse, basePath: string): HttpResponse {
  return toPage({
    status,
    title: 'Page not found',
    body: html`<h1>There is nothing at this address</h1>
<p>Check the address for typing mistakes, or go on from here:</p>
<ul>
<li><a href="${basePath}/">Home page</a></li>
<li><a href="${basePath}/guides">Guides</a></li>
<li><a href="${basePath}/docs">REST reference</a></li>
</ul>`,
  });
}

/** Routes requests to endpoints and handles OPTIONS, HEAD, compression and errors. */
export function createRouter(
  endpoints: readonly Endpoint[],
  { notFound, toNotFoundPage }: UnknownPaths,
) {
  // Those with the fewest parameters first: `_search` is no id of a record.
  const routes = endpoints
    .map((endpoint) => ({ endpoint, pattern: toPattern(endpoint.path) }))
    .sort((one, other) => countParameters(one.endpoint) - countParameters(other.endpoint));
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
    const matches = toMostLiteral(
      routes.flatMap(({ endpoint, pattern }) => {
        const match = pattern.exec(request.pathname);
        return match ? [{ endpoint, path: match.groups ?? {} }] : [];
      }),
    );
    if (matches.length === 0) {
      const refused = refuse(new CrossbookError('NOT_FOUND', notFound()));
      return toNotFoundPage && isPageWanted(request) ? toNotFoundPage(refused) : refused;
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

function countParameters({ path }: Pick<Endpoint, 'path'>): number {
  return path.split('{').length;
}

/** The matches with the fewest parameters. */
function toMostLiteral<Match extends { readonly path: object }>(matches: readonly Match[]) {
  const count = ({ path }: Match) => Object.keys(path).length;
  const fewest = Math.min(...matches.map(count));
  return matches.filter((match) => count(match) === fewest);
}

/** Matches the percent-encoded path, so that an encoded slash stays in its segment. */
function toPattern(path: string): RegExp {
  const pattern = path.replaceAll('.', '\\.').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return new RegExp(`^${pattern}$`);
}

interface UnknownPaths {
  /** What the error says. */
  notFound(): string;
  /** The page for browsers. Absent: they get the JSON of the error, too. */
  readonly toNotFoundPage?: (refused: HttpResponse) => HttpResponse;
}

export interface RestOptions {
  openContext(headers: HttpHeaders, state: RequestState, work: RequestWork): RequestContext;
  /** Path prefixes of operation groups: `/crm/v2`. */
  readonly prefixes?: Readonly<Record<string, string | undefined>>;
  /** The path of the public URL. */
  readonly basePath?: (() => string) | undefined;
  /** Demo values for the documentation page. Undefined without a demo. */
  readonly demo?: DocsDemo | undefined;
  /** Whether browsers get GraphiQL at `/graphql`. */
  readonly hasGraphiQL?: boolean | undefined;
  /** Present with the console. */
  readonly operators?: OperatorAccess | undefined;
  /** The product's version, for the document. */
  readonly version: string;
}
