import { GraphQLError } from 'graphql';

/** A document, an operation or a response exceeds a limit. */
export class LimitError extends GraphQLError {
  constructor(message: string) {
    super(message, { extensions: { code: 'LIMIT_EXCEEDED' } });
  }
}

/** Makes the error for an exceeded limit, so that an application can report its own. */
export type ToError = (message: string) => Error;

export const toLimitError: ToError = (message) => new LimitError(message);

/** Runs a check, and reports an exceeded limit as the application's own error. */
export function withOwnError<Result>(toError: ToError, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    throw error instanceof LimitError ? toError(error.message) : error;
  }
}
