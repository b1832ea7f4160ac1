/**
 * Exponential backoff: the pause before a retry. It is `firstMs` without earlier failures, grows by `factor` with each
 * of them, and is at most `mostMs`.
 */
export function backoff(
  firstMs: number,
  mostMs: number,
  earlierFailures: number,
  factor = 2,
): number {
  return Math.min(firstMs * factor ** earlierFailures, mostMs);
}
