import {
  defaultFieldResolver,
  defaultTypeResolver,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLResolveInfo,
  isObjectType,
  locatedError,
} from 'graphql';
import { buildResolveInfo, type ExecutionContext } from 'graphql/execution/execute.js';
import { inspect } from 'graphql/jsutils/inspect.js';
import { isPromise } from 'graphql/jsutils/isPromise.js';
import { addPath, type Path, pathToArray } from 'graphql/jsutils/Path.js';
import type { PromiseOrValue } from 'graphql/jsutils/PromiseOrValue.js';
import { readArguments } from './arguments.ts';
import type { Execution } from './execute.ts';
import type { FieldPlan, ObjectPlan, TogetherPlan, ValuePlan } from './plan.ts';
import { Failed, readResolveAll } from './resolve-all.ts';
import { consumeLeaf, isUnexpected, type Serializer } from './serializers.ts';

/** Executes all fields of one object: plain data is read directly, other fields are resolved and awaited. */
export function executeFields(
  execution: Execution,
  plan: ObjectPlan,
  parent: Parent,
): PromiseOrValue<ResultObject> {
  const { allowance } = execution;
  if (plan.conditionError) throw plan.conditionError;
  allowance.consumeValues(plan.ownSize);
  const result: ResultObject = {};
  let isAsync = false;
  try {
    for (const field of plan.fields) {
      const plain = readPlain(execution, field, parent.source);
      const value = plain === undefined ? executeField(execution, field, parent) : plain;
      result[field.key] = value;
      isAsync ||= isPromise(value);
    }
  } catch (error) {
    if (!isAsync) throw error;
    // Pending fields may fail too: an unhandled rejection would end the process.
    return whenAll(result).finally(() => {
      throw error;
    });
  }
  return isAsync ? whenAll(result) : result;
}

/** Executes the fields of a mutation one after the other. */
export async function executeSerially(
  execution: Execution,
  plan: ObjectPlan,
  parent: Parent,
): Promise<ResultObject> {
  if (plan.conditionError) throw plan.conditionError;
  const result: ResultObject = {};
  for (const field of plan.fields) {
    execution.allowance.consumeValues(1);
    result[field.key] = await executeField(execution, field, parent);
  }
  return result;
}

/** Undefined: not plain data, so `executeField` resolves it. */
function readPlain(
  execution: Execution,
  { serialize, value: { size } }: FieldPlan,
  source: unknown,
): unknown {
  if (!serialize || typeof source !== 'object') return undefined;
  const { allowance } = execution;
  const plain = allowance.attempt(serialize, source, execution);
  // It is consumed again when the field is resolved.
  if (plain === undefined) allowance.consumeValues(-size);
  return plain;
}

function executeField(
  execution: Execution,
  field: FieldPlan,
  { source, path }: Parent,
): PromiseOrValue<unknown> {
  const { definition, value } = field;
  const position = positionOf(execution, field, path);
  const resolved = execution.together.get(field)?.get(source);
  if (resolved instanceof Failed) return handleFieldError(position, value, resolved.thrown);
  if (resolved !== undefined) return completeFieldOrItem(position, value, resolved);
  let result: unknown;
  try {
    const resolve = definition.resolve ?? defaultFieldResolver;
    const args = argumentsOf(execution, field);
    result = resolve(source, args, execution.contextValue, position.info);
  } catch (thrown) {
    return handleFieldError(position, value, thrown);
  }
  return completeFieldOrItem(position, value, result);
}

function positionOf(
  execution: Execution,
  field: FieldPlan,
  parent: Path | undefined,
): FieldPosition {
  const { key, definition, nodes, parentType } = field;
  const path = addPath(parent, key, parentType.name);
  const context = execution as Execution & ExecutionContext;
  return {
    execution,
    field,
    info: buildResolveInfo(context, definition, nodes, parentType, path),
    path,
  };
}

/** Resolves these fields for all objects of a list, before the objects are completed. Undefined: there is nothing to await. */
function resolveTogether(
  { execution, path }: FieldPosition,
  fields: readonly TogetherPlan[],
  items: readonly unknown[],
): Promise<unknown> | undefined {
  const pending: Promise<unknown>[] = [];
  for (const { field, find } of fields) {
    const sources = items.flatMap((item) => findSource(find, item, execution));
    const resolveAll = readResolveAll(field.definition.extensions);
    if (sources.length === 0 || !resolveAll) continue;
    const settle = (result: (source: unknown) => unknown) => {
      const known = execution.together.get(field) ?? new Map<unknown, unknown>();
      execution.together.set(field, known);
      for (const source of sources) known.set(source, result(source));
    };
    const fail = (thrown: unknown) => settle(() => new Failed(thrown));
    try {
      const args = argumentsOf(execution, field);
      const { info } = positionOf(execution, field, path);
      const results = resolveAll(sources, args, execution.contextValue, info);
      if (isPromise(results))
        pending.push(results.then((found) => settle((source) => found.get(source)), fail));
      else settle((source) => results.get(source));
    } catch (thrown) {
      fail(thrown);
    }
  }
  return pending.length > 0 ? Promise.all(pending) : undefined;
}

/** None where the object is not plain, such as null or a promise: it is completed by steps. */
function findSource(find: Serializer, item: unknown, execution: Execution): readonly unknown[] {
  if (isUnexpected(item)) return [];
  try {
    const source = find(item, execution);
    return isUnexpected(source) ? [] : [source];
  } catch {
    return [];
  }
}

function argumentsOf(
  { args, variableValues }: Execution,
  field: FieldPlan,
): Record<string, unknown> {
  const { definition, nodes } = field;
  const [node] = nodes;
  if (definition.args.length === 0 || !node) return {};
  const values = args.get(field) ?? readArguments(definition, node, variableValues);
  args.set(field, values);
  return values;
}

/** Adds as many microtasks as graphql-js does, so that errors have the same order. */
function whenAll(result: ResultObject): Promise<ResultObject> {
  return Promise.all(Object.values(result)).then((values) => {
    for (const [index, key] of Object.keys(result).entries()) result[key] = values[index];
    return result;
  });
}

/** Completes the value of a field or of a list item. */
function completeFieldOrItem(
  position: FieldPosition,
  plan: ValuePlan,
  result: unknown,
): PromiseOrValue<unknown> {
  const fail = (thrown: unknown) => handleFieldError(position, plan, thrown);
  try {
    const completed = isPromise(result)
      ? result.then((resolved) => completeValue(position, plan, resolved))
      : completeValue(position, plan, result);
    return isPromise(completed) ? completed.then(undefined, fail) : completed;
  } catch (thrown) {
    return fail(thrown);
  }
}

/**
 * Handles an error at its position: a nullable position becomes null, otherwise the error propagates to the parent.
 * Where the allowance is exceeded the error ends the operation instead.
 */
function handleFieldError(
  { execution, field, path }: FieldPosition,
  plan: ValuePlan,
  thrown: unknown,
): null {
  const { collected, allowance } = execution;
  if (allowance.exceeded !== undefined && thrown === allowance.exceeded) throw thrown;
  const locate = () => locatedError(thrown, [...field.nodes], pathToArray(path));
  if (plan.isNonNull) throw locate();
  collected.add(path, locate);
  return null;
}

function completeValue(
  position: FieldPosition,
  plan: ValuePlan,
  value: unknown,
): PromiseOrValue<unknown> {
  return readOr(position, plan.readPlain, value, () => completeBySteps(position, plan, value));
}

/** Plain data at once where that is possible, anything else step by step. */
function readOr(
  { execution }: FieldPosition,
  read: Serializer | undefined,
  value: unknown,
  completeOtherwise: () => PromiseOrValue<unknown>,
): PromiseOrValue<unknown> {
  const { allowance } = execution;
  const plain = read && allowance.attempt(read, value, execution);
  if (plain === undefined) return completeOtherwise();
  if (!isPromise(plain)) return plain;
  return plain.then(undefined, () => {
    if (allowance.exceeded) throw allowance.exceeded;
    return completeOtherwise();
  });
}

/** As the specification defines it, so that each error gets its position. */
function completeBySteps(
  position: FieldPosition,
  plan: ValuePlan,
  value: unknown,
): PromiseOrValue<unknown> {
  if (value instanceof Error) throw value;
  if (value === null || value === undefined) {
    if (!plan.isNonNull) return null;
    throw new Error(`Cannot return null for non-nullable field ${nameOf(position)}.`);
  }
  switch (plan.kind) {
    case 'list':
      return completeList(position, plan, value);
    case 'leaf':
      return completeLeaf(position, plan, value);
    case 'object':
      return completeObject(position, plan.object, value);
    case 'abstract':
      return completeAbstract(position, plan, value);
  }
}

function completeObject(
  position: FieldPosition,
  plan: ObjectPlan,
  value: unknown,
): PromiseOrValue<ResultObject> {
  const { execution, field, info, path } = position;
  const { type } = plan;
  const complete = (isOfType: boolean) => {
    if (isOfType) return executeFields(execution, plan, { source: value, path });
    const message = `Expected value of type "${type.name}" but got: ${inspect(value)}.`;
    throw new GraphQLError(message, { nodes: field.nodes });
  };
  const isOfType = type.isTypeOf?.(value, execution.contextValue, info) ?? true;
  return isPromise(isOfType) ? isOfType.then(complete) : complete(isOfType);
}

function completeAbstract(
  position: FieldPosition,
  { type, plans }: Plan<'abstract'>,
  value: unknown,
): PromiseOrValue<ResultObject> {
  const { execution, info } = position;
  const complete = (name: unknown) => {
    const plan = typeof name === 'string' ? plans.get(name) : undefined;
    if (plan) return completeObject(position, plan, value);
    const message = explainTypeName(position, { type, name, value });
    throw new GraphQLError(message, { nodes: position.field.nodes });
  };
  const resolveType = type.resolveType ?? defaultTypeResolver;
  const name = resolveType(value, execution.contextValue, info, type);
  return isPromise(name) ? name.then(complete) : complete(name);
}

/** Why a name is that of no possible type, in the words of graphql. */
function explainTypeName(position: FieldPosition, { type, name, value }: ResolvedType): string {
  const field = nameOf(position);
  if (name === null || name === undefined)
    return `Abstract type "${type.name}" must resolve to an Object type at runtime for field "${field}". Either the "${type.name}" type should provide a "resolveType" function or each possible type should provide an "isTypeOf" function.`;
  if (isObjectType(name))
    return 'Support for returning GraphQLObjectType from resolveType was removed in graphql-js@16.0.0 please return type name instead.';
  if (typeof name !== 'string')
    return `Abstract type "${type.name}" must resolve to an Object type at runtime for field "${field}" with value ${inspect(value)}, received "${inspect(name)}".`;
  const named = position.execution.schema.getType(name);
  if (!named)
    return `Abstract type "${type.name}" was resolved to a type "${name}" that does not exist inside the schema.`;
  return isObjectType(named)
    ? `Runtime Object type "${named.name}" is not a possible type for "${type.name}".`
    : `Abstract type "${type.name}" was resolved to a non-object type "${name}".`;
}

function completeList(
  position: FieldPosition,
  plan: Plan<'list'>,
  value: unknown,
): PromiseOrValue<unknown> {
  if (
    typeof value !== 'object' ||
    typeof (value as Iterable<unknown>)[Symbol.iterator] !== 'function'
  ) {
    throw new GraphQLError(
      `Expected Iterable, but did not find one for field "${nameOf(position)}".`,
    );
  }
  const { item, together } = plan;
  if (together.length > 0 && Array.isArray(value)) {
    const ready = resolveTogether(position, together, value);
    const complete = () =>
      readOr(position, plan.readResolved, value, () => completeItems(position, item, value));
    return ready ? ready.then(complete) : complete();
  }
  return completeItems(position, item, value as Iterable<unknown>);
}

function completeItems(
  position: FieldPosition,
  item: ValuePlan,
  value: Iterable<unknown>,
): PromiseOrValue<unknown[]> {
  const { execution, path } = position;
  const items: unknown[] = [];
  const pending: Promise<unknown>[] = [];
  try {
    for (const one of value) {
      if (item.kind === 'leaf') execution.allowance.consumeValues(1);
      const at = { ...position, path: addPath(path, items.length, undefined) };
      const completed = completeFieldOrItem(at, item, one);
      if (isPromise(completed)) pending.push(completed);
      items.push(completed);
    }
  } catch (error) {
    // Nobody awaits these any more, and an unhandled rejection would end the process.
    for (const one of pending) one.then(undefined, () => {});
    throw error;
  }
  return pending.length > 0 ? Promise.all(items) : items;
}

function completeLeaf(
  { execution }: FieldPosition,
  { type }: Plan<'leaf'>,
  value: unknown,
): unknown {
  const serialized: unknown = type.serialize(value);
  if (serialized !== null && serialized !== undefined)
    return consumeLeaf(serialized, execution.allowance);
  throw new Error(
    `Expected \`${inspect(type)}.serialize(${inspect(value)})\` to return non-nullable value, returned: ${inspect(serialized)}`,
  );
}

function nameOf({ field }: FieldPosition): string {
  return `${field.parentType.name}.${field.definition.name}`;
}

export type ResultObject = Record<string, unknown>;

interface Parent {
  readonly source: unknown;
  readonly path: Path | undefined;
}

/** A field, or list item, and its path in the response. */
interface FieldPosition {
  readonly execution: Execution;
  readonly field: FieldPlan;
  readonly info: GraphQLResolveInfo;
  readonly path: Path;
}

/** What a type resolver has returned for a value. */
interface ResolvedType {
  readonly type: GraphQLAbstractType;
  readonly name: unknown;
  readonly value: unknown;
}

type Plan<Kind extends ValuePlan['kind']> = Extract<ValuePlan, { kind: Kind }>;
