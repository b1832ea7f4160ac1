import type { ExecutionResult, GraphQLError } from 'graphql';
import type { GraphQLRequest } from './start-request.ts';

type Results = ExecutionResult | readonly ExecutionResult[];

/** In place of an answer that tells of something that was removed while it was made: the error that says so. */
export function confirmResult(
  { context }: Pick<GraphQLRequest, 'context'>,
  result: Results,
): Results | Promise<Results> {
  try {
    const confirmed = context?.confirm();
    if (!confirmed) return result;
    return confirmed.then(() => result, toResult);
  } catch (error) {
    return toResult(error);
  }
}

function toResult(error: unknown): ExecutionResult {
  return { errors: [error as GraphQLError] };
}
