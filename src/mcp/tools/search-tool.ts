import * as z from 'zod';
import { CrossbookError } from '../../domain/errors.ts';
import { PROVIDER_TITLES, type ProviderName, providerName } from '../../domain/provider-names.ts';
import type { FilterKind } from '../../domain/records/conditions.ts';
import type { CrmRecord, RecordKind } from '../../domain/records/record.ts';
import {
  type FoundPage,
  type RecordSearch,
  wholeSearchCost,
} from '../../domain/records/record-search.ts';
import { field, moment, nullable, type Shape, string } from '../../domain/shape.ts';
import type { RequestContext } from '../../request/context.ts';
import { readProviderHeader } from '../../usecases/authorization.ts';
import { findLacking } from '../../usecases/search-records.ts';
import { type ToolError, toToolError } from '../results.ts';
import {
  errorSchema,
  type JsonSchema,
  toBriefSchema,
  toObjectSchema,
  toOptionalInput,
  toRecord,
} from '../schemas.ts';
import {
  customerArgument,
  defineTool,
  listSearchable,
  providerArgument,
  READ_ONLY,
  type ToolResult,
  toOutputSchema,
  UNTRUSTED,
} from './tool.ts';

const MAX_RECORDS = 50;
const DEFAULT_RECORDS = 10;

/** The tool that searches records of a type in all CRMs of a customer, or in one. */
export function defineSearchTool<Item extends CrmRecord, Input extends object>({
  kind,
  filters,
  search,
  description,
}: SearchTool<Item, Input>) {
  const { nouns, shape } = kind;
  return defineTool({
    name: `search_${nouns}`,
    title: `Search ${nouns}`,
    description: `${description}: in all of the customer’s CRMs, or in one. Each CRM has its own result, and its own error if it fails; one that cannot search by the filter is skipped. ${UNTRUSTED}`,
    annotations: READ_ONLY,
    input: z.strictObject({
      filter: toOptionalInput(filters.input),
      provider: providerArgument(
        'The CRM to search. Default: all CRMs of the customer that can be searched.',
      ),
      first: z
        .int()
        .min(0)
        .max(MAX_RECORDS)
        .default(DEFAULT_RECORDS)
        .describe(`Records from each CRM, at most ${MAX_RECORDS}. Default: ${DEFAULT_RECORDS}.`),
      after: z
        .string()
        .optional()
        .describe('To continue: `next` of an earlier result, with its provider and filter.'),
      ...customerArgument,
    }),
    output: toOutputSchema({
      results: {
        type: 'array',
        description: 'One result for each CRM.',
        items: withProperties(toObjectSchema(RESULT_FIELDS, `The ${nouns} of one CRM.`), {
          [nouns]: {
            type: 'array',
            description: `The ${nouns}, sorted by id; none where the CRM failed.`,
            items: withProperties(toBriefSchema(shape), { customFields: { type: 'object' } }),
          },
          skipped: {
            type: 'string',
            description: 'Why the CRM was not searched.',
          },
          error: errorSchema,
        }),
      },
    }),
    async run(context, { first, after, provider, customerId, filter: given }, charge) {
      // A wrong filter is an error of the whole call, not of each CRM.
      const filter = given as Input;
      const condition = filters.read(filter);
      const named = provider ?? readProviderHeader(context);
      if (named === undefined && after !== undefined) {
        throw new CrossbookError(
          'BAD_REQUEST',
          'A cursor belongs to one CRM: pass the provider together with "after".',
        );
      }
      const cost = wholeSearchCost(filters.countLookUps(filter), first);
      const searchOne = async (searched: ProviderName): Promise<Found> => {
        const page = await search(context, {
          customerId,
          provider: searched,
          filter,
          page: { size: first, cursor: after, direction: 'forward' },
          readFromCache: false,
          selection: SELECTION,
        });
        const records = page.items.map((one) => toRecordOf(shape, one));
        return { provider: searched, records, page };
      };
      if (named !== undefined) {
        await charge(cost);
        return toSearchResult(kind, [await searchOne(named)]);
      }
      const connected = (await listSearchable(context, customerId)).map((one) => ({
        provider: one,
        lacking: findLacking(context.providers.get(one)?.crm?.records[kind.type], condition),
      }));
      await charge(connected.filter(({ lacking }) => lacking === undefined).length * cost);
      const found = await Promise.all(
        connected.map(async ({ provider: one, lacking }): Promise<Found> => {
          if (lacking !== undefined) {
            const skipped = `${PROVIDER_TITLES[one]} cannot search ${nouns} by ${lacking}.`;
            return { provider: one, records: [], skipped };
          }
          return searchOne(one).catch((thrown: unknown) => {
            const failure = toToolError(context, thrown);
            return { provider: one, records: [], failure };
          });
        }),
      );
      return toSearchResult(kind, found);
    },
  });
}

/** A record in the common shape. Custom fields are absent if the application has declared none. */
export function toRecordOf({ fields }: Shape<unknown>, record: CrmRecord): object {
  const { customFields } = record;
  return { ...toRecord(fields, record), ...(customFields && { customFields }) };
}

function toSearchResult({ noun, nouns }: Nouns, found: readonly Found[]): ToolResult {
  const results = found.map(({ provider, records, page, skipped, failure }) => ({
    provider,
    [nouns]: records,
    next: page?.hasNextPage ? page.cursorOf(page.items.at(-1), 'forward') : null,
    modifiedUntil: page?.modifiedUntil ?? null,
    fetchedAt: page?.fetchedAt ?? null,
    skipped,
    error: failure?.error,
  }));
  const lines = found.map(({ provider, records, page, skipped, failure }) => {
    if (skipped !== undefined) return `${provider} was skipped. ${skipped}`;
    if (failure) return `${provider} failed. ${failure.text}`;
    const count = records.length === 1 ? `1 ${noun}` : `${records.length} ${nouns}`;
    return `${provider}: ${count} in structuredContent${page?.hasNextPage ? '; there are more' : ''}.`;
  });
  return {
    structured: { results },
    text: lines.join('\n') || 'The customer has no CRM that can be searched.',
    isError: found.length > 0 && found.every(({ page }) => page === undefined),
  };
}

function withProperties(
  schema: JsonSchema,
  added: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  return { ...schema, properties: { ...(schema['properties'] as object), ...added } };
}

const RESULT_FIELDS = {
  provider: field(providerName, 'The CRM.'),
  next: nullable(
    string,
    'Pass it as `after`, with this provider, for more records. Null: there are no more.',
  ),
  modifiedUntil: nullable(
    moment,
    'End of the period of a search by modifiedSince, for the next one. Null for other filters.',
  ),
  fetchedAt: nullable(moment, 'Time of the request to the CRM.'),
};

const SELECTION = {
  rawData: false,
  customFieldNames: 'all',
  totalCount: false,
  needsPreviousPage: false,
} as const;

interface SearchTool<Item extends CrmRecord, Input extends object> {
  readonly kind: RecordKind<Item>;
  readonly filters: FilterKind<Item, Input>;
  search(context: RequestContext, search: RecordSearch<Input>): Promise<FoundPage<Item>>;
  /** By what it finds records. */
  readonly description: string;
}

type Nouns = Pick<RecordKind<CrmRecord>, 'noun' | 'nouns'>;

interface Found {
  readonly provider: ProviderName;
  /** Empty if the CRM failed, or was skipped. */
  readonly records: readonly object[];
  /** Why the CRM was skipped. */
  readonly skipped?: string;
  /** Absent if the CRM failed, or was skipped. */
  readonly page?: FoundPage<CrmRecord>;
  readonly failure?: ToolError;
}
