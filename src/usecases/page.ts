import { CrossbookError } from '../domain/errors.ts';
import {
  type BoundSigner,
  DEFAULT_PAGE_SIZE,
  type Direction,
  MAX_PAGE_SIZE,
  type Page,
  type PageInput,
  type PageRequest,
  type Signer,
} from '../domain/page.ts';
import type { CrmAccess, RecordPort } from '../domain/provider.ts';
import {
  filterCacheKey,
  type ListFilter,
  type RecordFilter,
} from '../domain/records/conditions.ts';
import type { CrmRecord, RecordKind, RecordOrigin } from '../domain/records/record.ts';
import type { FieldSelection, SearchSelection } from '../domain/records/record-search.ts';

/** Binds cursors to their list: same application, customer, provider, type of record and filter. */
export function bindCursors(
  signer: Signer,
  source: RecordOrigin,
  { key }: Pick<RecordKind<CrmRecord>, 'key'>,
  filter: RecordFilter,
): BoundSigner {
  const { applicationId, customerId, provider } = source;
  return signer.bind(
    () => `${key}${JSON.stringify([applicationId, customerId, provider])}${filterCacheKey(filter)}`,
  );
}

/**
 * The payload of a cursor, which `createSigner` signs: a letter, the end of the period and the total if there are any, and the id
 * of a record.
 *
 *     payload = letter [ digits ":" ] [ "n" digits ":" ] [ "p" place ":" ] record-id
 *     letter  = "f" | "F" | "b" | "B" | " "
 *
 * `f` leads forward and `b` backward; a capital includes the record itself. A space is the cursor of an edge, which
 * works in both directions. The digits are milliseconds since 1970, and those after `n` the number of results, which the
 * first page has counted. The place is the CRM's own cursor, without which it cannot begin a list at a record. An empty id
 * is the end of the list.
 */
export function signCursor(
  signer: BoundSigner,
  { key, direction, includesKey, until, total, place }: CursorPosition,
): string {
  const letter = direction?.charAt(0) ?? ' ';
  const period = until === undefined ? '' : `${until}:`;
  const count = total === undefined ? '' : `n${total}:`;
  const at = place !== undefined && PLACE.test(place) ? `p${place}:` : '';
  return signer.sign(`${includesKey ? letter.toUpperCase() : letter}${period}${count}${at}${key}`);
}

/** Longer ones, and those with other characters, are left out: the list is then searched for the record. */
const PLACE = /^[\w.~+/=%-]{1,600}$/;

/**
 * The cursor from an empty page, which is between two records: forward it starts at the same place, backward it ends
 * there. The boundary record belongs to the pages on one of the two sides.
 */
export function signPlaceOf(
  signer: BoundSigner,
  { boundary = '', direction, includesBoundary = false, until, total, place }: PageRequest,
  target: Direction = direction,
): string {
  const includesKey = target === direction ? includesBoundary : !includesBoundary;
  return signCursor(signer, { key: boundary, direction: target, includesKey, until, total, place });
}

/** The signed payload; undefined if the cursor is not of this list. */
export function verifySigned(signer: BoundSigner, cursor: string): string | undefined {
  return cursor.length <= MAX_CURSOR_LENGTH ? signer.verify(cursor) : undefined;
}

const MAX_CURSOR_LENGTH = 1_024;

/** Converts unchecked page input to a page request. */
export function readPageRequest(signer: BoundSigner, page: PageInput): PageRequest {
  const size = readPageSize(page.size);
  const { key, direction, includesKey, until, total, place } = readPosition(
    signer,
    page.cursor ?? undefined,
  );
  if (page.direction && direction && page.direction !== direction) {
    throw new CrossbookError(
      'BAD_REQUEST',
      `The cursor pages ${direction}, not ${page.direction}.`,
    );
  }
  return {
    size,
    direction: page.direction ?? direction ?? 'forward',
    boundary: key || undefined,
    includesBoundary: includesKey,
    ...(until !== undefined && { until }),
    ...(total !== undefined && { total }),
    ...(place !== undefined && { place }),
  };
}

function readPosition(signer: BoundSigner, cursor: string | undefined): Partial<CursorPosition> {
  if (cursor === undefined) return NO_POSITION;
  const signed = verifySigned(signer, cursor);
  if (signed !== undefined) {
    const letter = signed.charAt(0);
    const direction = DIRECTIONS[letter.toLowerCase()];
    const [, period, count, place, key = ''] = PAYLOAD.exec(signed.slice(1)) ?? [];
    const until = period === undefined ? undefined : Number(period);
    const total = count === undefined ? undefined : Number(count);
    return { key, direction, includesKey: /[A-Z]/.test(letter), until, total, place };
  }
  throw new CrossbookError(
    'BAD_REQUEST',
    'Invalid cursor: it was not issued by this search. Send it unchanged, with the same customer, provider and filter.',
  );
}

const PAYLOAD = /^(?:(\d+):)?(?:n(\d+):)?(?:p([^:]+):)?(.*)$/s;
const NO_POSITION = {};
const DIRECTIONS: Readonly<Record<string, Direction>> = { f: 'forward', b: 'backward' };

export function readPageSize(size: number | null | undefined, max = MAX_PAGE_SIZE): number {
  const pageSize = size ?? DEFAULT_PAGE_SIZE;
  if (Number.isInteger(pageSize) && pageSize >= 0 && pageSize <= max) return pageSize;
  throw new CrossbookError(
    'BAD_REQUEST',
    `The page size must be from 0 to ${max}, but is ${pageSize}.`,
  );
}

/** Slices a page of a complete list. The boundary record may have been deleted meanwhile. */
export function slicePage<Item extends Pick<CrmRecord, 'remoteId'>>(
  list: readonly Item[],
  { direction, size, boundary, includesBoundary = false }: PageRequest,
  compareIds: CrmAccess['compareIds'],
): Page<Item> {
  const forward = direction === 'forward';
  const edge = boundary === undefined ? (forward ? 0 : list.length) : findEdge(boundary);
  const start = forward ? edge : Math.max(0, edge - size);
  const end = forward ? Math.min(list.length, edge + size) : edge;
  return {
    items: list.slice(start, end),
    hasNextPage: end < list.length,
    hasPreviousPage: start > 0,
  };

  /** The index after the boundary (forward), or before it (backward); the other way if it is included. */
  function findEdge(id: string): number {
    const index = list.findIndex(({ remoteId }) => {
      const compared = compareIds(remoteId, id);
      return forward === includesBoundary ? compared >= 0 : compared > 0;
    });
    return index < 0 ? list.length : index;
  }
}

/**
 * Reads a page from the provider with keyset pagination. The range starts AT the boundary record: if it still exists,
 * it proves that there is a page on its side without another call.
 */
export async function readListPage<Item extends CrmRecord>(
  port: Pick<RecordPort<Item>, 'readList'>,
  filter: ListFilter,
  { direction, size, boundary, includesBoundary = false }: PageRequest,
  selection: Omit<SearchSelection, 'totalCount'>,
): Promise<Page<Item>> {
  const forward = direction === 'forward';
  const limit = size + (boundary === undefined ? 1 : 2);
  const run = await port.readList(filter, { direction, from: boundary, limit }, selection);
  const beyond = includesBoundary ? run : run.filter(({ remoteId }) => remoteId !== boundary);
  const items = forward ? beyond.slice(0, size) : beyond.slice(Math.max(0, beyond.length - size));
  const ahead = beyond.length > size;
  const behind =
    beyond.length < run.length ||
    (boundary !== undefined && selection.needsPreviousPage && (await standsBehind(boundary)));
  return {
    items,
    hasNextPage: forward ? ahead : behind,
    hasPreviousPage: forward ? behind : ahead,
  };

  async function standsBehind(from: string): Promise<boolean> {
    const back = forward ? 'backward' : 'forward';
    const range = { direction: back, from, limit: 2 } as const;
    const found = await port.readList(filter, range, selection);
    return found.some(({ remoteId }) => remoteId !== from);
  }
}

/**
 * Reads a page of a list that leads forward only. The last record says whether others may follow. Nothing is known of
 * what comes before, and no page is offered there.
 */
export async function readForwardPage<Item extends CrmRecord>(
  port: Pick<RecordPort<Item>, 'readList'>,
  filter: ListFilter,
  { size, boundary, place }: PageRequest,
  selection: FieldSelection,
): Promise<Page<Item>> {
  const isAtBoundary = boundary !== undefined && place === undefined;
  const limit = Math.max(1, size) + (isAtBoundary ? 1 : 0);
  const range = { direction: 'forward', from: boundary, place, limit } as const;
  const run = await port.readList(filter, range, selection);
  const beyond = run.filter(({ remoteId }) => remoteId !== boundary);
  const hasMore = beyond.length > size || beyond.at(-1)?.place?.hasMore === true;
  return { items: beyond.slice(0, size), hasNextPage: hasMore, hasPreviousPage: false };
}

interface CursorPosition {
  /** The record id; empty at the end of the list. */
  readonly key: string;
  /** Whether the page may contain the record itself. */
  readonly includesKey?: boolean | undefined;
  /** Undefined if the cursor works in both directions, as an edge's does. */
  readonly direction?: Direction | undefined;
  /** The end of the period of `modifiedSince`, which is fixed by the first page. No record id contains a colon. */
  readonly until?: number | undefined;
  readonly total?: number | undefined;
  readonly place?: string | undefined;
}
