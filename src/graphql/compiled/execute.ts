import {
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
import { type Allowance, createAllowance } from '../../domain/allowance.ts';
import { CrossbookError } from '../../domain/errors.ts';
import { type Answer, executeFields, executeSerially } from './execute-fields.ts';
import { ErrorCollector, type Execution, isThenable, type MaybePromise } from './execution.ts';
import type { ObjectPlan } from './plan.ts';
import { createPlans, type PlansOptions } from './plans.ts';

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
