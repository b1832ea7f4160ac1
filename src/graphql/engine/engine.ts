import type { ExecutionResult } from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import type { Caller } from '../../domain/caller.ts';
import type { HttpRequest } from '../../lib/http-message.ts';
import type { GraphQLRequest, OperationParams } from '../over-http/read-request.ts';
import { OperationRun, type RunRules } from './operation-run.ts';
import { checkPlugin } from './supported-hooks.ts';

/**
 * What happens to an operation, in order. Before, `server.ts` has found the caller, counted the request towards the rate
 * limit, and read it; afterwards, `over-http/write-response.ts` translates errors and writes the response.
 */
function listPlugins(rules: RunRules, given: Plugins): readonly OperationPlugin[] {
  const others = Object.values(given) as OperationPlugin[];
  return [
    // How a document is parsed and validated, and how it is charged, logged and executed: plugins may wrap each of these.
    useExecutor(rules),
    // Plugins of an embedding application.
    ...others,
    // Replaces the hash of a persisted operation by its text.
    usePersistedOperations(),
    // Responses to the introspection queries of tools are kept. Other plugins have to see these queries.
    ...(others.length === 0 ? [useKnownIntrospection()] : []),
    // Limits, cost and authorization, of the operation as the plugins above have left it: before it is validated.
    useOperationChecks(),
    // At the start: rejects plugins with hooks that do not run.
    useHookChecks(given),
  ];
}

function useExecutor({ schema: ours }: RunRules): OperationPlugin {
  return {
    onSchemaChange({ schema }) {
      if (schema !== ours) throw new Error('A plugin puts another schema in place of ours.');
    },
    onParse({ context, setParseFn }) {
      setParseFn(() => context[RUN].readDocument());
    },
    onValidate({ context, setValidationFn }) {
      setValidationFn((_schema, document, rules) => context[RUN].validate(document, rules));
    },
    onExecute({ context, setExecuteFn }) {
      setExecuteFn((args) => context[RUN].execute(args));
    },
  };
}

function usePersistedOperations(): OperationPlugin {
  return {
    onParams({ params, context, setParams }) {
      const query = context[RUN].findText(params);
      if (query !== params.query) setParams({ ...params, query });
    },
  };
}

function useKnownIntrospection(): OperationPlugin {
  return {
    onParams: ({ params, context, setResult }) =>
      context[RUN].answerIntrospection(params)?.then(setResult),
  };
}

function useOperationChecks(): OperationPlugin {
  return {
    onParams: ({ params, context }) => context[RUN].prepare(params),
  };
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
export function openEngine(rules: RunRules, plugins: Plugins): OperationEngine {
  const yoga = createYoga<OperationContext>({
    schema: rules.schema,
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
    async run(operation, graphqlRequest) {
      try {
        graphqlRequest.shown ??= toPluginRequest(graphqlRequest.request);
        const request = graphqlRequest.shown;
        const run = new OperationRun(operation, graphqlRequest, rules);
        const context = { request, caller: graphqlRequest.context.caller, [RUN]: run };
        // Without @defer, @stream and subscriptions results are never incremental.
        const result = getResultForParams({ params: operation as GraphQLParams, request }, context);
        return ((await result) ?? {}) as ExecutionResult;
      } catch (error) {
        return { errors: [error as never] };
      }
    },
    async close() {
      await yoga.dispose();
    },
  };
}

export interface OperationEngine {
  /** Never rejects: errors are in the result. */
  run(operation: OperationParams, request: GraphQLRequest): Promise<ExecutionResult>;
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

/**
 * The HTTP request for plugins: a platform `Request` without its body, which was read already. Created lazily,
 * because few plugins need more than the method.
 */
function toPluginRequest({ method, url, headers }: HttpRequest): Request {
  let made: Request | undefined;
  return new Proxy({} as Request, {
    get(_target, name) {
      if (name === 'method') return method;
      made ??= new Request(url, { method, headers: Object.fromEntries(headers) });
      const value: unknown = Reflect.get(made, name, made);
      return typeof value === 'function' ? value.bind(made) : value;
    },
  });
}

/** The context key of our own state. */
const RUN = Symbol('operation');

type OperationPlugin = Plugin<OperationContext, OperationContext>;
