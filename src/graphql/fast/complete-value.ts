import { GraphQLError, type GraphQLResolveInfo, isObjectType } from 'graphql';
import { inspect } from 'graphql/jsutils/inspect.js';
import type { Allowance } from '../../domain/allowance.ts';
import { executeFields } from './execute-fields.ts';
import { type Execution, failAt, type MaybePromise } from './execution.ts';
import { isThenable } from './is-thenable.ts';
import { at, type Path } from './path.ts';
import type { FieldPlan, ObjectPlan, ValuePlan } from './plan.ts';
import { consumeLeaf, type Read } from './reader.ts';

/** From what a resolver returned to its answer, step by step as the specification has it: every error finds its place. */
export function completeValue(place: Place, plan: ValuePlan, value: unknown): MaybePromise<unknown> {
  if (plan.read) {
    const { allowance } = place.execution;
    try {
      return plan.write?.(value, allowance) ?? readCounted(plan, plan.read, value, allowance);
    } catch {
      if (allowance.exceeded) throw allowance.exceeded;
      // Something is out of the ordinary: what it is, is found out below.
    }
  }
  if (value instanceof Error) throw value;
  if (plan.kind === 'required') return completeRequired(place, plan.inner, value);
  if (value === null || value === undefined) return null;
  switch (plan.kind) {
    case 'list':
      return completeList(place, plan, value);
    case 'leaf':
      return completeLeaf(place, plan, value);
    case 'abstract':
      return completeAbstract(place, plan, value);
    case 'object':
      return completeObject(place, plan.object, value);
  }
}

function readCounted({ size }: ValuePlan, read: Read, value: unknown, allowance: Allowance): unknown {
  if (size > 0) allowance.consumeValues(size);
  return read(value, allowance);
}

function completeRequired(place: Place, inner: ValuePlan, value: unknown): MaybePromise<unknown> {
  const completed = completeValue(place, inner, value);
  if (completed === null) throw new Error(`Cannot return null for non-nullable field ${nameOf(place)}.`);
  return completed;
}

function completeList(
  place: Place,
  { item, areLeaves }: Plan<'list'>,
  value: unknown,
): MaybePromise<unknown[]> {
  if (typeof value !== 'object' || typeof (value as Iterable<unknown>)[Symbol.iterator] !== 'function') {
    throw new GraphQLError(`Expected Iterable, but did not find one for field "${nameOf(place)}".`);
  }
  const pending: PromiseLike<unknown>[] = [];
  const { allowance } = place.execution;
  try {
    const items = Array.from(value as Iterable<unknown>, (one, index) => {
      if (areLeaves) allowance.consumeValues(1);
      const completed = completeItem({ ...place, path: at(place.path, index) }, item, one);
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

function completeItem(place: Place, item: ValuePlan, value: unknown): MaybePromise<unknown> {
  const fail = (thrown: unknown) => failAt(place, thrown, item.kind === 'required');
  try {
    const completed = isThenable(value)
      ? value.then((resolved) => completeValue(place, item, resolved))
      : completeValue(place, item, value);
    return isThenable(completed) ? completed.then(undefined, fail) : completed;
  } catch (thrown) {
    return fail(thrown);
  }
}

function completeLeaf({ execution }: Place, { type }: Plan<'leaf'>, value: unknown): unknown {
  const serialized: unknown = type.serialize(value);
  if (serialized !== null && serialized !== undefined) return consumeLeaf(serialized, execution.allowance);
  throw new Error(
    `Expected \`${inspect(type)}.serialize(${inspect(value)})\` to return non-nullable value, returned: ${inspect(serialized)}`,
  );
}

function completeAbstract(place: Place, plan: Plan<'abstract'>, value: unknown): MaybePromise<unknown> {
  const { execution, info } = place;
  const resolveType = plan.type.resolveType ?? execution.typeResolver;
  const named: unknown = resolveType(value, execution.contextValue, info, plan.type);
  return isThenable(named)
    ? named.then((name) => completeObject(place, findPlan(place, plan, { name, value }), value))
    : completeObject(place, findPlan(place, plan, { name: named, value }), value);
}

function findPlan(place: Place, { type, plans }: Plan<'abstract'>, { name, value }: Named): ObjectPlan {
  const plan = plans.get(name);
  if (plan) return plan;
  const { execution, field } = place;
  const about = `Abstract type "${type.name}"`;
  if (name === null || name === undefined) {
    throw new GraphQLError(
      `${about} must resolve to an Object type at runtime for field "${nameOf(place)}". Either the "${type.name}" type should provide a "resolveType" function or each possible type should provide an "isTypeOf" function.`,
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
      `${about} must resolve to an Object type at runtime for field "${nameOf(place)}" with value ${inspect(value)}, received "${inspect(name)}".`,
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

function completeObject(place: Place, plan: ObjectPlan, value: unknown): MaybePromise<unknown> {
  const { execution, info, path } = place;
  const isTypeOf: unknown = plan.type.isTypeOf?.(value, execution.contextValue, info) ?? !plan.type.isTypeOf;
  if (!isThenable(isTypeOf)) return goOn(isTypeOf);
  return isTypeOf.then(goOn);

  function goOn(isOfType: unknown): MaybePromise<unknown> {
    if (isOfType) return executeFields(execution, plan, { source: value, path });
    throw new GraphQLError(`Expected value of type "${plan.type.name}" but got: ${inspect(value)}.`, {
      nodes: place.field.nodes,
    });
  }
}

function nameOf({ field }: Place): string {
  return `${field.parentType.name}.${field.definition.name}`;
}

/** Which field's value it is, and where it will stand. */
export interface Place {
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
