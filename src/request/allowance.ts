import { Allowance, DEFAULT_BOUNDS, type ResponseBounds } from '@crossbook/executor';
import { CrossbookError } from '../domain/errors.ts';

export const RESPONSE_BOUNDS = {
  caller: DEFAULT_BOUNDS,
  unauthenticated: { values: 100_000, bytes: 1024 * 1024, errors: 20, errorBytes: 32 * 1024 },
} as const satisfies Record<string, ResponseBounds>;

/** The allowance of one HTTP request, with our errors. */
export function openAllowance(bounds: ResponseBounds): Allowance {
  return new Allowance(bounds, toTooLarge);
}

/** The error for an exceeded limit of the executor. */
export function toTooLarge(message: string): CrossbookError {
  return new CrossbookError('BAD_REQUEST', message);
}
