import { GraphQLError } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { CrossbookError } from '../domain/errors.ts';
import type { Journal } from '../domain/journal.ts';
import type { HttpAnswer, HttpHeaders, HttpRequest } from '../lib/http-message.ts';
import { LONG_LIST } from '../lib/write-list.ts';
import type { RequestContext } from '../request/context.ts';
import { createExecute } from './fast/execute.ts';
import { toSubgraph } from './federation.ts';
import { createDirectPath } from './http/direct-path.ts';
import { createAutomaticDocuments, createKnownDocuments } from './http/documents.ts';
import { JSON_TYPE } from './http/media-types.ts';
import type { OpenedRequest } from './http/open-request.ts';
import { toHttpAnswer } from './http/respond.ts';
import { type GraphiQLOptions, useGraphiQL } from './http/use-graphiql.ts';
import { noIntrospection, useNoIntrospection } from './http/use-no-introspection.ts';
import { type OpenedRequests, useRequest } from './http/use-request.ts';
import { respond, useResponse } from './http/use-response.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { apiSchema } from './schema.ts';

const PATH = '/graphql';

/** The GraphQL face: answers what is sent to `/graphql`, and everything else with 404. */
export function createGraphQL(options: GraphQLOptions): GraphQLServer {
  const { openContext, introspection = true, graphiql = {}, operations, direct = true } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const schema = toSubgraph(apiSchema);
  const execute = createExecute(schema, { jsonAbove: LONG_LIST });
  const documents = operations ? createKnownDocuments(operations) : createAutomaticDocuments();
  const requests: OpenedRequests = new WeakMap();
  const yoga = createYoga({
    schema,
    graphqlEndpoint: PATH,
    plugins: [
      useResponse({ path: PATH, requests, suggestions: introspection }),
      graphiql !== false && useGraphiQL({ path: PATH, ...graphiql }),
      useRequest({ openContext, schema, execute, limits, documents, requests }),
      !introspection && useNoIntrospection(),
    ],
    batching: { limit: limits.batch },
    // Ours: the plugins above do it in the one error shape, or more cheaply.
    maskedErrors: false,
    logging: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    cors: false,
    maxRequestBodySize: false,
  });
  const rules = introspection ? [] : [noIntrospection];
  const answerDirectly = createDirectPath({ openContext, schema, execute, limits, documents, rules });

  return {
    async answer(request, journal) {
      journal.note({ face: 'graphql' });
      const opened: OpenedRequest = { request, journal, context: undefined, operations: undefined, spent: 0 };
      const isUsual = direct && request.method === 'POST' && request.pathname === PATH;
      const result = isUsual ? await answerDirectly(opened) : undefined;
      return result ? respond(result, { opened, suggestions: introspection }) : answerByYoga(opened);
    },
    refuse(error, journal) {
      const asked = { mediaType: JSON_TYPE, applicationName: null, suggestions: false, journal };
      return toHttpAnswer({ errors: [new GraphQLError('', { originalError: error })] }, asked);
    },
  };

  /** It is shown the request without its body: what is in that is read by us. */
  async function answerByYoga(opened: OpenedRequest): Promise<HttpAnswer> {
    const { method, url, headers } = opened.request;
    const shown = new yoga.fetchAPI.Request(url.href, { method, headers: Object.fromEntries(headers) });
    requests.set(shown, opened);
    const response = await yoga.fetch(shown);
    const body = new Uint8Array(await response.arrayBuffer());
    const { status } = response;
    return { status, headers: Object.fromEntries(response.headers), body: body.length > 0 ? body : null };
  }
}

export interface GraphQLServer {
  answer(request: HttpRequest, journal: Journal): Promise<HttpAnswer>;
  /** The answer to what is not even looked at. */
  refuse(error: CrossbookError, journal: Journal): HttpAnswer;
}

export interface GraphQLOptions {
  /**
   * Who calls? Rejects with UNAUTHORIZED for a credential that is wrong; resolves with a context without a caller where
   * none was presented.
   */
  openContext(headers: HttpHeaders, journal: Journal): Promise<RequestContext>;
  /** The page for people. False: there is none. */
  readonly graphiql?: GraphiQLOptions | false;
  /** False: the schema can neither be asked for nor guessed from errors. */
  readonly introspection?: boolean;
  readonly limits?: Partial<Limits>;
  /** By their SHA-256: only these may be asked for. Undefined: whatever is within the limits. */
  readonly operations?: ReadonlyMap<string, string> | undefined;
  /** False: everything goes through Yoga. The answers are the same. */
  readonly direct?: boolean;
}
