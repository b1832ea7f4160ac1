import { CrossbookError } from '../../domain/errors.ts';
import type { CustomerAccount, KeysetRange } from '../../domain/provider.ts';
import type { ListFilter } from '../../domain/records/conditions.ts';
import type { CrmRecord } from '../../domain/records/record.ts';
import { type FieldSelection, toRecordOrigin } from '../../domain/records/record-search.ts';
import { RemoteFailure } from '../../domain/remote.ts';
import { getPage, MAX_PAGE, type Page, paginationError, type Query, V2 } from './call.ts';
import { matchesNothing, toQuery, toVerified } from './filters.ts';
import { compareIds, type PipedriveObject, selectFields, toKeys, toRecord } from './object.ts';

/**
 * Reads records in the order of their ids. A list of Pipedrive begins at its start or at a cursor, which is a position
 * between two records: those that come and go shift nothing. Each record is returned with the cursor from which a list
 * finds what follows it, so that the next page costs one call. Without a cursor, or where Pipedrive takes it no more,
 * the list is read from its start.
 */
export async function readList<Item extends CrmRecord>(
  account: CustomerAccount,
  object: PipedriveObject<Item>,
  { filter, range, selection }: ListAsk,
): Promise<readonly Item[]> {
  const query = toQuery(filter);
  if (!query || range.direction === 'backward') throw notOffered();
  if (matchesNothing(filter)) return [];
  const source = toRecordOrigin(account.connection, object.kind);
  const verified = toVerified(filter);
  const found: Item[] = [];
  const isBefore = (id: string) => {
    const order = range.from === undefined ? 1 : compareIds(id, range.from);
    return range.place === undefined ? order < 0 : order <= 0;
  };
  let cursor = range.place;
  let last: string | undefined;
  for (let calls = 0; calls < MAX_CALLS; calls += 1) {
    // A list costs the same whatever its size: what comes before the range is read in the largest pages.
    const isInRange = range.from === undefined || range.place !== undefined || found.length > 0;
    const limit = isInRange ? Math.min(MAX_PAGE, range.limit - found.length) : MAX_PAGE;
    const request = { query, selection, cursor, limit };
    const page = await readPage(account, object, request, cursor === range.place);
    if (page === 'unknown cursor') {
      cursor = undefined;
      continue;
    }
    for (const record of page.records) {
      const item = toRecord(object, record, source, selection);
      if (!item || isBefore(item.remoteId)) continue;
      if (last !== undefined && compareIds(item.remoteId, last) <= 0) continue;
      last = item.remoteId;
      if (item.isDeleted || !object.filters.matches(item, verified)) continue;
      const selected = selectFields(object, item, selection);
      found.push({ ...selected, place: { cursor, hasMore: true } });
    }
    const { next } = page;
    if (next === null || found.length >= range.limit) return withPlaces(next);
    cursor = next;
  }
  throw paginationError(`did not end a list of ${object.kind.nouns} within ${MAX_CALLS} pages`);

  /** After the last record of the last page, the list goes on with the next page, or is at its end. */
  function withPlaces(next: string | null): readonly Item[] {
    const items = found.slice(0, range.limit);
    const end = items.at(-1);
    if (end && items.length === found.length)
      items[items.length - 1] = {
        ...end,
        place: next === null ? { cursor, hasMore: false } : { cursor: next, hasMore: true },
      };
    return items;
  }
}

/** A page of a list, smaller where records are large. Only the first cursor of a range may be an old one. */
async function readPage(
  account: CustomerAccount,
  { name }: Pick<PipedriveObject<CrmRecord>, 'name'>,
  { query, selection, cursor, limit }: PageRequest,
  mayBeOld: boolean,
): Promise<Page | 'unknown cursor'> {
  const read = (keys: string | undefined) =>
    account.pageSizes.read(name, limit, (fitting) =>
      getPage(account, `${V2}/${name}`, {
        ...query,
        ...IN_ORDER,
        custom_fields: keys,
        limit: String(fitting),
        cursor,
      }),
    );
  const keys = toKeys(selection);
  try {
    return await read(keys).catch((error) => {
      // A custom field was deleted: without their names, all that exist are sent.
      if (keys === undefined || !isRefused(error)) throw error;
      return read(undefined);
    });
  } catch (error) {
    if (cursor !== undefined && mayBeOld && isRefused(error)) return 'unknown cursor';
    throw error;
  }
}

export const IN_ORDER: Query = { sort_by: 'id', sort_direction: 'asc' };

export function isRefused(error: unknown): boolean {
  return error instanceof RemoteFailure && error.answer.status === 400;
}

function notOffered(): CrossbookError {
  return new CrossbookError('NOT_IMPLEMENTED', 'Pipedrive has no such list.');
}

/** A hundred thousand records. */
const MAX_CALLS = 200;

interface ListAsk {
  readonly filter: ListFilter;
  readonly range: KeysetRange;
  readonly selection: FieldSelection;
}

interface PageRequest extends Pick<ListAsk, 'selection'> {
  readonly query: Query;
  readonly cursor: string | undefined;
  readonly limit: number;
}
