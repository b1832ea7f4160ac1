/** Page input as passed by an API: unchecked. */
export interface PageInput {
  readonly size?: number | null | undefined;
  readonly cursor?: string | null | undefined;
  /** Absent: the cursor's direction, else forward. */
  readonly direction?: Direction | undefined;
}

export type Direction = 'forward' | 'backward';

/** A validated slice of a list. Lists are ordered by record id, ascending. */
export interface PageRequest {
  readonly direction: Direction;
  readonly size: number;
  /** The id after which (forward) or before which (backward) the slice lies. Undefined: the list's end. */
  readonly boundary: string | undefined;
  /** The CRM's own cursor for the boundary record. */
  readonly place?: string | undefined;
  /** The slice may contain the boundary record itself. */
  readonly includesBoundary?: boolean | undefined;
  /** The end of the period of a search by time, in milliseconds since 1970, if an earlier page has fixed it. */
  readonly until?: number | undefined;
  /** The number of results of the whole list, if an earlier page has counted them. */
  readonly total?: number | undefined;
}

export interface Page<Item> {
  /** In the list's order, for both directions. */
  readonly items: readonly Item[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** A page as the APIs return it. */
export interface ListPage<Item> extends Page<Item> {
  /**
   * Signs lazily, so that unselected cursors cost nothing. Where a list is read in both directions REST's cursors
   * contain the direction. Without an item, the cursor of the place at which an empty page is.
   */
  cursorOf(item: Item | undefined, direction?: Direction): string;
}

export const DEFAULT_PAGE_SIZE = 100;
export const MAX_PAGE_SIZE = 1_000;

/** Signs page cursors and tokens of connect links against tampering and use elsewhere. Does not encrypt. */
export interface Signer {
  /** The binding is not contained in the cursor. It is read at the first signature or verification. */
  bind(readBinding: () => string): BoundSigner;
}

export interface BoundSigner {
  sign(payload: string): string;
  /** The payload. Undefined if it was tampered with, has another binding, or an unknown key. */
  verify(cursor: string): string | undefined;
}
