/** Which slice of an ordered list is asked for. Lists are ordered by record id, ascending. */
export interface PageRequest {
  readonly direction: 'forward' | 'backward';
  readonly size: number;
  /** The id that the slice starts after (forward) or ends before (backward). Absent: from the end of the list. */
  readonly boundary: string | undefined;
}

export interface Page<Item> {
  /** In the list's order, whichever the direction. */
  readonly items: readonly Item[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** Of the whole search; undefined where nobody asked for it. */
  readonly totalCount: number | undefined;
}

export const DEFAULT_PAGE_SIZE = 100;
export const MAX_PAGE_SIZE = 1_000;
