import {
  defaultTypeResolver,
  type ExecutionArgs,
  type ExecutionResult,
  execute as executeByGraphQL,
  type GraphQLError,
  type GraphQLSchema,
} from 'graphql';
import { CollectedErrors } from './collected-errors.ts';
import { type Answer, executeFields } from './execute-fields.ts';
import type { Execution, MaybePromise } from './execution.ts';
import { isThenable } from './is-thenable.ts';
import type { ObjectPlan } from './plan.ts';
import { createPlans } from './plans.ts';
import type { Writing } from './reader.ts';

/** Executes valid operations as graphql does, sooner: by a plan where there can be one, else by graphql itself. */
export function createExecute(
  schema: GraphQLSchema,
  { writeAfter = WORTH_WRITING, jsonAbove = Number.POSITIVE_INFINITY }: Partial<Writing> = {},
): Execute {
  const plans = createPlans(schema, { writeAfter, jsonAbove });
  return (args) => {
    const known = plans.find(args.document, args.operationName);
    if (!known) return executeByGraphQL(args);
    const { operation, fragments } = known;
    const variableValues = known.readVariables(args.variableValues ?? {});
    const plan = variableValues && plans.planFor(known, variableValues);
    if (!plan) return executeByGraphQL(args);
    return executePlan(plan, {
      schema,
      fragments,
      operation,
      rootValue: args.rootValue,
      contextValue: args.contextValue,
      variableValues,
      typeResolver: args.typeResolver ?? defaultTypeResolver,
      collected: new CollectedErrors(),
      args: new Map(),
    });
  };
}

function executePlan(plan: ObjectPlan, execution: Execution): MaybePromise<ExecutionResult> {
  try {
    const data = executeFields(execution, plan, { source: execution.rootValue, path: undefined });
    if (!isThenable(data)) return toResult(data, execution);
    return data.then(
      (settled) => toResult(settled, execution),
      (error) => fail(error, execution),
    );
  } catch (error) {
    return fail(error, execution);
  }
}

/** Nothing between the error and the root may be null: then there is no data at all. */
function fail(error: unknown, execution: Execution): ExecutionResult {
  execution.collected.add(error as GraphQLError, undefined);
  return toResult(null, execution);
}

function toResult(data: Answer | null, { collected: { errors } }: Execution): ExecutionResult {
  return errors.length === 0 ? { data } : { errors, data };
}

/** Objects of one selection. */
const WORTH_WRITING = 1_000;

export type Execute = (
  args: Omit<ExecutionArgs, 'schema'> & { readonly schema: GraphQLSchema },
) => MaybePromise<ExecutionResult>;
