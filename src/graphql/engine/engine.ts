import type { ExecutionResult } from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import type { Caller } from '../../domain/caller.ts';
import type { CallerSchema, CallerSchemas } from '../caller-schemas.ts';
import { type PersistedOperations, readHash } from '../over-http/persisted-operations.ts';
import type { GraphQLRequest, OperationParams } from '../over-http/read-request.ts';
import { OperationRun, type RunRules } from './operation-run.ts';
import { PluginRequest } from './plugin-request.ts';
import { checkPlugin, createResolverCheck } from './supported-hooks.ts';

/**
 * What happens to an operation between HTTP and its resolvers, in order. An HTTP request has one operation, or a batch.
 *
 * 1. Door: `http/request-handler.ts` authenticates the request by its headers, counts it towards the caller's rate
 *    limit and queues it.
 * 2. Operations: `graphql-server.ts` reads them from the body.
 * 3. This list, for each operation: it is parsed within the document limits, validated, and its cost is charged to the
 *    rate limit before it is executed. `operation-run.ts` has the state of one operation.
 * 4. Execution: `packages/executor` runs the compiled plan of the document, which calls the resolvers in `types/`.
 * 5. Errors: `over-http/write-response.ts` brings them into the one error format and writes the response.
 * 6. Log and metrics: the request handler closes the request log, which writes the log line, metrics and the trace.
 *    What it records of an operation is noted where the operation is executed.
 */
function listPlugins(rules: EngineRules, plugins: Plugins): readonly OperationPlugin[] {
  const others = Object.entries(plugins) as (readonly [name: string, OperationPlugin])[];
  return [
    // How a document is found, parsed, validated, charged, logged and executed: plugins may wrap each of these.
    useDocument(rules),
    // Plugins of an embedding application.
    ...(others.length === 0 ? [] : useOthers(others)),
    // Finds persisted operations, and begins the operation as the plugins above have left it.
    useBegin(rules, { isAlone: others.length === 0 }),
    // At the start: rejects plugins with hooks that do not run.
    useHookChecks(plugins),
  ];
}

function useDocument({ schemas }: EngineRules): OperationPlugin {
  return {
    // The schema of this caller: the common one, or that of an application with typed custom fields. Envelop reads it right
    // after these hooks, before another operation can begin.
    onEnveloped({ context, setSchema }) {
      setSchema(context?.[RUN].callerSchema.schema);
    },
    onSchemaChange({ schema }) {
      if (!schemas.has(schema))
        throw new Error('A plugin replaced the schema, which is not supported.');
    },
    onParse({ context, setParseFn }) {
      setParseFn((source) => context[RUN].parse(source));
    },
    onValidate({ context, setValidationFn }) {
      setValidationFn((_schema, document, rules) => context[RUN].validate(document, rules));
    },
    onExecute({ context, setExecuteFn }) {
      setExecuteFn((args) => context[RUN].execute(args));
    },
  };
}

/** The plugins of an embedding application, none of which may change resolvers when it sees the schema. */
function useOthers(others: readonly (readonly [name: string, OperationPlugin])[]) {
  const resolvers = createResolverCheck();
  return [
    { onSchemaChange: ({ schema }) => resolvers.remember(schema) },
    ...others.flatMap(([name, plugin]): OperationPlugin[] => [
      plugin,
      { onSchemaChange: ({ schema }) => resolvers.check(name, schema) },
    ]),
  ] satisfies OperationPlugin[];
}

/**
 * One hook, because Yoga creates some hundred objects for each. Without other plugins, nothing would see the phases of a
 * document that is known to be valid, so its result ends them, as that of a response cache does.
 */
function useBegin(
  { documents }: EngineRules,
  { isAlone }: { readonly isAlone: boolean },
): OperationPlugin {
  return {
    onParams({ params, context, setParams, setResult }) {
      const run = context[RUN];
      const query = findPersisted(documents, run, params.query);
      const isFound = query !== undefined && query !== params.query;
      const begun = isFound ? { ...params, query } : params;
      if (isFound) setParams(begun);
      const result = run.begin(begun, isAlone);
      if (result instanceof Promise) return result.then(setResult);
      if (result) setResult(result);
      return undefined;
    },
  };
}

/** The text of the operation whose hash was sent. */
function findPersisted(
  documents: PersistedOperations,
  { operation: sent, applicationId }: OperationRun,
  query: string | undefined,
): string | undefined {
  const isSent = query === sent.query;
  // Once a plugin has replaced the text, the hash no longer applies.
  const hasHash = isSent && (sent.documentId ?? sent.extensions) !== undefined;
  // With trusted documents it was resolved when the request was read.
  if (query !== undefined && (documents.isClosed ? isSent : !hasHash)) return query;
  return documents.find({ query, hash: hasHash ? readHash(sent) : undefined, applicationId });
}

function useHookChecks(named: Plugins): OperationPlugin {
  const last: OperationPlugin = {
    onPluginInit({ plugins }) {
      const all: readonly object[] = plugins;
      // Those that another plugin has added follow it. Yoga's own come afterwards.
      let name = '';
      for (const plugin of all.slice(0, all.indexOf(last))) {
        name = Object.keys(named).find((key) => named[key] === plugin) ?? name;
        if (name !== '') checkPlugin(name, plugin);
      }
    },
  };
  return last;
}

/** Yoga, which runs the plugins over operations. Its HTTP layer is not used. */
export function openEngine(rules: EngineRules, plugins: Plugins): OperationEngine {
  const yoga = createYoga<OperationContext>({
    schema: rules.common.schema,
    plugins: [...listPlugins(rules, plugins)],
    extraParamNames: ['documentId'],
    // The executor's cache is the only one: Yoga's keeps a thousand documents of any size.
    parserAndValidationCache: false,
    maskedErrors: false,
    logging: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    cors: false,
    maxRequestBodySize: false,
  });
  // Looked up once, because Yoga binds its methods at every access.
  const { getResultForParams } = yoga;

  return {
    run(operation, graphqlRequest) {
      try {
        graphqlRequest.fetchRequest ??= new PluginRequest(graphqlRequest.request);
        const request = graphqlRequest.fetchRequest;
        const run = new OperationRun(operation, graphqlRequest, rules);
        const context = { request, caller: graphqlRequest.context.caller, [RUN]: run };
        // Without @defer, @stream and subscriptions results are never incremental.
        const result = getResultForParams(
          { params: operation as GraphQLParams, request },
          context,
        ) as ExecutionResult | Promise<ExecutionResult>;
        // Where a hook has thrown, it is a thenable that is no promise.
        return 'then' in result ? Promise.resolve(result).catch(toFailed) : result;
      } catch (error) {
        return toFailed(error);
      }
    },
    async close() {
      await yoga.dispose();
    },
  };
}

function toFailed(error: unknown): ExecutionResult {
  return { errors: [error as never] };
}

interface EngineRules extends RunRules {
  readonly common: CallerSchema;
  readonly schemas: Pick<CallerSchemas, 'has'>;
}

interface OperationEngine {
  /** Never throws or rejects: errors are in the result. */
  run(
    operation: OperationParams,
    request: GraphQLRequest,
  ): ExecutionResult | Promise<ExecutionResult>;
  /** Closes plugins that hold resources. */
  close(): Promise<void>;
}

/** Plugins by name, for error messages. Yoga's and Envelop's plugin types differ in their contexts. */
export type Plugins = Readonly<Record<string, { readonly [Hook in keyof Plugin]?: unknown }>>;

/** The context of plugins, in addition to what Yoga and plugins add. */
interface OperationContext {
  readonly request: Request;
  /** Undefined: unauthenticated, for introspection only. */
  readonly caller: Caller | undefined;
  readonly [RUN]: OperationRun;
}

/** The context key of our own state. */
const RUN = Symbol('operation');

type OperationPlugin = Plugin<OperationContext, OperationContext>;
