/** A statement returns at most so many bytes of stored records, or a single record that is larger. */
export const STATEMENT_BYTES = 1024 * 1024;

/** A page of stored records ends after so many bytes, or after a single record that is larger. */
export const PAGE_BYTES = 4 * STATEMENT_BYTES;

/** A record and its stored size. */
export interface Sized<Found> {
  readonly record: Found;
  readonly bytes: number;
}
