import { type ExecutionResult, GraphQLError } from 'graphql';
import { CrossbookError } from '../domain/errors.ts';
import type { RequestLog } from '../domain/log.ts';
import { Allowance, type HeldBytes, RESPONSE_BOUNDS } from '../domain/resources.ts';
import type { HttpHeaders, HttpRequest, HttpResponse } from '../lib/http-message.ts';
import { JSON_CHUNK_ITEMS } from '../lib/json-body.ts';
import type { RequestContext } from '../request/context.ts';
import { createExecute } from './compiled/execute.ts';
import { createDocumentStore } from './engine/document-store.ts';
import { openOperationEngine } from './engine/operation-run.ts';
import type { Plugins } from './engine/plugins.ts';
import { createKnownIntrospection, noIntrospection } from './introspection.ts';
import { DEFAULT_LIMITS, type DocumentLimits, nothingSpent } from './limits.ts';
import { createGraphiQLPage, type GraphiQLOptions } from './over-http/graphiql-page.ts';
import { createPersistedOperations, createTrustedOperations } from './over-http/persisted-operations.ts';
import { allowanceOf, checkRequest, type GraphQLRequest, readRequest } from './over-http/read-request.ts';
import { type Results, writeResponse } from './over-http/write-response.ts';
import { entitySchema } from './schema.ts';
import { type TypeNames, toSubgraph } from './subgraph/to-subgraph.ts';

const PATH = '/graphql';

/**
 * The GraphQL face: answers what is sent to `/graphql`, and everything else with 404. Each request is read into its operations
 * here, each operation goes through the engine, and the response is written here.
 */
export async function createGraphQL(options: GraphQLOptions) {
  const { openContext, introspection = true, graphiql = {}, operations, plugins = {}, typePrefix } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const schema = toSubgraph(entitySchema, { typePrefix });
  const holdDocuments = () => options.heldBytes?.acquire({}, 'document', 0);
  const rules = introspection ? [] : [noIntrospection];
  const store = createDocumentStore({ schema, rules, memory: holdDocuments() });
  const documents = operations
    ? createTrustedOperations(operations)
    : createPersistedOperations(holdDocuments());
  // Plugins see results as they are, not as the bytes that they become.
  const hasPlugins = Object.keys(plugins).length > 0;
  const jsonAbove = hasPlugins ? Number.POSITIVE_INFINITY : JSON_CHUNK_ITEMS;
  const execute = createExecute(schema, { jsonAbove, onPlanned: store.addPlan });
  const known = introspection && !hasPlugins ? createKnownIntrospection(schema) : undefined;
  const runRules = { schema, store, documents, limits, execute, introspection: known };
  const engine = await openOperationEngine(runRules, hasPlugins ? plugins : undefined);
  const page = graphiql && createGraphiQLPage({ typePrefix, ...graphiql });

  return {
    async answer(request: HttpRequest, requestLog: RequestLog): Promise<HttpResponse> {
      requestLog.record({ face: 'graphql' });
      const shown =
        page && request.method === 'GET' && request.pathname === PATH ? page.answer(request) : undefined;
      if (shown) return shown;
      const opened: GraphQLRequest = {
        request,
        requestLog,
        context: undefined,
        shown: undefined,
        allowance: undefined,
        spent: nothingSpent(),
        tokens: 0,
      };
      let results: Results;
      try {
        if (request.pathname !== PATH) throw notFound();
        checkRequest(request);
        // What is known at once is not waited for: an await would cost each request a turn of the event loop.
        const opening = openContext(request.headers, requestLog);
        const context = opening instanceof Promise ? await opening : opening;
        opened.context = context;
        const limited = context.checkRateLimit();
        if (limited) await limited;
        const applicationId = context.caller?.application.id;
        const asked = readRequest(request, { limits, documents, applicationId });
        const running = Array.isArray(asked)
          ? Promise.all(asked.map((operation) => engine.run(operation, opened)))
          : engine.run(asked, opened);
        results = await running;
      } catch (error) {
        results = toResult(error);
      }
      const allowance = allowanceOf(opened);
      if (allowance.isLarge) await requestLog.permit.takeTurn();
      try {
        const rechecking = opened.context?.recheckSeen();
        if (rechecking) await rechecking;
      } catch (error) {
        // The answer tells of something that was removed while it was made.
        results = toResult(error);
      }
      const accept = request.headers.get('accept');
      const caller = opened.context?.caller;
      return writeResponse(results, {
        accept,
        caller,
        suggestions: introspection,
        isRefused: false,
        requestLog,
        allowance,
      });
    },
    /** The answer to what is not even looked at. */
    refuse(error: CrossbookError, { request, requestLog }: RefusedRequest): HttpResponse {
      const accept = request.headers.get('accept');
      const allowance = new Allowance(RESPONSE_BOUNDS.stranger);
      const { caller } = requestLog;
      const target = { accept, caller, suggestions: false, isRefused: true, requestLog, allowance };
      return writeResponse(toResult(new GraphQLError('', { originalError: error })), target);
    },
    /** For plugins that have something to close. */
    close: engine.close,
  };
}

function toResult(error: unknown): ExecutionResult {
  return { errors: [error as GraphQLError] };
}

function notFound(): CrossbookError {
  return new CrossbookError('NOT_FOUND', `There is nothing here: GraphQL is at ${PATH}.`);
}

export type { Plugins };

interface RefusedRequest {
  readonly request: HttpRequest;
  readonly requestLog: RequestLog;
}

export interface GraphQLOptions extends TypeNames {
  /**
   * Who calls? Rejects with UNAUTHORIZED for a credential that is wrong; resolves with a context without a caller where
   * none was presented.
   */
  openContext(headers: HttpHeaders, requestLog: RequestLog): Promise<RequestContext> | RequestContext;
  /** The page for people. False: there is none. */
  readonly graphiql?: GraphiQLOptions | false;
  /** False: the schema can neither be asked for nor guessed from errors. */
  readonly introspection?: boolean;
  readonly limits?: Partial<DocumentLimits>;
  /** Documents in memory are counted with all else that is held for clients. */
  readonly heldBytes?: HeldBytes | undefined;
  /** By their SHA-256: only these may be asked for. Undefined: whatever is within the limits. */
  readonly operations?: ReadonlyMap<string, string> | undefined;
  /** Of Yoga or Envelop, by names of your own. One whose hooks do not run here is refused. */
  readonly plugins?: Plugins | undefined;
}
