import {
  type DocumentNode,
  defaultTypeResolver,
  type ExecutionArgs,
  type ExecutionResult,
  execute as executeByGraphQL,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLObjectType,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  visit,
} from 'graphql';
import type { ExecutionContext } from 'graphql/execution/execute.js';
import { isPromise } from 'graphql/jsutils/isPromise.js';
import type { Path } from 'graphql/jsutils/Path.js';
import type { PromiseOrValue } from 'graphql/jsutils/PromiseOrValue.js';
import { CrossbookError } from '../../domain/errors.ts';
import { Allowance } from '../../domain/resources.ts';
import { type Answer, executeFields, executeSerially } from './execute-fields.ts';
import { createArgumentReaders, readVariables } from './input.ts';
import { type FieldPlan, type ObjectPlan, planObject } from './plan.ts';
import type { Writing } from './serializers.ts';

/**
 * Executes valid operations with graphql's semantics, faster, and within an allowance. Requests without a plan are
 * left to graphql to reject: a missing operation, or a subscription. Plans are compiled once per operation and
 * combination of its conditions, and live as long as the document.
 */
export function createExecute(
  schema: GraphQLSchema,
  { writeAfter = WORTH_GENERATING, jsonAbove = ENDLESS, onPlanned }: Partial<ExecuteOptions> = {},
): Execute {
  const documents = new WeakMap<DocumentNode, Map<string | undefined, PlannedOperation | undefined>>();

  return (args) => {
    const planned = findOperation(args.document, args.operationName ?? undefined);
    if (!planned) return executeByGraphQL(args);
    const { operation, fragments } = planned;
    const given = args.variableValues ?? {};
    let variableValues = planned.readVariables(given);
    if (!variableValues) {
      // Invalid variables: graphql produces the error messages.
      const read = getVariableValues(schema, operation.variableDefinitions ?? [], given, {
        maxErrors: MAX_COERCION_ERRORS,
      });
      if (read.errors) return { errors: read.errors };
      variableValues = read.coerced;
    }
    const { allowance = new Allowance(UNBOUNDED) } = args;
    const plan = findPlan(planned, variableValues);
    if (!plan) return { errors: [tooLarge() as never] };
    return executePlan(plan, {
      schema,
      fragments,
      operation,
      allowance,
      rootValue: args.rootValue,
      contextValue: args.contextValue,
      variableValues,
      typeResolver: args.typeResolver ?? defaultTypeResolver,
      collected: new ErrorCollector(allowance.bounds.errors),
      args: new Map(),
    });
  };

  function findOperation(document: DocumentNode, name: string | undefined): PlannedOperation | undefined {
    const operations = documents.get(document) ?? new Map<string | undefined, PlannedOperation | undefined>();
    if (!operations.has(name))
      documents.set(document, operations.set(name, readOperation(schema, document, name)));
    return operations.get(name);
  }

  /** Undefined where the plan is too large. */
  function findPlan(planned: PlannedOperation, variables: Variables): ObjectPlan | undefined {
    const key = planned.conditions.map((name) => variables[name]).join();
    const existing = planned.plans.get(key);
    if (existing) return existing;
    const { operation, fragments, type, argumentReaders } = planned;
    const room = { fields: MAX_FIELDS };
    const scope = { schema, fragments, variables, room, writeAfter, jsonAbove, argumentReaders };
    const plan = planObject(scope, type, [operation]);
    if (room.fields < 0) return undefined;
    keepPlan(planned, { key, plan, fields: MAX_FIELDS - room.fields });
    return plan;
  }

  function keepPlan(planned: PlannedOperation, { key, plan, fields }: MadePlan): void {
    if (fields > MAX_FIELDS_KEPT) return;
    if (planned.fields + fields > MAX_FIELDS_KEPT) {
      planned.plans.clear();
      planned.fields = 0;
    }
    planned.plans.set(key, plan);
    planned.fields += fields;
    if (planned.fields <= planned.mostFields) return;
    onPlanned?.(planned.document, planned.fields - planned.mostFields);
    planned.mostFields = planned.fields;
  }
}

/** Undefined where graphql has to reject the request. */
function readOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  name: string | undefined,
): PlannedOperation | undefined {
  const operation = getOperationAST(document, name);
  const type = operation && schema.getRootType(operation.operation);
  if (!type || operation.operation === OperationTypeNode.SUBSCRIPTION) return undefined;
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  const conditions = new Set<string>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
    else if (definition !== operation) continue;
    visit(definition, {
      Directive({ arguments: args }) {
        const value = args?.[0]?.value;
        if (value?.kind === Kind.VARIABLE) conditions.add(value.name.value);
      },
    });
  }
  return {
    ...{ document, operation, type, fragments, conditions: [...conditions] },
    readVariables: readVariables(schema, operation.variableDefinitions),
    argumentReaders: createArgumentReaders(),
    plans: new Map(),
    fields: 0,
    mostFields: 0,
  };
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
  execution.collected.add(error as GraphQLError, undefined);
  return toResult(null, execution);
}

function toResult(data: Answer | null, { collected: { errors } }: Execution): ExecutionResult {
  return errors.length === 0 ? { data } : { errors, data };
}

function tooLarge(): CrossbookError {
  return new CrossbookError(
    'BAD_REQUEST',
    'The operation is too large to be planned: it selects too many fields.',
  );
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

  get isFull(): boolean {
    return this.errors.length > this.#max;
  }

  add(error: GraphQLError, position: Path | undefined): void {
    if (this.#isBlank(position)) return;
    this.#places.add(position);
    this.errors.push(error);
  }

  /** Counts an error without creating it, because it would not be shown. */
  omit(position: Path): void {
    this.add(OMITTED, position);
  }

  #isBlank(position: Path | undefined): boolean {
    for (let path = position; path !== undefined; path = path.prev) if (this.#places.has(path)) return true;
    return this.#places.has(undefined);
  }
}

const OMITTED = new GraphQLError('This error is counted and not shown.');
/** The number of objects of one selection from which a generated serializer pays off. */
const WORTH_GENERATING = 1_000;
/** The same maximum as graphql. */
const MAX_COERCION_ERRORS = 50;
const ENDLESS = Number.POSITIVE_INFINITY;
const UNBOUNDED = { values: ENDLESS, bytes: ENDLESS, errors: ENDLESS, errorBytes: ENDLESS };
/** The maximum of fields in one plan: several times what the document limits allow. */
const MAX_FIELDS = 100_000;
/**
 * The maximum of cached fields per operation over all combinations of conditions. Larger plans are compiled per
 * request.
 */
const MAX_FIELDS_KEPT = 20_000;

export type Execute = (args: ExecuteArgs) => PromiseOrValue<ExecutionResult>;

interface ExecuteArgs extends ExecutionArgs {
  /** Default: unlimited. */
  readonly allowance?: Allowance | undefined;
}

/** The state of one operation during execution. */
export interface Execution
  extends Pick<ExecutionContext, 'schema' | 'fragments' | 'operation' | 'rootValue' | 'contextValue'>,
    Pick<ExecutionContext, 'variableValues' | 'typeResolver'> {
  readonly collected: ErrorCollector;
  readonly allowance: Allowance;
  /** Arguments by field, shared by all objects of the field. */
  readonly args: Map<FieldPlan, Record<string, unknown>>;
}

interface ExecuteOptions extends Writing {
  /** Called with the number of fields that the plans of a document have grown by. */
  readonly onPlanned?: ((document: DocumentNode, fields: number) => void) | undefined;
}

interface PlannedOperation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly type: GraphQLObjectType;
  readonly fragments: Record<string, FragmentDefinitionNode>;
  /** The variables that `@skip` and `@include` use. */
  readonly conditions: readonly string[];
  readonly readVariables: ReturnType<typeof readVariables>;
  readonly argumentReaders: ReturnType<typeof createArgumentReaders>;
  readonly plans: Map<string, ObjectPlan>;
  /** The number of fields of all its plans. */
  fields: number;
  mostFields: number;
}

interface MadePlan {
  readonly key: string;
  readonly plan: ObjectPlan;
  readonly fields: number;
}

type Variables = Record<string, unknown>;
