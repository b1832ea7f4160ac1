import * as z from 'zod';
import { CrossbookError } from '../../domain/errors.ts';
import { RECORDS } from '../../domain/records/catalogue.ts';
import { COMPANY } from '../../domain/records/company.ts';
import { companyFilters } from '../../domain/records/company-filter.ts';
import { DEAL } from '../../domain/records/deal.ts';
import { dealFilters } from '../../domain/records/deal-filter.ts';
import type { CrmRecord, RecordKind } from '../../domain/records/record.ts';
import { PROVIDER_CALL, VALUES_PER_CONTACT } from '../../domain/records/record-search.ts';
import { type RecordType, recordType } from '../../domain/records/record-type.ts';
import { wordsOf } from '../../domain/shape.ts';
import type { RequestContext } from '../../request/context.ts';
import { resolveCustomerId } from '../../usecases/authorization.ts';
import { followLinksOf } from '../../usecases/follow-links.ts';
import { searchCompanies } from '../../usecases/search-companies.ts';
import { searchDeals } from '../../usecases/search-deals.ts';
import { findRecord } from '../../usecases/search-records.ts';
import { type ToolError, toToolError } from '../results.ts';
import { errorSchema } from '../schemas.ts';
import { defineSearchTool, toRecordOf } from './search-tool.ts';
import {
  customerArgument,
  DEFAULT_PROVIDER,
  defineTool,
  providerArgument,
  READ_ONLY,
  resolveProvider,
  toOutputSchema,
  UNTRUSTED,
} from './tool.ts';

export const searchCompaniesTool = defineSearchTool({
  kind: COMPANY,
  filters: companyFilters,
  search: searchCompanies,
  description:
    'Finds companies of the customer by domain, name or time of modification, or lists all',
});

export const searchDealsTool = defineSearchTool({
  kind: DEAL,
  filters: dealFilters,
  search: searchDeals,
  description:
    'Finds deals of the customer by any of pipeline, stage, outcome, owner and close date, or by time of modification, or lists all',
});

const TYPES = wordsOf(recordType).map((type) => type.toLowerCase()) as [string, ...string[]];
/** Linked records of each type. */
const LINKED = 20;

export const getRecordTool = defineTool({
  name: 'get_record',
  title: 'Read a record',
  description: `Reads one contact, company or deal of the customer by its id in the CRM, with up to ${LINKED} of the records of other types that it is linked to. ${UNTRUSTED}`,
  annotations: READ_ONLY,
  input: z.strictObject({
    record: z.enum(TYPES).describe('Type of the record.'),
    provider: providerArgument(`The CRM that has the record. ${DEFAULT_PROVIDER}`),
    remoteId: z.string().min(1).describe('Id of the record in the CRM, as a search returns it.'),
    linked: z
      .array(z.enum(TYPES))
      .max(TYPES.length)
      .default([])
      .describe('Types of linked records to read. Default: none.'),
    ...customerArgument,
  }),
  output: toOutputSchema({
    // Described by the searches, because a model reads all schemas.
    record: { type: 'object', description: 'The record, as the search of its type returns it.' },
    linked: {
      type: 'object',
      description: 'Linked records, one list for each requested type.',
      additionalProperties: { type: 'array', items: { type: 'object' } },
    },
    linkedErrors: {
      type: 'object',
      description: 'Requested types that could not be read: one error for each.',
      additionalProperties: errorSchema,
    },
  }),
  async run(context, { record, remoteId, linked, ...args }, charge) {
    const types = [...new Set(linked)].filter((type) => type !== record).map(toType);
    await charge((PROVIDER_CALL + VALUES_PER_CONTACT) * (1 + 2 * types.length));
    const provider = await resolveProvider(context, args);
    const customerId = resolveCustomerId(context, args.customerId);
    const from = kindOf(toType(record));
    const found = await findRecord(context, from, { customerId, provider, remoteId }, SELECTION);
    if (!found) throw new CrossbookError('NOT_FOUND', `${provider} has no ${record} with this id.`);
    const attempts = await Promise.all(
      types.map(async (type) => [type, await attemptLinks(context, found, type)] as const),
    );
    const read = attempts.flatMap(([type, { records }]) =>
      records ? [[type.toLowerCase(), records]] : [],
    );
    const failed = attempts.flatMap(([type, { failure }]) =>
      failure ? [{ type: type.toLowerCase(), failure }] : [],
    );
    return {
      structured: {
        record: toRecordOf(RECORDS[from.type].shape, found),
        linked: Object.fromEntries(read),
        ...(failed.length > 0 && {
          linkedErrors: Object.fromEntries(
            failed.map(({ type, failure }) => [type, failure.error]),
          ),
        }),
      },
      text: [
        `The ${record} is in structuredContent.`,
        ...failed.map(({ type, failure }) => `Linked records of type ${type}: ${failure.text}`),
      ].join('\n'),
    };
  },
});

async function attemptLinks(
  context: RequestContext,
  record: CrmRecord,
  type: RecordType,
): Promise<LinkAttempt> {
  const kinds = { from: kindOf(record.source.type), to: kindOf(type) };
  try {
    const page = await followLinksOf(context, kinds, record, {
      first: LINKED,
      selection: SELECTION,
    });
    return { records: page.items.map((one) => toRecordOf(RECORDS[type].shape, one.record)) };
  } catch (thrown) {
    return { failure: toToolError(context, thrown) };
  }
}

function kindOf(type: RecordType): RecordKind<CrmRecord> {
  return RECORDS[type];
}

function toType(name: string): RecordType {
  return name.toUpperCase() as RecordType;
}

const SELECTION = { rawData: false, customFieldNames: 'all' } as const;

interface LinkAttempt {
  readonly records?: readonly object[];
  readonly failure?: ToolError;
}
