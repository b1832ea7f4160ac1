/** The message of a thrown value. */
export function toReason(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
