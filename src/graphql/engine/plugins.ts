import type { Plugin } from 'graphql-yoga';

/**
 * Throws where a plugin relies on a hook that does not run here: without it, what the plugin is there to check might go
 * unchecked.
 */
export function checkPlugin(name: string, plugin: object): void {
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
