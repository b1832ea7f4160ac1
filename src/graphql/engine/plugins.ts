import type { ExecutionResult } from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import type { Caller } from '../../domain/caller.ts';
import type { HttpRequest } from '../../lib/http-message.ts';
import { type OperationEngine, OperationRun, type RunRules } from './operation-run.ts';

/**
 * Throws where a plugin relies on a hook that does not run here: without it, what the plugin is there to check might go
 * unchecked.
 */
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

/** Of what is there, a class's methods included. */
function namesOf(object: object): readonly string[] {
  const names: string[] = [];
  for (let holder = object; holder && holder !== Object.prototype; holder = Object.getPrototypeOf(holder))
    names.push(...Object.getOwnPropertyNames(holder));
  const values = object as Readonly<Record<string, unknown>>;
  return names.filter((name) => name !== 'constructor' && values[name] !== undefined);
}

/** Those of the operation, and those of the start. */
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
  // Never called: there are no subscriptions.
  'onSubscribe',
  'onDispose',
]);

const PHASES: ReadonlySet<string> = new Set(['init', 'parse', 'validate', 'context', 'execute', 'subscribe']);

/** By the names that they are refused under. Of Yoga or of Envelop: their types differ in the context that they expect. */
export type Plugins = Readonly<Record<string, { readonly [Hook in keyof Plugin]?: unknown }>>;

/**
 * Yoga's engine for single operations: it calls the plugins before and after the steps of `OperationRun`. Yoga's HTTP layer is
 * not used: reading requests, limits and writing responses is done around it. Throws where a plugin relies on a hook of that
 * layer.
 */
export function createPluginEngine(options: EngineOptions): OperationEngine {
  const first = useOperation(options);
  const yoga = createYoga<OperationContext>({
    schema: options.schema,
    plugins: [first, ...(Object.values(options.plugins) as Plugin[]), useOperationChecks(options, first)],
    extraParamNames: ['documentId'],
    // The store of documents is the only one: Yoga's own keeps a thousand of any size.
    parserAndValidationCache: false,
    maskedErrors: false,
    logging: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    cors: false,
    maxRequestBodySize: false,
  });
  // Its methods are bound each time that they are looked up.
  const { getResultForParams } = yoga;

  return {
    async run(operation, opened) {
      try {
        opened.shown ??= toPluginRequest(opened.request);
        const request = opened.shown;
        const run = new OperationRun(operation, opened, options);
        const context = { request, caller: opened.context?.caller, [RUN]: run };
        // Without @defer, @stream and subscriptions there is nothing that comes in pieces.
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
  /** By the names that they are refused under. */
  readonly plugins: Plugins;
}

/** What plugins find in their context, beside what Yoga and they add. */
interface OperationContext {
  readonly request: Request;
  /** Undefined: a stranger, who may ask of the schema alone. */
  readonly caller: Caller | undefined;
  readonly [RUN]: OperationRun;
}

/**
 * What plugins see of the HTTP request: a `Request` of the platform without its body, which was read before. Few ask for more
 * than the method, and only for those it is made.
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

/** Lays down how an operation is parsed, validated and executed. Plugins after it may wrap that. */
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
 * Sees the parameters as the plugins before it have left them, and decides whether the operation may run: before any of their
 * later hooks. Refuses those of them that rely on what does not run, also where one has added another.
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

/** Where the context of an operation has what is ours alone. */
export const RUN = Symbol('operation');

type OperationPlugin = Plugin<OperationContext, OperationContext>;
