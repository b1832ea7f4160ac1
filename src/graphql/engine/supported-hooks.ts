/** Throws where a plugin has a hook that is never called here: its checks would silently not run. */
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
