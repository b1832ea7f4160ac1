import type { Plugin } from '@envelop/core';
import {
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
} from 'graphql';
import { Allowance, DEFAULT_BOUNDS } from './allowance.ts';
import { checkLimits, DEFAULT_LIMITS, nothingSpent } from './cost/operation-limits.ts';
import { checkFragmentDepth } from './documents/document-limits.ts';
import { createExecutor, type Executor, type ExecutorOptions } from './executor.ts';
import { toLimitError, withOwnError } from './limit-error.ts';

/**
 * An Envelop plugin that parses, validates, measures and executes the operations of any schema. Subscriptions are left
 * to graphql.
 */
export function useExecutor<Context extends object>(
  options: UseExecutorOptions<Context> = {},
): Plugin<Context> {
  const { limits = DEFAULT_LIMITS } = options;
  const toError = (message: string) => toGraphQLError((options.toError ?? toLimitError)(message));
  const { readOwner = () => '', openAllowance = openDefaultAllowance } = options;
  const executors = new WeakMap<GraphQLSchema, Executor>();
  /** The others share its limit of memory. */
  let first: Executor | undefined;
  let latest: Executor | undefined;

  return {
    onSchemaChange({ schema }) {
      latest = executorOf(schema);
    },
    onParse({ context, setParseFn }) {
      // Which schema it is for is not known yet: a document of another one is validated without the cache.
      setParseFn(
        (source: string | { readonly body: string }) =>
          latest?.parse(typeof source === 'string' ? source : source.body, readOwner(context))
            .document,
      );
    },
    onValidate({ setValidationFn }) {
      setValidationFn((schema, document, rules) => {
        const failure = attempt(() => checkFragmentDepth(document, limits.nesting));
        return failure ? [failure] : executorOf(schema).validate(document, rules);
      });
    },
    onExecute({ setExecuteFn }) {
      setExecuteFn(execute);
    },
  };

  function execute(args: ExecutionArgs): Promise<ExecutionResult> | ExecutionResult {
    if (args.fieldResolver || args.typeResolver)
      throw new Error(
        'The executor has no `fieldResolver` and no `typeResolver`: set them in the schema.',
      );
    const { schema, document, operationName, variableValues } = args;
    const allowance = openAllowance(args.contextValue as Context);
    const operation = getOperationAST(document, operationName ?? undefined);
    const failure =
      operation &&
      attempt(() =>
        checkLimits({
          schema,
          document,
          operation,
          variables: variableValues ?? {},
          limits,
          spent: nothingSpent(),
          responseBytes: allowance.bounds.bytes,
        }),
      );
    return failure ? { errors: [failure] } : executorOf(schema).execute({ ...args, allowance });
  }

  function executorOf(schema: GraphQLSchema): Executor {
    const existing = executors.get(schema);
    if (existing) return existing;
    first ??= createExecutor(schema, { ...options, toError, keepsText: true });
    const executor = first.schema === schema ? first : first.forSchema(schema);
    executors.set(schema, executor);
    return executor;
  }

  /** The error of a check, if it fails. */
  function attempt(check: () => unknown): GraphQLError | undefined {
    try {
      withOwnError(toError, check);
      return undefined;
    } catch (error) {
      return error as GraphQLError;
    }
  }

  function openDefaultAllowance(): Allowance {
    return new Allowance(DEFAULT_BOUNDS, toError);
  }
}

function toGraphQLError(error: Error): GraphQLError {
  return error instanceof GraphQLError
    ? error
    : new GraphQLError(error.message, { originalError: error });
}

export interface UseExecutorOptions<Context>
  extends Omit<ExecutorOptions, 'jsonAbove' | 'keepsText'> {
  /** Whose share of the document cache an operation takes. Undefined: its document is not cached. */
  readonly readOwner?: ((context: Context) => string | undefined) | undefined;
  /** The limits of one response. Operations of a batch may share one. */
  readonly openAllowance?: ((context: Context) => Allowance) | undefined;
}
