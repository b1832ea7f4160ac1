import { GraphQLError } from 'graphql';
import { createAllowance, RESPONSE_BOUNDS } from '../domain/allowance.ts';
import type { CrossbookError } from '../domain/errors.ts';
import type { HeldBytes } from '../domain/held-bytes.ts';
import type { Journal } from '../domain/journal.ts';
import type { HttpAnswer, HttpHeaders, HttpRequest } from '../lib/http-message.ts';
import { LONG_LIST } from '../lib/write-list.ts';
import type { RequestContext } from '../request/context.ts';
import { createExecute } from './fast/execute.ts';
import { toSubgraph } from './federation.ts';
import { confirmResult } from './http/confirm-result.ts';
import { createDirectPath } from './http/direct-path.ts';
import { createDocumentStore } from './http/document-store.ts';
import { createAutomaticDocuments, createKnownDocuments } from './http/documents.ts';
import { createKnownIntrospection } from './http/known-introspection.ts';
import { chooseMediaType, JSON_TYPE } from './http/media-types.ts';
import { noIntrospection } from './http/no-introspection.ts';
import { type OpenedRequest, readAllowance, toOpenedRequest } from './http/open-request.ts';
import { toHttpAnswer } from './http/respond.ts';
import type { GraphiQLOptions } from './http/use-graphiql.ts';
import { respond } from './http/use-response.ts';
import type { AnswerByYoga } from './http/yoga-path.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import { apiSchema } from './schema.ts';

const PATH = '/graphql';

/** The GraphQL face: answers what is sent to `/graphql`, and everything else with 404. */
export function createGraphQL(options: GraphQLOptions): GraphQLServer {
  const { openContext, introspection = true, graphiql = {}, operations, direct = true } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const schema = toSubgraph(apiSchema);
  const holdDocuments = () => options.heldBytes?.acquire({}, 'document', 0);
  const rules = introspection ? [] : [noIntrospection];
  const store = createDocumentStore({ schema, rules, memory: holdDocuments() });
  const execute = createExecute(schema, { jsonAbove: LONG_LIST, onPlanned: store.addPlan });
  const documents = operations ? createKnownDocuments(operations) : createAutomaticDocuments(holdDocuments());
  const deps = { openContext, schema, execute, store, limits, documents };
  let yoga: Promise<AnswerByYoga> | undefined;
  const answerDirectly = createDirectPath({
    ...deps,
    introspection: introspection ? createKnownIntrospection(schema) : undefined,
  });

  return {
    async answer(request, journal) {
      journal.note({ face: 'graphql' });
      const opened = toOpenedRequest(request, journal);
      const isUsual = direct && request.method === 'POST' && request.pathname === PATH;
      const result = isUsual ? await answerDirectly(opened) : undefined;
      if (!result) return answerByYoga(opened);
      if (readAllowance(opened).isLarge) await journal.permit.takeTurn();
      const confirming = confirmResult(opened, result);
      // What is known at once is not waited for: a turn of the loop for each request adds up.
      const confirmed = confirming instanceof Promise ? await confirming : confirming;
      return respond(confirmed, { opened, suggestions: introspection });
    },
    refuse(error, { request, journal }) {
      const mediaType = chooseMediaType(request.headers.get('accept')) ?? JSON_TYPE;
      const applicationName = journal.caller?.application.name ?? null;
      const allowance = createAllowance(RESPONSE_BOUNDS.stranger);
      const asked = { mediaType, accept: null, applicationName, suggestions: false, journal, allowance };
      return toHttpAnswer({ errors: [new GraphQLError('', { originalError: error })] }, asked);
    },
  };

  /** Whatever is unusual. Loaded with the first such request: a start does not wait for it. */
  async function answerByYoga(opened: OpenedRequest): Promise<HttpAnswer> {
    yoga ??= import('./http/yoga-path.ts').then(({ createYogaPath }) =>
      createYogaPath({ ...deps, path: PATH, introspection, graphiql }),
    );
    return (await yoga)(opened);
  }
}

export interface GraphQLServer {
  answer(request: HttpRequest, journal: Journal): Promise<HttpAnswer>;
  /** The answer to what is not even looked at. */
  refuse(error: CrossbookError, of: { readonly request: HttpRequest; readonly journal: Journal }): HttpAnswer;
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
  /** Documents in memory are counted with all else that is held for clients. */
  readonly heldBytes?: HeldBytes | undefined;
  /** By their SHA-256: only these may be asked for. Undefined: whatever is within the limits. */
  readonly operations?: ReadonlyMap<string, string> | undefined;
  /** False: everything goes through Yoga. The answers are the same. */
  readonly direct?: boolean;
}
