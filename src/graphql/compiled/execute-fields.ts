import { defaultFieldResolver, type GraphQLResolveInfo, getArgumentValues } from 'graphql';
import type { Allowance } from '../../domain/allowance.ts';
import { completeValue } from './complete-value.ts';
import { type Execution, handleFieldError, type MaybePromise } from './execution.ts';
import { isThenable } from './is-thenable.ts';
import { addPath, type Path } from './path.ts';
import type { FieldPlan, ObjectPlan } from './plan.ts';

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
    // What is under way may fail as well: somebody has to hear it.
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

export type Answer = Record<string, unknown>;

interface Parent {
  readonly source: unknown;
  readonly path: Path | undefined;
}
