import { GraphQLError } from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { CrossbookError } from '../domain/errors.ts';
import type { Journal } from '../domain/journal.ts';
import type { RequestContext } from '../request/context.ts';
import { createExecute } from './fast/execute.ts';
import { toSubgraph } from './federation.ts';
import { createAutomaticDocuments, createKnownDocuments } from './http/documents.ts';
import { JSON_TYPE } from './http/media-types.ts';
import { toResponse } from './http/respond.ts';
import { type GraphiQLOptions, useGraphiQL } from './http/use-graphiql.ts';
import { useNoIntrospection } from './http/use-no-introspection.ts';
import { type OpenedRequests, useRequest } from './http/use-request.ts';
import { useResponse } from './http/use-response.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { apiSchema } from './schema.ts';

const PATH = '/graphql';

/** The GraphQL face: answers what is sent to `/graphql`, and everything else with 404. */
export function createGraphQL(options: GraphQLOptions): GraphQLServer {
  const { openContext, introspection = true, graphiql = {}, operations } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const schema = toSubgraph(apiSchema);
  const requests: OpenedRequests = new WeakMap();
  const yoga = createYoga({
    schema,
    graphqlEndpoint: PATH,
    plugins: [
      useResponse({ path: PATH, requests, suggestions: introspection }),
      graphiql !== false && useGraphiQL({ path: PATH, ...graphiql }),
      useRequest({
        openContext,
        schema,
        execute: createExecute(schema),
        limits,
        documents: operations ? createKnownDocuments(operations) : createAutomaticDocuments(),
        requests,
      }),
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
  return {
    fetch(request, journal) {
      journal.note({ face: 'graphql' });
      requests.set(request, { journal, context: undefined, spent: 0 });
      return yoga.fetch(request);
    },
    refuse(error, journal) {
      const asked = { mediaType: JSON_TYPE, applicationName: null, suggestions: false, journal };
      const { body, ...init } = toResponse(
        { errors: [new GraphQLError('', { originalError: error })] },
        asked,
      );
      return new Response(body, init);
    },
  };
}

export interface GraphQLServer {
  fetch(request: Request, journal: Journal): Promise<Response> | Response;
  /** The answer to what is not even looked at. */
  refuse(error: CrossbookError, journal: Journal): Response;
}

export interface GraphQLOptions {
  /**
   * Who calls? Rejects with UNAUTHORIZED for a credential that is wrong; resolves with a context without a caller where
   * none was presented.
   */
  openContext(headers: Headers, journal: Journal): Promise<RequestContext>;
  /** The page for people. False: there is none. */
  readonly graphiql?: GraphiQLOptions | false;
  /** False: the schema can neither be asked for nor guessed from errors. */
  readonly introspection?: boolean;
  readonly limits?: Partial<Limits>;
  /** By their SHA-256: only these may be asked for. Undefined: whatever is within the limits. */
  readonly operations?: ReadonlyMap<string, string> | undefined;
}
