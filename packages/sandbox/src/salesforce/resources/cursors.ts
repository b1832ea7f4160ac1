import type { WireRecord } from '../soql/projection.ts';
import type { Row } from '../soql/table.ts';
import { makeId } from '../values/record-id.ts';

/** Queries with remaining pages. */
export function createCursorBook(): CursorBook {
  const cursors = new Map<string, Cursor>();
  let serial = 0;
  return {
    open(cursor) {
      serial += 1;
      const id = makeId(CURSOR_PREFIX, serial);
      cursors.set(id, cursor);
      const [oldest] = cursors.keys();
      if (cursors.size > MAX_CURSORS && oldest !== undefined) cursors.delete(oldest);
      return id;
    },
    find: (id) => cursors.get(id),
  };
}

const CURSOR_PREFIX = '01g';
/** The real service has no limit: this bounds the memory of this process. */
const MAX_CURSORS = 500;

export interface CursorBook {
  /** Returns the id to continue the query. */
  open(cursor: Cursor): string;
  find(id: string): Cursor | undefined;
}

export interface Cursor {
  readonly rows: readonly Row[];
  readonly show: (row: Row, version: string) => WireRecord;
  readonly openedAt: number;
}
