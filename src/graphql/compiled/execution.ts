import {
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type GraphQLTypeResolver,
  locatedError,
  type OperationDefinitionNode,
  responsePathAsArray,
} from 'graphql';
import type { Allowance } from '../../domain/resources.ts';
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

/**
 * The errors of one execution. Below a place that has become null already, nothing more is said. Beyond `max` an error is
 * counted by an entry that all of them share.
 */
export class ErrorCollector {
  readonly errors: GraphQLError[] = [];
  readonly #max: number;
  readonly #places = new Set<Path | undefined>();

  constructor(max: number) {
    this.#max = max;
  }

  get isFull(): boolean {
    return this.errors.length > this.#max;
  }

  add(error: GraphQLError, position: Path | undefined): void {
    if (this.#isBlank(position)) return;
    this.#places.add(position);
    this.errors.push(error);
  }

  /** Spares the error object: it would not be shown. */
  omit(position: Path): void {
    this.add(OMITTED, position);
  }

  #isBlank(position: Path | undefined): boolean {
    for (let path = position; path !== undefined; path = path.prev) if (this.#places.has(path)) return true;
    return this.#places.has(undefined);
  }
}

const OMITTED = new GraphQLError('This error is counted and not shown.');

/** Thrown on any unexpected value. It has no stack and no message: the caller runs the generic path for that field. */
export const BAILOUT = Symbol('bailout');

export function bailOut(): never {
  throw BAILOUT;
}

/** Undefined: the caller takes the generic path. */
export function unlessBailedOut<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

export function addPath(prev: Path | undefined, key: string | number, typename?: string): Path {
  return { prev, key, typename };
}

/** What graphql takes for a promise. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
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

/** Where in the answer: as graphql gives it to resolvers. */
export type Path = GraphQLResolveInfo['path'];
