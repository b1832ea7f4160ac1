import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  OperationTypeNode,
  visit,
} from 'graphql';
import type { ExecutionContext } from 'graphql/execution/execute.js';
import { isPromise } from 'graphql/jsutils/isPromise.js';
import type { Path } from 'graphql/jsutils/Path.js';
import type { PromiseOrValue } from 'graphql/jsutils/PromiseOrValue.js';
import type { Allowance } from '../allowance.ts';
import { findFragments } from '../documents/document-limits.ts';
import { rememberByOperation } from '../documents/document-store.ts';
import { locate } from '../documents/parse.ts';
import { type ToError, toLimitError } from '../limit-error.ts';
import { executeFields, executeSerially, type ResultObject } from './execute-fields.ts';
import { type FieldPlan, type IsPure, type ObjectPlan, planObject } from './plan.ts';
import type { Writing } from './serializers.ts';
import { readVariables } from './variables.ts';

/**
 * Executes valid operations with graphql's semantics, faster, and within an allowance. Plans are compiled once per operation and
 * combination of the values of `@skip` and `@include`, and live as long as the document.
 */
export function createExecute(schema: GraphQLSchema, options: ExecuteOptions = {}): Execute {
  const { writeAfter = WORTH_GENERATING, jsonAbove = Number.POSITIVE_INFINITY } = options;
  const { isPure = () => false, onPlanned, toError = toLimitError } = options;
  const findOperation = rememberByOperation((document, name) =>
    readOperation(schema, document, name),
  );

  return (args) => {
    let planned: PlannedOperation;
    try {
      planned = findOperation(args.document, args.operationName ?? undefined);
    } catch (error) {
      return { errors: [error as GraphQLError] };
    }
    const { operation, fragments } = planned;
    const coerced = planned.readVariables(args.variableValues ?? {});
    if ('errors' in coerced) return { errors: coerced.errors.map(locate) };
    const variableValues = coerced.values;
    const plan = findPlan(planned, variableValues);
    if (!plan) {
      const message = 'The operation is too large to be planned: it selects too many fields.';
      return { errors: [toError(message) as GraphQLError] };
    }
    return executePlan(plan, {
      schema,
      fragments,
      operation,
      allowance: args.allowance,
      rootValue: args.rootValue,
      contextValue: args.contextValue,
      variableValues,
      collected: new ErrorCollector(args.allowance.bounds.errors),
      args: new Map(),
      together: new Map(),
    });
  };

  /** Undefined if the plan is too large. */
  function findPlan(planned: PlannedOperation, variables: Variables): ObjectPlan | undefined {
    const key = planned.conditions.map((name) => variables[name]).join();
    const existing = planned.plans.get(key);
    if (existing) return existing;
    const { operation, fragments, type } = planned;
    const room = { fields: MAX_FIELDS };
    const scope = { schema, fragments, variables, room, isPure, writeAfter, jsonAbove };
    const plan = planObject(scope, type, [operation]);
    if (room.fields < 0) return undefined;
    const fields = MAX_FIELDS - room.fields;
    if (fields <= MAX_FIELDS_KEPT) {
      makeRoom(planned, fields);
      planned.plans.set(key, plan);
    }
    return plan;
  }

  function makeRoom(planned: PlannedOperation, fields: number): void {
    if (planned.fields + fields > MAX_FIELDS_KEPT) {
      planned.plans.clear();
      planned.fields = 0;
    }
    planned.fields += fields;
    if (planned.fields <= planned.mostFields) return;
    onPlanned?.(planned.document, planned.fields - planned.mostFields);
    planned.mostFields = planned.fields;
  }
}

/** Throws, so that nothing is kept of names that clients make up. */
function readOperation(schema: GraphQLSchema, document: DocumentNode, name: string | undefined) {
  const operation = getOperationAST(document, name);
  if (!operation) throw toMissing(document, name);
  const type = schema.getRootType(operation.operation);
  if (!type) {
    const message = `Schema is not configured to execute ${operation.operation} operation.`;
    throw new GraphQLError(message, { nodes: operation });
  }
  const fragments = Object.fromEntries(findFragments(document));
  const conditions = new Set<string>();
  for (const definition of [operation, ...Object.values(fragments)]) {
    visit(definition, {
      Directive({ arguments: args }) {
        const value = args?.[0]?.value;
        if (value?.kind === Kind.VARIABLE) conditions.add(value.name.value);
      },
    });
  }
  return {
    document,
    operation,
    type,
    fragments,
    /** The variables that `@skip` and `@include` use. */
    conditions: [...conditions],
    readVariables: readVariables(schema, operation.variableDefinitions),
    plans: new Map<string, ObjectPlan>(),
    /** The number of fields of all its plans. */
    fields: 0,
    mostFields: 0,
  };
}

/** In the words of graphql. */
function toMissing({ definitions }: DocumentNode, name: string | undefined): GraphQLError {
  if (name !== undefined) return new GraphQLError(`Unknown operation named "${name}".`);
  return new GraphQLError(
    definitions.some(({ kind }) => kind === Kind.OPERATION_DEFINITION)
      ? 'Must provide operation name if query contains multiple operations.'
      : 'Must provide an operation.',
  );
}

function executePlan(plan: ObjectPlan, execution: Execution): PromiseOrValue<ExecutionResult> {
  const isMutation = execution.operation.operation === OperationTypeNode.MUTATION;
  const run = isMutation && plan.fields.length > 1 ? executeSerially : executeFields;
  try {
    const data = run(execution, plan, { source: execution.rootValue, path: undefined });
    if (!isPromise(data)) return toResult(data, execution);
    return data.then(
      (settled) => toResult(settled, execution),
      (error) => fail(error, execution),
    );
  } catch (error) {
    return fail(error, execution);
  }
}

/** The error has propagated to the root: there is no data. Beyond the allowance there is no result at all. */
function fail(error: unknown, execution: Execution): ExecutionResult {
  const { exceeded } = execution.allowance;
  if (exceeded) return { errors: [exceeded as never] };
  execution.collected.add(undefined, () => error as GraphQLError);
  return toResult(null, execution);
}

function toResult(
  data: ResultObject | null,
  { collected: { errors } }: Execution,
): ExecutionResult {
  return errors.length === 0 ? { data } : { errors, data };
}

/**
 * Collects the errors of one execution, none below a position that is already null. Above `max` errors are only
 * counted, by entries that share one object.
 */
class ErrorCollector {
  readonly errors: GraphQLError[] = [];
  readonly #max: number;
  readonly #places = new Set<Path | undefined>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Errors above the maximum are not created. */
  add(position: Path | undefined, toError: () => GraphQLError): void {
    if (this.#isBlank(position)) return;
    this.#places.add(position);
    this.errors.push(this.errors.length > this.#max ? OMITTED : locate(toError()));
  }

  #isBlank(position: Path | undefined): boolean {
    for (let path = position; path !== undefined; path = path.prev)
      if (this.#places.has(path)) return true;
    return this.#places.has(undefined);
  }
}

const OMITTED = new GraphQLError('This error is counted and not shown.');
/** The number of objects of one selection from which a generated serializer pays off. */
const WORTH_GENERATING = 1_000;
/** The maximum of fields in one plan, which is compiled in one piece: more than documents have. */
const MAX_FIELDS = 25_000;
/**
 * The maximum of cached fields per operation over all combinations of conditions. Larger plans are compiled per
 * request.
 */
const MAX_FIELDS_KEPT = 20_000;

export type Execute = (args: ExecuteArgs) => PromiseOrValue<ExecutionResult>;

export interface ExecuteArgs extends ExecutionArgs {
  readonly allowance: Allowance;
}

/** The state of one operation during execution. */
export interface Execution
  extends Pick<
      ExecutionContext,
      'schema' | 'fragments' | 'operation' | 'rootValue' | 'contextValue'
    >,
    Pick<ExecutionContext, 'variableValues'> {
  readonly collected: ErrorCollector;
  readonly allowance: Allowance;
  /** Arguments by field, shared by all objects of the field. */
  readonly args: Map<FieldPlan, Record<string, unknown>>;
  /** What fields that are resolved for all objects of a list have for each object. */
  readonly together: Map<FieldPlan, Map<unknown, unknown>>;
}

export interface ExecuteOptions extends Partial<Writing> {
  /** Which resolvers read nothing but the value of their parent: none, by default. */
  readonly isPure?: IsPure | undefined;
  /** Makes the error for an operation that is too large to be planned. */
  readonly toError?: ToError | undefined;
  /** Called with the number of fields that the plans of a document have grown by. */
  readonly onPlanned?: ((document: DocumentNode, fields: number) => void) | undefined;
}

type PlannedOperation = ReturnType<typeof readOperation>;

type Variables = Record<string, unknown>;
