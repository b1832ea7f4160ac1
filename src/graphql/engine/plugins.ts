import type { ExecutionResult } from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import type { Caller } from '../../domain/caller.ts';
import type { HttpRequest } from '../../lib/http-message.ts';
import { type OperationEngine, OperationRun, type RunRules } from './operation-run.ts';

/** Throws where a plugin has a hook that is never called here: its checks would silently not run. */
function checkPlugin(name: string, plugin: object): void {
  const [hook] = findOtherHooks(plugin);
  if (hook === undefined) return;
  throw new Error(
    `The plugin ${name} relies on ${hook}, which does not run here: requests are read and answered by Crossbook. The hooks that run are ${[...HOOKS].join(', ')}.`,
  );
}

function findOtherHooks(plugin: object): readonly string[] {
  const { instrumentation } = plugin as { readonly instrumentation?: object };
  const hooks = namesOf(plugin).filter((name) => /^on[A-Z]/.test(name) && !HOOKS.has(name));
  const phases = namesOf(instrumentation ?? {}).filter((name) => !PHASES.has(name));
  return [...hooks, ...phases.map((name) => `instrumentation.${name}`)];
}

/** All property names, including methods of classes. */
function namesOf(object: object): readonly string[] {
  const names: string[] = [];
  for (
    let holder = object;
    holder && holder !== Object.prototype;
    holder = Object.getPrototypeOf(holder)
  )
    names.push(...Object.getOwnPropertyNames(holder));
  const values = object as Readonly<Record<string, unknown>>;
  return names.filter((name) => name !== 'constructor' && values[name] !== undefined);
}

/** The supported hooks: of operations, and of the start. */
const HOOKS: ReadonlySet<string> = new Set([
  'onYogaInit',
  'onPluginInit',
  'onSchemaChange',
  'onEnveloped',
  'onParams',
  'onParse',
  'onValidate',
  'onContextBuilding',
  'onExecute',
  'onExecutionResult',
  // Allowed but never called: there are no subscriptions.
  'onSubscribe',
  'onDispose',
]);

const PHASES: ReadonlySet<string> = new Set([
  'init',
  'parse',
  'validate',
  'context',
  'execute',
  'subscribe',
]);

/** Plugins by name, for error messages. Yoga's and Envelop's plugin types differ in their contexts. */
export type Plugins = Readonly<Record<string, { readonly [Hook in keyof Plugin]?: unknown }>>;

/**
 * Yoga's engine for single operations: calls plugins before and after the steps of `OperationRun`. Yoga's HTTP layer
 * is not used: requests, limits and responses are handled outside. Throws where a plugin relies on a hook of that
 * layer.
 */
export function createPluginEngine(options: EngineOptions): OperationEngine {
  const first = useOperation(options);
  const yoga = createYoga<OperationContext>({
    schema: options.schema,
    plugins: [
      first,
      ...(Object.values(options.plugins) as Plugin[]),
      useOperationChecks(options, first),
    ],
    extraParamNames: ['documentId'],
    // Our document store is the only cache: Yoga's keeps a thousand documents of any size.
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
        const run = new OperationRun(operation, graphqlRequest, options);
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

interface EngineOptions extends RunRules {
  /** Plugins by name, for error messages. */
  readonly plugins: Plugins;
}

/** The plugin context, in addition to what Yoga and plugins add. */
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

/** Sets how operations are parsed, validated and executed. Later plugins may wrap these functions. */
function useOperation({ schema: ours }: EngineOptions): OperationPlugin {
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

/**
 * Runs after the other plugins: checks whether the operation as they have left it may run, before any of their later
 * hooks. Also rejects plugins with unsupported hooks that were added by another plugin.
 */
function useOperationChecks({ plugins: named }: EngineOptions, first: object): OperationPlugin {
  const last: OperationPlugin = {
    onPluginInit({ plugins }) {
      const all: readonly object[] = plugins;
      let name = '';
      for (const plugin of all.slice(all.indexOf(first) + 1, all.indexOf(last))) {
        name = Object.keys(named).find((key) => named[key] === plugin) ?? name;
        checkPlugin(name, plugin);
      }
    },
    onParams({ params, context, setParams }) {
      const run = context[RUN];
      const query = run.findText(params);
      const found = query === params.query ? params : { ...params, query };
      if (found !== params) setParams(found);
      return run.prepare(found);
    },
  };
  return last;
}

/** The context key of our own state. */
export const RUN = Symbol('operation');

type OperationPlugin = Plugin<OperationContext, OperationContext>;
