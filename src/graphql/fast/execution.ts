import {
  type FragmentDefinitionNode,
  type GraphQLSchema,
  type GraphQLTypeResolver,
  locatedError,
  type OperationDefinitionNode,
  responsePathAsArray,
} from 'graphql';
import type { CollectedErrors } from './collected-errors.ts';
import type { Path } from './path.ts';
import type { FieldPlan } from './plan.ts';

/** Located where it happened: a place that may be null becomes null, any other leaves it to the place around it. */
export function failAt({ execution, field, path }: FailedPlace, thrown: unknown, isRequired: boolean): null {
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
  readonly collected: CollectedErrors;
  /** Of the fields that take any: the same for every object that a field is asked of. */
  readonly args: Map<FieldPlan, Record<string, unknown>>;
}

export type MaybePromise<T> = T | PromiseLike<T>;

interface FailedPlace {
  readonly execution: Execution;
  readonly field: FieldPlan;
  readonly path: Path;
}
