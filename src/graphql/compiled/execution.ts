import {
  type FragmentDefinitionNode,
  type GraphQLSchema,
  type GraphQLTypeResolver,
  locatedError,
  type OperationDefinitionNode,
  responsePathAsArray,
} from 'graphql';
import type { Allowance } from '../../domain/allowance.ts';
import type { ErrorCollector } from './error-collector.ts';
import type { Path } from './path.ts';
import type { FieldPlan } from './plan.ts';

/**
 * Located where it happened: a place that may be null becomes null, any other leaves it to the place around it. Where the
 * allowance is exceeded no place is blanked: the error ends the operation.
 */
export function handleFieldError(
  { execution, field, path }: FailedField,
  thrown: unknown,
  isRequired: boolean,
): null {
  const { exceeded } = execution.allowance;
  if (exceeded !== undefined && thrown === exceeded) throw exceeded;
  if (!isRequired && execution.collected.isFull) {
    execution.collected.omit(path);
    return null;
  }
  const error = locatedError(thrown, [...field.nodes], responsePathAsArray(path));
  if (isRequired) throw error;
  execution.collected.add(error, path);
  return null;
}

/** One operation while it is executed. */
export interface Execution {
  readonly schema: GraphQLSchema;
  readonly fragments: Record<string, FragmentDefinitionNode>;
  readonly operation: OperationDefinitionNode;
  readonly rootValue: unknown;
  readonly contextValue: unknown;
  readonly variableValues: Record<string, unknown>;
  readonly typeResolver: GraphQLTypeResolver<unknown, unknown>;
  readonly collected: ErrorCollector;
  readonly allowance: Allowance;
  /** Of the fields that take any: the same for every object that a field is asked of. */
  readonly args: Map<FieldPlan, Record<string, unknown>>;
}

export type MaybePromise<T> = T | PromiseLike<T>;

interface FailedField {
  readonly execution: Execution;
  readonly field: FieldPlan;
  readonly path: Path;
}
