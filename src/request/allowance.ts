import { Allowance, DEFAULT_BOUNDS, type ResponseBounds, type TakeTurn } from '@crossbook/executor';
import { CrossbookError } from '../domain/errors.ts';
import { publishTask } from '../lib/task-time.ts';

export const RESPONSE_BOUNDS = {
  caller: DEFAULT_BOUNDS,
  unauthenticated: { values: 100_000, bytes: 1024 * 1024, errors: 20, errorBytes: 32 * 1024 },
} as const satisfies Record<string, ResponseBounds>;

/** The allowance of one HTTP request, with our errors and metrics. */
export function openAllowance(bounds: ResponseBounds, takeTurn?: TakeTurn): Allowance {
  return new Allowance(bounds, { takeTurn, onPiece: publishPiece, toError: toTooLarge });
}

function publishPiece(ms: number): void {
  publishTask('response', ms);
}

/** The error for an exceeded limit of the executor. */
export function toTooLarge(message: string): CrossbookError {
  return new CrossbookError('BAD_REQUEST', message);
}
