/** Which page of a list a caller asks for, as a face hands it over: nothing in it is checked yet. */
export interface PageInput {
  readonly size?: number | null | undefined;
  readonly cursor?: string | null | undefined;
  /** Absent: the direction that the cursor carries, else forward. */
  readonly direction?: Direction | undefined;
}

export type Direction = 'forward' | 'backward';

/** Which slice of a list is asked for. Lists are ordered by record id, ascending. */
export interface PageRequest {
  readonly direction: Direction;
  readonly size: number;
  /** The id that the slice starts after (forward) or ends before (backward). Undefined: the list's end. */
  readonly boundary: string | undefined;
}

export interface Page<Item> {
  /** In the list's order, whichever the direction. */
  readonly items: Item[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** A page as a face shows it. */
export interface ListPage<Item> extends Page<Item> {
  /**
   * Signed at the moment it is asked for: one that is not selected costs nothing. In REST a cursor carries its direction,
   * where the list is read both ways.
   */
  cursorOf(item: Item, direction?: Direction): string;
}

export const DEFAULT_PAGE_SIZE = 100;
export const MAX_PAGE_SIZE = 1_000;

/** Signs page cursors, so that one counts only unaltered, and only in the search that gave it. It hides nothing. */
export interface CursorSigner {
  /** The binding is not part of a cursor. It is asked for when the first is signed or verified. */
  bind(readBinding: () => string): BoundCursorSigner;
}

export interface BoundCursorSigner {
  sign(payload: string): string;
  /** The payload. Undefined when it was altered, is bound elsewhere, or its key is unknown. */
  verify(cursor: string): string | undefined;
}
