import { type GraphQLField, type GraphQLSchema, isObjectType } from 'graphql';

/** Throws if a plugin has a hook that is never called here: its checks would silently not run. */
export function checkPlugin(name: string, plugin: object): void {
  const [hook] = findOtherHooks(plugin);
  if (hook === undefined) return;
  throw new Error(
    `The plugin ${name} relies on ${hook}, which is not supported, because Crossbook reads requests and writes responses itself. Supported hooks: ${[...HOOKS].join(', ')}.`,
  );
}

function findOtherHooks(plugin: object): readonly string[] {
  const { instrumentation } = plugin as { readonly instrumentation?: object };
  const hooks = namesOf(plugin).filter((name) => /^on[A-Z]/.test(name) && !HOOKS.has(name));
  const phases = namesOf(instrumentation ?? {}).filter((name) => !PHASES.has(name));
  return [...hooks, ...phases.map((name) => `instrumentation.${name}`)];
}

/**
 * Rejects plugins that wrap or replace resolvers when they see the schema: resolvers get Crossbook's context, in which
 * such a plugin finds nothing of its own, and its effect would silently be missing.
 */
export function createResolverCheck() {
  const originals = new WeakMap<GraphQLSchema, Resolvers>();
  return {
    /** Before any plugin has seen the schema. */
    remember(schema: GraphQLSchema): void {
      if (originals.has(schema)) return;
      originals.set(schema, new Map(listFields(schema).map((field) => [field, field.resolve])));
    },
    /** After this plugin has seen it. The schema is repaired, because others may use its types. */
    check(name: string, schema: GraphQLSchema): void {
      const resolvers: Resolvers = originals.get(schema) ?? new Map();
      const changed = [...resolvers].filter(([field, resolve]) => field.resolve !== resolve);
      for (const [field, resolve] of changed) Object.assign(field, { resolve });
      if (changed.length === 0) return;
      throw new Error(
        `The plugin ${name} wraps resolvers in onSchemaChange, which does not work here: resolvers get the context of Crossbook, without that of plugins. Switch this off in the options of the plugin.`,
      );
    },
  };
}

type Field = GraphQLField<unknown, unknown>;
type Resolvers = ReadonlyMap<Field, Field['resolve']>;

function listFields(schema: GraphQLSchema): readonly Field[] {
  return Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) ? Object.values(type.getFields()) : [],
  );
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
