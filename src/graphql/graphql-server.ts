import { setImmediate as nextIteration } from 'node:timers/promises';
import { createExecutor, JSON_CHUNK_ITEMS, nothingSpent } from '@crossbook/executor';
import type { ExecutionResult, GraphQLError } from 'graphql';
import { LIGHT } from '../admission/heavy-places.ts';
import type { RequestWork } from '../admission/work.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { RequestState } from '../domain/request-state.ts';
import type { HttpHeaders, HttpRequest, HttpResponse } from '../lib/http-message.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { openAllowance, RESPONSE_BOUNDS, toTooLarge } from '../request/allowance.ts';
import type { RequestContext } from '../request/context.ts';
import { type CallerSchema, createCallerSchemas } from './caller-schemas.ts';
import { openEngine, type Plugins } from './engine/engine.ts';
import { createKnownIntrospection, noIntrospection } from './engine/introspection.ts';
import { DEFAULT_LIMITS, type DocumentLimits } from './engine/limits.ts';
import { createGraphiQLPage, type GraphiQLOptions } from './over-http/graphiql-page.ts';
import {
  createPersistedOperations,
  createTrustedOperations,
} from './over-http/persisted-operations.ts';
import {
  checkRequest,
  type GraphQLRequest,
  type OperationParams,
  readRequest,
} from './over-http/read-request.ts';
import { type Results, writeResponse } from './over-http/write-response.ts';
import { entitySchema } from './schema.ts';
import { createSubgraphs, type NamePrefixes } from './subgraph/to-subgraph.ts';

const PATH = '/graphql';

/**
 * The GraphQL API: serves `/graphql` and responds to everything else with 404. Reads each request into operations,
 * runs them in the engine, and writes the response.
 */
export function createGraphQL(options: GraphQLOptions) {
  const {
    openContext,
    introspection = true,
    graphiql = {},
    operations,
    plugins = {},
    typePrefix,
    rootFieldPrefix,
    typedFields = true,
  } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const makeSchema = createSubgraphs(entitySchema, { typePrefix, rootFieldPrefix });
  const schema = makeSchema();
  const rules = introspection ? [] : [noIntrospection];
  const documents = operations ? createTrustedOperations(operations) : createPersistedOperations();
  // Plugins read results as objects, so nothing is written as JSON before they have seen it.
  const jsonAbove = Object.keys(plugins).length > 0 ? Number.POSITIVE_INFINITY : JSON_CHUNK_ITEMS;
  const executor = createExecutor(schema, {
    rules,
    limits,
    jsonAbove,
    isPure: takesOnlyParent,
    toError: toTooLarge,
  });
  const known = introspection ? createKnownIntrospection(schema) : undefined;
  const common = { schema, executor, introspection: known };
  const schemas = createCallerSchemas({ common, makeSchema });
  const engine = openEngine({ common, schemas, documents, limits }, plugins);
  const page = graphiql && createGraphiQLPage({ typePrefix, rootFieldPrefix, ...graphiql });

  return {
    findRoute: (pathname: string) => (pathname === PATH ? PATH : undefined),
    async answer(
      request: HttpRequest,
      state: RequestState,
      work: RequestWork,
    ): Promise<HttpResponse> {
      state.requestLog.record({ api: 'graphql' });
      let context: RequestContext | undefined;
      let results: Results;
      try {
        const isPage = page && request.method === 'GET' && request.pathname === PATH;
        const pageResponse = isPage ? page.answer(request) : undefined;
        if (pageResponse) return await pageResponse;
        if (request.pathname !== PATH)
          throw new CrossbookError(
            'NOT_FOUND',
            `There is no endpoint at this path: GraphQL is at ${PATH}.`,
          );
        checkRequest(request);
        context = openContext(request.headers, state, work);
        const applicationId = context.caller?.application.id;
        const operations = readRequest(request, { limits, documents, applicationId });
        const found = typedFields ? schemas.find(context) : common;
        const callerSchema = found instanceof Promise ? await found : found;
        const waiting = isLight(operations, callerSchema, applicationId)
          ? undefined
          : work.beHeavy();
        if (waiting) await waiting;
        const graphqlRequest: GraphQLRequest = {
          request,
          requestLog: state.requestLog,
          context,
          callerSchema,
          fetchRequest: undefined,
          spent: nothingSpent(),
          tokens: 0,
        };
        results = Array.isArray(operations)
          ? await runAll(operations, (operation) => engine.run(operation, graphqlRequest))
          : await engine.run(operations, graphqlRequest);
        const revalidated = context.revalidateReads();
        if (revalidated) await revalidated;
      } catch (error) {
        // Also where the result contains something that was removed meanwhile.
        results = toResult(error);
      }
      const allowance = context?.allowance ?? openAllowance(RESPONSE_BOUNDS.unauthenticated);
      const target = {
        accept: request.headers.get('accept'),
        caller: context?.caller ?? state.caller,
        suggestions: introspection,
        isRejected: false,
        requestLog: state.requestLog,
        allowance,
      };
      return writeResponse(results, target);
    },
    /** The response to requests that are rejected unread. */
    toErrorResponse(
      error: CrossbookError,
      { request, caller, requestLog }: RejectedRequest,
    ): MaybePromise<HttpResponse> {
      return writeResponse(toResult(error), {
        accept: request.headers.get('accept'),
        caller,
        suggestions: false,
        isRejected: true,
        requestLog,
        allowance: openAllowance(RESPONSE_BOUNDS.unauthenticated),
      });
    },
    /** Closes plugins that hold resources. */
    close: engine.close,
  };
}

/** Our resolvers declare what they use, and those of types use the record alone. */
export function takesOnlyParent({ length }: { readonly length: number }, kind: 'field' | 'type') {
  return kind === 'type' || length <= 1;
}

/**
 * All operations of a batch begin at once, so that their look-ups share calls to CRMs. After a long document other
 * requests run first.
 */
async function runAll<Result>(
  operations: readonly OperationParams[],
  run: (operation: OperationParams) => MaybePromise<Result>,
): Promise<readonly Result[]> {
  const running: MaybePromise<Result>[] = [];
  for (const operation of operations) {
    running.push(run(operation));
    if ((operation.query?.length ?? 0) > LIGHT.documentLength) await nextIteration();
  }
  return Promise.all(running);
}

/** A document that is cached takes no memory for this request. */
function isLight(
  operations: OperationParams | readonly OperationParams[],
  { executor }: CallerSchema,
  applicationId: string | undefined,
): boolean {
  let length = 0;
  for (const { query = '' } of [operations].flat())
    if (query.length > 0 && !executor.find(query, applicationId)) length += query.length;
  return length <= LIGHT.documentLength;
}

function toResult(error: unknown): ExecutionResult {
  return { errors: [error as GraphQLError] };
}

export type { Plugins };

type RejectedRequest = RequestState & Pick<GraphQLRequest, 'request'>;

export interface GraphQLOptions extends NamePrefixes {
  openContext(headers: HttpHeaders, state: RequestState, work: RequestWork): RequestContext;
  /** The GraphiQL page. False: disabled. */
  readonly graphiql?: GraphiQLOptions | false;
  /** False: disables introspection and suggestions in errors. */
  readonly introspection?: boolean;
  /** Whether applications may have a typed schema. */
  readonly typedFields?: boolean | undefined;
  readonly limits?: Partial<DocumentLimits>;
  /** Trusted documents by SHA-256: only these may run. Undefined: any within the limits. */
  readonly operations?: ReadonlyMap<string, string> | undefined;
  /** Plugins of Yoga or Envelop, by names of your choice. Plugins with unsupported hooks are rejected. */
  readonly plugins?: Plugins | undefined;
}
