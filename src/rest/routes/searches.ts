import * as z from 'zod';
import { MAX_PAGE_SIZE } from '../../domain/page.ts';
import {
  EXAMPLE_PROVIDERS,
  PROVIDER_NAMES,
  type ProviderName,
} from '../../domain/provider-names.ts';
import type { FilterKind } from '../../domain/records/conditions.ts';
import type { CrmRecord } from '../../domain/records/record.ts';
import {
  type FieldSelection,
  type FoundPage,
  type RecordSearch,
  wholeSearchCost,
} from '../../domain/records/record-search.ts';
import type { Shape } from '../../domain/shape.ts';
import type { RequestContext } from '../../request/context.ts';
import {
  enumInput,
  fromWire,
  momentText,
  object,
  optional,
  pageCursors,
  pageQuery,
  text,
  toPageCursors,
  toSchema,
  toWire,
} from '../schemas.ts';

/** What the searches of all types of records have in common. */

export const searchQuery = {
  include_raw_data: optional(
    z.boolean(),
    'Whether to include the provider’s own record as raw_data.',
  ),
  raw_fields: optional(
    z.array(z.string()),
    'Names, in the provider’s API, of further fields of raw_data, at most 100: repeated, or comma-separated. It includes raw_data. Names that the provider does not know are ignored.',
  ),
  ...pageQuery({
    of: 'Results',
    most: MAX_PAGE_SIZE,
    cursor:
      'A page’s `next` or `previous`, unchanged, with the same customer, provider and filter.',
  }),
  read_from_cache: optional(
    z.boolean(),
    'Whether a cached result may be returned. x-fetched-at gives its time.',
  ),
};

export const targetHeaders = z.object({
  'x-customer-id': text(
    'The application’s own id of the customer. Default: the token’s customer.',
    'demo',
  ).optional(),
  'x-provider-name': enumInput(PROVIDER_NAMES, 'The provider to search.', EXAMPLE_PROVIDERS.first),
});

/** The body of a search. */
export function searchBody(id: string, filter: Shape<unknown>, isCombinable = false) {
  return object('request', id, 'Search condition.', {
    filter: toSchema(filter, 'request').meta({
      description: filter.description,
      minProperties: 1,
      ...(!isCombinable && { maxProperties: 1 }),
    }),
  });
}

/** What a search asks for of the provider's own records. */
function toRawSelection(query: RawQuery): Pick<FieldSelection, 'rawData' | 'rawFields'> {
  const rawFields = query.raw_fields;
  return { rawData: rawFields !== undefined || (query.include_raw_data ?? false), rawFields };
}

interface RawQuery {
  readonly include_raw_data?: boolean | undefined;
  readonly raw_fields?: readonly string[] | undefined;
}

/** Runs a search as its operation describes it, after its cost has been charged. */
export async function runSearch<Item extends CrmRecord, Input extends object>(
  { context, query, provider, filter, headers }: SearchRequest,
  { filters, search }: SearchedRecords<Item, Input>,
) {
  const raw = toRawSelection(query);
  const condition = fromWire(filters.input, filter);
  const readFromCache = query.read_from_cache ?? false;
  await context.charge(wholeSearchCost(filters.countLookUps(condition), query.page_size));
  const page = await search(context, {
    provider,
    filter: condition,
    page: { size: query.page_size, cursor: query.cursor },
    readFromCache,
    selection: {
      ...raw,
      customFieldNames: 'all',
      totalCount: 'first page',
      needsPreviousPage: true,
    },
  });
  if (page.countFailure !== undefined) throw page.countFailure;
  headers['x-fetched-at'] = page.fetchedAt;
  return { page, rawData: raw.rawData, readFromCache };
}

interface SearchRequest {
  readonly context: RequestContext;
  readonly query: RawQuery & {
    readonly page_size?: number | undefined;
    readonly cursor?: string | undefined;
    readonly read_from_cache?: boolean | undefined;
  };
  readonly provider: ProviderName;
  readonly filter: object;
  /** Of the response. */
  readonly headers: Record<string, string>;
}

export interface SearchedRecords<Item extends CrmRecord, Input extends object> {
  readonly filters: FilterKind<Item, Input>;
  search(context: RequestContext, search: RecordSearch<Input>): Promise<FoundPage<Item>>;
}

export const rawDataField = optional(
  z.record(z.string(), z.unknown()),
  'The provider’s own record, unchanged. Present with include_raw_data=true.',
);

export const customFieldsField = optional(
  z.record(z.string(), z.unknown()),
  'Custom fields of the application by name: strings, numbers, booleans and lists of strings. A field is null if the CRM has no value, or one that does not fit its type. Present if the application has declared any.',
);

export const paginationSchema = object(
  'response',
  'Pagination',
  'Cursors of the adjacent pages, and the total count.',
  {
    ...pageCursors,
    total_count: z
      .int()
      .min(0)
      .optional()
      .describe(
        'Number of results of the whole search, not only of this page. Absent if the provider cannot count them.',
      ),
    modified_until: momentText(
      'End of the period that a search by modified_since covers, the same on all of its pages, for the next modified_since. One minute before the first page was read, because changes become visible in the provider’s search that late. Present with modified_since.',
    ).optional(),
  },
);

export const FETCHED_AT = {
  'x-fetched-at':
    'Time of the request to the provider: in the past if the result came from the cache.',
};

export function toPagination(page: FoundPage<CrmRecord>) {
  return {
    ...toPageCursors(page),
    total_count: page.totalCount ?? undefined,
    modified_until: page.modifiedUntil ?? undefined,
  };
}

/** Missing values are `undefined`, which JSON omits. */
export function toRecord(
  shape: Shape<unknown>,
  record: CrmRecord,
  rawData: boolean,
): Record<string, unknown> {
  const wire = toWire(shape, record);
  if (rawData) wire['raw_data'] = record.rawData ?? undefined;
  if (record.customFields) wire['custom_fields'] = record.customFields;
  return wire;
}
