import {
  defaultFieldResolver,
  GraphQLError,
  type GraphQLResolveInfo,
  getArgumentValues,
  isObjectType,
} from 'graphql';
import { inspect } from 'graphql/jsutils/inspect.js';
import type { Allowance } from '../../domain/resources.ts';
import {
  addPath,
  type Execution,
  handleFieldError,
  isThenable,
  type MaybePromise,
  type Path,
} from './execution.ts';
import type { FieldPlan, ObjectPlan, ValuePlan } from './plan.ts';
import { consumeLeaf, type Serializer } from './serializers.ts';

/** All fields of one object: those that are plain data are read, those that are not are resolved and waited for. */
export function executeFields(execution: Execution, plan: ObjectPlan, parent: Parent): MaybePromise<Answer> {
  const { allowance } = execution;
  if (plan.failure) throw plan.failure;
  allowance.consumeValues(plan.ownSize);
  const answer: Answer = {};
  let isAsync = false;
  try {
    for (const field of plan.fields) {
      const plain = readPlain(field, parent.source, allowance);
      const value = plain === undefined ? executeField(execution, field, parent) : plain;
      answer[field.key] = value;
      isAsync ||= isThenable(value);
    }
  } catch (error) {
    if (!isAsync) throw error;
    // What is under way may fail as well: without a handler that would end the process.
    return whenAll(answer).finally(() => {
      throw error;
    });
  }
  return isAsync ? whenAll(answer) : answer;
}

/** The fields of a mutation, each when the one before has its answer. */
export async function executeSerially(
  execution: Execution,
  plan: ObjectPlan,
  parent: Parent,
): Promise<Answer> {
  if (plan.failure) throw plan.failure;
  const answer: Answer = {};
  for (const field of plan.fields) {
    execution.allowance.consumeValues(1);
    answer[field.key] = await executeField(execution, field, parent);
  }
  return answer;
}

/** Undefined: it has to be done with care. */
function readPlain({ read }: FieldPlan, source: unknown, allowance: Allowance): unknown {
  if (!read || typeof source !== 'object') return undefined;
  try {
    return read(source, allowance);
  } catch {
    if (allowance.exceeded) throw allowance.exceeded;
    return undefined;
  }
}

function executeField(
  execution: Execution,
  field: FieldPlan,
  { source, path }: Parent,
): MaybePromise<unknown> {
  const { definition, value } = field;
  const here = addPath(path, field.key, field.parentType.name);
  const info = toInfo(execution, field, here);
  const position = { execution, field, info, path: here };
  const fail = (thrown: unknown) => handleFieldError(position, thrown, value.kind === 'required');
  try {
    const resolve = definition.resolve ?? defaultFieldResolver;
    const result: unknown = resolve(source, argumentsOf(execution, field), execution.contextValue, info);
    const completed = isThenable(result)
      ? result.then((resolved) => completeValue(position, value, resolved))
      : completeValue(position, value, result);
    return isThenable(completed) ? completed.then(undefined, fail) : completed;
  } catch (thrown) {
    return fail(thrown);
  }
}

function argumentsOf({ args, variableValues }: Execution, field: FieldPlan): Record<string, unknown> {
  const [node] = field.nodes;
  if (!field.readArguments || !node) return {};
  const known = args.get(field);
  if (known) return known;
  const values =
    field.readArguments(variableValues) ?? getArgumentValues(field.definition, node, variableValues);
  args.set(field, values);
  return values;
}

function toInfo(execution: Execution, field: FieldPlan, path: Path): GraphQLResolveInfo {
  return {
    fieldName: field.definition.name,
    fieldNodes: field.nodes,
    returnType: field.definition.type,
    parentType: field.parentType,
    path,
    schema: execution.schema,
    fragments: execution.fragments,
    rootValue: execution.rootValue,
    operation: execution.operation,
    variableValues: execution.variableValues,
    // Packages that look ahead to the next graphql add to this type what this one does not have.
  } as GraphQLResolveInfo;
}

/** As many turns of the event loop as graphql takes: errors come in the same order. */
function whenAll(answer: Answer): Promise<Answer> {
  return Promise.all(Object.values(answer)).then((values) => {
    const settled: Answer = {};
    for (const [index, key] of Object.keys(answer).entries()) settled[key] = values[index];
    return settled;
  });
}

/** From what a resolver returned to its answer, step by step as the specification has it: every error finds its place. */
function completeValue(position: FieldPosition, plan: ValuePlan, value: unknown): MaybePromise<unknown> {
  if (plan.read) {
    const { allowance } = position.execution;
    try {
      return plan.write?.(value, allowance) ?? readCounted(plan, plan.read, value, allowance);
    } catch {
      if (allowance.exceeded) throw allowance.exceeded;
      // Something is out of the ordinary: what it is, is found out below.
    }
  }
  if (value instanceof Error) throw value;
  if (plan.kind === 'required') return completeRequired(position, plan.inner, value);
  if (value === null || value === undefined) return null;
  switch (plan.kind) {
    case 'list':
      return completeList(position, plan, value);
    case 'leaf':
      return completeLeaf(position, plan, value);
    case 'abstract':
      return completeAbstract(position, plan, value);
    case 'object':
      return completeObject(position, plan.object, value);
  }
}

function readCounted({ size }: ValuePlan, read: Serializer, value: unknown, allowance: Allowance): unknown {
  if (size > 0) allowance.consumeValues(size);
  return read(value, allowance);
}

function completeRequired(position: FieldPosition, inner: ValuePlan, value: unknown): MaybePromise<unknown> {
  const completed = completeValue(position, inner, value);
  if (completed === null) throw new Error(`Cannot return null for non-nullable field ${nameOf(position)}.`);
  return completed;
}

function completeList(
  position: FieldPosition,
  { item, areLeaves }: Plan<'list'>,
  value: unknown,
): MaybePromise<unknown[]> {
  if (typeof value !== 'object' || typeof (value as Iterable<unknown>)[Symbol.iterator] !== 'function') {
    throw new GraphQLError(`Expected Iterable, but did not find one for field "${nameOf(position)}".`);
  }
  const pending: PromiseLike<unknown>[] = [];
  const { allowance } = position.execution;
  try {
    const items = Array.from(value as Iterable<unknown>, (one, index) => {
      if (areLeaves) allowance.consumeValues(1);
      const completed = completeItem({ ...position, path: addPath(position.path, index) }, item, one);
      if (isThenable(completed)) pending.push(completed);
      return completed;
    });
    return pending.length > 0 ? Promise.all(items) : items;
  } catch (error) {
    // Nobody waits for the others any more: if they fail as well, that is no surprise.
    for (const one of pending) one.then(undefined, () => {});
    throw error;
  }
}

function completeItem(position: FieldPosition, item: ValuePlan, value: unknown): MaybePromise<unknown> {
  const fail = (thrown: unknown) => handleFieldError(position, thrown, item.kind === 'required');
  try {
    const completed = isThenable(value)
      ? value.then((resolved) => completeValue(position, item, resolved))
      : completeValue(position, item, value);
    return isThenable(completed) ? completed.then(undefined, fail) : completed;
  } catch (thrown) {
    return fail(thrown);
  }
}

function completeLeaf({ execution }: FieldPosition, { type }: Plan<'leaf'>, value: unknown): unknown {
  const serialized: unknown = type.serialize(value);
  if (serialized !== null && serialized !== undefined) return consumeLeaf(serialized, execution.allowance);
  throw new Error(
    `Expected \`${inspect(type)}.serialize(${inspect(value)})\` to return non-nullable value, returned: ${inspect(serialized)}`,
  );
}

function completeAbstract(
  position: FieldPosition,
  plan: Plan<'abstract'>,
  value: unknown,
): MaybePromise<unknown> {
  const { execution, info } = position;
  const resolveType = plan.type.resolveType ?? execution.typeResolver;
  const named: unknown = resolveType(value, execution.contextValue, info, plan.type);
  return isThenable(named)
    ? named.then((name) => completeObject(position, findPlan(position, plan, { name, value }), value))
    : completeObject(position, findPlan(position, plan, { name: named, value }), value);
}

function findPlan(
  position: FieldPosition,
  { type, plans }: Plan<'abstract'>,
  { name, value }: Named,
): ObjectPlan {
  const plan = plans.get(name);
  if (plan) return plan;
  const { execution, field } = position;
  const about = `Abstract type "${type.name}"`;
  if (name === null || name === undefined) {
    throw new GraphQLError(
      `${about} must resolve to an Object type at runtime for field "${nameOf(position)}". Either the "${type.name}" type should provide a "resolveType" function or each possible type should provide an "isTypeOf" function.`,
      { nodes: field.nodes },
    );
  }
  if (isObjectType(name)) {
    throw new GraphQLError(
      'Support for returning GraphQLObjectType from resolveType was removed in graphql-js@16.0.0 please return type name instead.',
    );
  }
  if (typeof name !== 'string') {
    throw new GraphQLError(
      `${about} must resolve to an Object type at runtime for field "${nameOf(position)}" with value ${inspect(value)}, received "${inspect(name)}".`,
    );
  }
  const known = execution.schema.getType(name);
  throw new GraphQLError(
    !known
      ? `${about} was resolved to a type "${name}" that does not exist inside the schema.`
      : isObjectType(known)
        ? `Runtime Object type "${name}" is not a possible type for "${type.name}".`
        : `${about} was resolved to a non-object type "${name}".`,
    { nodes: field.nodes },
  );
}

function completeObject(position: FieldPosition, plan: ObjectPlan, value: unknown): MaybePromise<unknown> {
  const { execution, info, path } = position;
  const isTypeOf: unknown = plan.type.isTypeOf?.(value, execution.contextValue, info) ?? !plan.type.isTypeOf;
  if (!isThenable(isTypeOf)) return goOn(isTypeOf);
  return isTypeOf.then(goOn);

  function goOn(isOfType: unknown): MaybePromise<unknown> {
    if (isOfType) return executeFields(execution, plan, { source: value, path });
    throw new GraphQLError(`Expected value of type "${plan.type.name}" but got: ${inspect(value)}.`, {
      nodes: position.field.nodes,
    });
  }
}

function nameOf({ field }: FieldPosition): string {
  return `${field.parentType.name}.${field.definition.name}`;
}

export type Answer = Record<string, unknown>;

interface Parent {
  readonly source: unknown;
  readonly path: Path | undefined;
}

/** Which field's value it is, and where it will stand. */
interface FieldPosition {
  readonly execution: Execution;
  readonly field: FieldPlan;
  readonly info: GraphQLResolveInfo;
  readonly path: Path;
}

type Plan<Kind extends ValuePlan['kind']> = Extract<ValuePlan, { kind: Kind }>;

interface Named {
  readonly name: unknown;
  readonly value: unknown;
}
