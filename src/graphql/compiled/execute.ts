import {
  type DocumentNode,
  defaultTypeResolver,
  type ExecutionArgs,
  type ExecutionResult,
  execute as executeByGraphQL,
  type GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { CrossbookError } from '../../domain/errors.ts';
import { type Allowance, createAllowance } from '../../domain/resources.ts';
import { type Answer, executeFields, executeSerially } from './execute-fields.ts';
import { ErrorCollector, type Execution, isThenable, type MaybePromise } from './execution.ts';
import { type ArgumentReaders, createArgumentReaders } from './input/read-arguments.ts';
import { type ReadVariables, readVariables } from './input/read-variables.ts';
import { type Conditions, type PlannedOperation, readOperation } from './operation.ts';
import { type ObjectPlan, planObject } from './plan.ts';
import type { Writing } from './serializers.ts';

/**
 * Executes valid operations as graphql does, sooner, and within an allowance. What has no plan is left to graphql to refuse:
 * a document without the operation, and a subscription.
 */
export function createExecute(
  schema: GraphQLSchema,
  { writeAfter = WORTH_WRITING, jsonAbove = Number.POSITIVE_INFINITY, onPlanned }: Partial<PlansOptions> = {},
): Execute {
  const plans = createPlans(schema, { writeAfter, jsonAbove, onPlanned });
  return (args) => {
    const known = plans.find(args.document, args.operationName);
    if (!known) return executeByGraphQL(args);
    const { operation, fragments } = known;
    const given = args.variableValues ?? {};
    const read = known.readVariables(given);
    const variables = read ? { coerced: read } : coerceVariables(schema, operation, given);
    if (variables.errors) return { errors: variables.errors };
    const { allowance = createAllowance(UNBOUNDED) } = args;
    const plan = plans.planFor(known, variables.coerced);
    if (!plan) return { errors: [tooLarge() as never] };
    return executePlan(plan, {
      schema,
      fragments,
      operation,
      allowance,
      rootValue: args.rootValue,
      contextValue: args.contextValue,
      variableValues: variables.coerced,
      typeResolver: args.typeResolver ?? defaultTypeResolver,
      collected: new ErrorCollector(allowance.bounds.errors),
      args: new Map(),
    });
  };
}

function executePlan(plan: ObjectPlan, execution: Execution): MaybePromise<ExecutionResult> {
  const isMutation = execution.operation.operation === OperationTypeNode.MUTATION;
  const run = isMutation && plan.fields.length > 1 ? executeSerially : executeFields;
  try {
    const data = run(execution, plan, { source: execution.rootValue, path: undefined });
    if (!isThenable(data)) return toResult(data, execution);
    return data.then(
      (settled) => toResult(settled, execution),
      (error) => fail(error, execution),
    );
  } catch (error) {
    return fail(error, execution);
  }
}

/** What is wrong with variables, graphql says in its own words. */
function coerceVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
) {
  return getVariableValues(schema, variableDefinitions, given, { maxErrors: MAX_COERCION_ERRORS });
}

/** Nothing between the error and the root may be null: then there is no data at all. Beyond the allowance there is no result. */
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

/** Objects of one selection. */
const WORTH_WRITING = 1_000;
/** As many as graphql itself tells. */
const MAX_COERCION_ERRORS = 50;
const ENDLESS = Number.POSITIVE_INFINITY;
const UNBOUNDED = { values: ENDLESS, bytes: ENDLESS, errors: ENDLESS, errorBytes: ENDLESS };

export type Execute = (args: ExecuteArgs) => MaybePromise<ExecutionResult>;

interface ExecuteArgs extends ExecutionArgs {
  /** Default: as much as there is. */
  readonly allowance?: Allowance | undefined;
}

/**
 * Plans, each made once: for an operation of a document, and for each way in which its conditions can fall out. They live
 * as long as the document does: the store that keeps it is told how many fields its plans have.
 */
function createPlans(schema: GraphQLSchema, { onPlanned, ...writing }: PlansOptions): Plans {
  const documents = new WeakMap<DocumentNode, Map<string | undefined, KnownOperation | undefined>>();

  return {
    find(document, operationName) {
      const operations = documents.get(document) ?? new Map<string | undefined, KnownOperation | undefined>();
      const name = operationName ?? undefined;
      if (operations.has(name)) return operations.get(name);
      const planned = readOperation(document, name);
      const known = planned && {
        ...planned,
        document,
        readVariables: readVariables(schema, planned.operation.variableDefinitions),
        argumentReaders: createArgumentReaders(),
        plans: new Map<string, ObjectPlan>(),
        fields: 0,
        mostFields: 0,
      };
      documents.set(document, operations.set(name, known));
      return known;
    },

    planFor(known, variables) {
      const key = known.conditions.map((name) => KEYS.get(variables[name]) ?? 'n').join('');
      const existing = known.plans.get(key);
      if (existing) return existing;
      const made = makePlan(known, variables);
      if (made) keep(known, key, made);
      return made?.plan;
    },
  };

  function makePlan(
    { operation, fragments, argumentReaders, ...known }: KnownOperation,
    variables: Variables,
  ): MadePlan | undefined {
    const type = schema.getRootType(operation.operation);
    if (!type) return undefined;
    const conditions: Conditions = Object.fromEntries(
      known.conditions.map((name) => [name, typeof variables[name] === 'boolean' ? variables[name] : null]),
    );
    const room = { fields: MAX_FIELDS };
    const scope = { schema, fragments, conditions, room, ...writing, argumentReaders };
    const plan = planObject(scope, type, [operation]);
    return room.fields < 0 ? undefined : { plan, fields: MAX_FIELDS - room.fields };
  }

  function keep(known: KnownOperation, key: string, { plan, fields }: MadePlan): void {
    if (fields > MAX_FIELDS_KEPT) return;
    if (known.fields + fields > MAX_FIELDS_KEPT) {
      known.plans.clear();
      known.fields = 0;
    }
    known.plans.set(key, plan);
    known.fields += fields;
    if (known.fields <= known.mostFields) return;
    onPlanned?.(known.document, known.fields - known.mostFields);
    known.mostFields = known.fields;
  }
}

const KEYS: ReadonlyMap<unknown, string> = new Map([
  [true, '1'],
  [false, '0'],
]);
/** Of one plan: several times what the limits of documents let through. */
const MAX_FIELDS = 100_000;
/** Of one operation, in all ways in which its conditions fall out. A larger plan is made for each request. */
const MAX_FIELDS_KEPT = 20_000;

interface Plans {
  /** Undefined where no plan can be made: it is graphql's. */
  find(document: DocumentNode, operationName: string | null | undefined): KnownOperation | undefined;
  /** Undefined where it is too large. */
  planFor(known: KnownOperation, variables: Variables): ObjectPlan | undefined;
}

interface PlansOptions extends Writing {
  /** Told by how many fields the plans of a document have grown. */
  readonly onPlanned?: ((document: DocumentNode, fields: number) => void) | undefined;
}

interface MadePlan {
  readonly plan: ObjectPlan;
  readonly fields: number;
}

interface KnownOperation extends PlannedOperation {
  readonly document: DocumentNode;
  readonly readVariables: ReadVariables;
  readonly argumentReaders: ArgumentReaders;
  readonly plans: Map<string, ObjectPlan>;
  /** Of its plans together. */
  fields: number;
  mostFields: number;
}

type Variables = Readonly<Record<string, unknown>>;
