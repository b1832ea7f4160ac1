import { invalid } from './errors.ts';
import { customFieldsOf, type FieldObject } from './fields.ts';
import type { EndpointContext, PipedriveAccount, Reply } from './types.ts';
import type { WireRecord } from './views.ts';

/**
 * A page of records. Cursors are the position of a record in the order of the list, so that records that come and go
 * shift nothing. They lead forward only, and belong to the sort that they were made with.
 */
export function listRecords(
  { account, call }: EndpointContext,
  object: FieldObject,
  all: readonly WireRecord[],
): Reply {
  const { query } = call.request;
  const ids = query.get('ids');
  const wanted = ids === null ? undefined : readIds(ids);
  const [since, until] = [readTime(query, 'updated_since'), readTime(query, 'updated_until')];
  const field = query.get('sort_by') ?? 'id';
  if (!['id', 'update_time', 'add_time'].includes(field)) throw invalid(`sort_by: ${field}`);
  const isDescending = query.get('sort_direction') === 'desc';
  const keys = readKeys({ account, call }, object);
  const found = all.filter((record) => {
    const updated = Date.parse(String(record['update_time']));
    return (
      (wanted === undefined || wanted.has(String(record['id']))) &&
      (since === undefined || updated >= since) &&
      (until === undefined || updated < until) &&
      REFERENCES.every((name) => isEqual(query, name, record[name]))
    );
  });
  const compare = (one: WireRecord, other: WireRecord) =>
    (isDescending ? -1 : 1) * compareBy(field, one, other);
  return page({ account, call }, found.sort(compare), {
    position: (record) => ({
      field,
      fieldValue: record[field],
      sortDirection: isDescending ? 'desc' : 'asc',
      id: record['id'],
    }),
    isAfter: (record, cursor) => {
      if (cursor['field'] !== field) throw invalid('Invalid cursor.');
      const at = { [field]: cursor['fieldValue'], id: cursor['id'] };
      return compare(record, at) > 0;
    },
    show: (record) => withKeys(record, keys),
  });
}

/** A page of a list that has no filters, such as fields, pipelines and stages. */
export function listAll(context: Context, all: readonly WireRecord[]): Reply {
  const places = new Map(all.map((one, place) => [one, place]));
  return page(context, all, {
    position: (one) => ({ place: places.get(one) ?? 0 }),
    isAfter: (one, cursor) => (places.get(one) ?? 0) > Number(cursor['place']),
    show: (one) => one,
  });
}

function page<Item>(
  { account, call }: Context,
  sorted: readonly Item[],
  { position, isAfter, show }: Paging<Item>,
): Reply {
  const { query } = call.request;
  const limit = Number(query.get('limit') ?? 100);
  if (!(limit >= 1 && limit <= 500)) throw invalid('limit must be between 1 and 500');
  const size = Math.min(limit, account.quirks.maxPageSize);
  const given = query.get('cursor');
  const cursor = given === null ? undefined : readCursor(given);
  const rest = cursor ? sorted.filter((one) => isAfter(one, cursor)) : sorted;
  const isEmpty = account.quirks.emptyPages && given !== null && cursor?.['wasEmpty'] !== true;
  const items = isEmpty ? [] : rest.slice(0, size);
  const last = items.at(-1);
  const next = isEmpty
    ? toCursor({ ...cursor, wasEmpty: true })
    : last && rest.length > size
      ? toCursor(position(last))
      : null;
  return {
    status: 200,
    body: {
      success: true,
      data: items.map(show),
      additional_data: { next_cursor: next },
    },
  };
}

/** Relevance has no order that a client could rely on. */
export function searchPage(context: Context, hits: readonly WireRecord[]): Reply {
  const { body } = listAll(context, hits);
  const { data, additional_data } = body as {
    readonly data: readonly WireRecord[];
    readonly additional_data: object;
  };
  const items = data.map((item) => ({ result_score: 0.5, item }));
  return { status: 200, body: { success: true, data: { items }, additional_data } };
}

function toCursor(position: object): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

function readCursor(cursor: string): WireRecord {
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (typeof read === 'object' && read !== null) return read as WireRecord;
  } catch {
    // Answered below.
  }
  throw invalid('Invalid cursor.');
}

function readIds(text: string): ReadonlySet<string> {
  const ids = text.split(',');
  if (ids.length > 100) throw invalid('ids: at most 100');
  for (const id of ids) if (!/^[1-9]\d{0,9}$/.test(id)) throw invalid(`ids: ${id}`);
  return new Set(ids);
}

/** RFC 3339 without fractions of a second. */
function readTime(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/.test(text))
    throw invalid(`${name}: must be a date-time in RFC 3339 format`);
  return Date.parse(text);
}

function readKeys({ account, call }: Context, object: FieldObject): readonly string[] | undefined {
  const text = call.request.query.get('custom_fields');
  if (text === null) return undefined;
  const keys = text.split(',');
  if (keys.length > 15) throw invalid('custom_fields: at most 15 keys');
  const known = customFieldsOf(account, object).map(({ key }) => key);
  const unknown = keys.find((key) => !known.includes(key));
  if (unknown !== undefined && account.quirks.refusesUnknownKeys)
    throw invalid(`custom_fields: ${unknown} does not exist`);
  return keys;
}

function withKeys(record: WireRecord, keys: readonly string[] | undefined): WireRecord {
  if (!keys) return record;
  const all = record['custom_fields'] as WireRecord;
  const shown = Object.entries(all).filter(([key]) => keys.includes(key));
  return { ...record, custom_fields: Object.fromEntries(shown) };
}

/** Lists are filtered by these references, and deals also by their status. */
const REFERENCES = ['owner_id', 'org_id', 'person_id', 'pipeline_id', 'stage_id'] as const;

function isEqual(query: URLSearchParams, name: string, value: unknown): boolean {
  const wanted = query.get(name);
  if (wanted === null) return true;
  if (!/^\d{1,15}$/.test(wanted)) throw invalid(`${name}: must be an integer`);
  return wanted === String(value);
}

function compareBy(field: string, one: WireRecord, other: WireRecord): number {
  const [a, b] = [one[field], other[field]];
  if (a !== b && field !== 'id') return String(a) < String(b) ? -1 : 1;
  return Number(one['id']) - Number(other['id']);
}

interface Context {
  readonly account: PipedriveAccount;
  readonly call: EndpointContext['call'];
}

interface Paging<Item> {
  position(item: Item): object;
  isAfter(item: Item, cursor: WireRecord): boolean;
  show(item: Item): unknown;
}
