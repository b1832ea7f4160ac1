import * as z from 'zod';
import { ASSOCIATED_OBJECTS, type Contact, contact } from '../../domain/contact.ts';
import { contactFilter, countLookUps } from '../../domain/contact-filter.ts';
import { wholeSearchCost } from '../../domain/contact-search.ts';
import { toCrossbookError } from '../../domain/errors.ts';
import { MAX_PAGE_SIZE } from '../../domain/page.ts';
import { PROVIDER_NAMES } from '../../domain/provider-names.ts';
import type { RequestContext } from '../../request/context.ts';
import {
  type AssociationAttempt,
  attemptAssociations,
  searchContacts,
} from '../../usecases/search-contacts.ts';
import { associationErrorSchema } from '../error-schema.ts';
import { defineOperation, toLoggedError } from '../operation.ts';
import {
  COMPONENTS,
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

const associationsSchema = z
  .strictObject({
    company: optional(z.array(z.string()), 'Ids of companies.'),
    deal: optional(z.array(z.string()), 'Ids of deals.'),
    ticket: optional(z.array(z.string()), 'Ids of tickets.'),
  })
  .meta({
    description:
      'Ids, at the provider, of the records that a contact is associated with: one list for each requested object, empty if there are none or the provider does not support it. An object in associations_errors has none.',
    examples: [{ company: ['123'], deal: [] }],
  })
  .register(COMPONENTS.response, { id: 'Associations' });

const contactSchema = object('response', 'Contact', contact.description, {
  ...toSchema(contact, 'response').shape,
  raw_data: optional(
    z.record(z.string(), z.unknown()),
    'The provider’s own record, unchanged. Present with include_raw_data=true.',
  ),
  custom_fields: optional(
    z.record(z.string(), z.unknown()),
    'Custom fields of the application by name: strings, numbers, booleans and lists of strings. A field is null if the CRM has no value, or one that does not fit its type. Present if the application has declared any.',
  ),
  associations: optional(associationsSchema, 'Present with associations_to_fetch.'),
});

export const contactSearchSchema = object('request', 'ContactSearch', 'Search condition.', {
  filter: toSchema(contactFilter, 'request').meta({
    description: contactFilter.description,
    minProperties: 1,
    maxProperties: 1,
  }),
});

const contactSearchQuery = z.strictObject({
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
  associations_to_fetch: optional(
    z.array(enumInput(ASSOCIATED_OBJECTS)),
    'Associated objects whose ids to fetch: repeated, or comma-separated. Ignored with read_from_cache=true.',
  ),
  read_from_cache: optional(
    z.boolean(),
    'Whether a cached result may be returned. x-fetched-at gives its time.',
  ),
});

const contactPageSchema = object('response', 'ContactPage', 'A page of contacts.', {
  pagination: object(
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
  ),
  records: z.array(contactSchema).describe('Contacts of this page, sorted by id.'),
  associations_errors: optional(
    z.array(associationErrorSchema),
    'The requested associations that could not be fetched: one error for each object, named by meta.association.',
  ),
});

export const searchContactsOperation = defineOperation({
  id: 'searchContacts',
  route: 'POST /contacts/_search',
  summary: 'Search contacts',
  description:
    'Searches contacts of one customer at one provider. A provider without contact search gives 501.',
  callers: ['apiKey', 'customerToken'],
  input: {
    query: contactSearchQuery,
    headers: z.object({
      'x-customer-id': text(
        'The application’s own id of the customer. Default: the token’s customer.',
        'demo',
      ).optional(),
      'x-provider-name': enumInput(PROVIDER_NAMES, 'The provider to search.', 'hubspot'),
    }),
    body: contactSearchSchema,
  },
  bodyExample: { filter: { email: 'ada@example.com' } },
  response: {
    description: 'A page of contacts.',
    schema: contactPageSchema,
    example: {
      pagination: { next: null, previous: null, total_count: 1 },
      records: [
        {
          id: '101',
          account_id: '2001',
          owner_id: '31',
          first_name: 'Ada',
          last_name: 'Lovelace',
          addresses: [
            {
              address_type: 'primary',
              street_1: '12 St James’s Square',
              street_2: null,
              city: 'London',
              postal_code: 'SW1Y 4JH',
              country: 'GB',
            },
          ],
          email_addresses: [{ email_address: 'ada@example.com', email_address_type: 'primary' }],
          phone_numbers: [{ phone_number: '+44 20 7946 0000', phone_number_type: 'mobile' }],
          lifecycle_stage: 'customer',
          last_activity_at: '2025-03-01T12:00:00.000Z',
          created_at: '2024-01-01T09:30:00.000Z',
          updated_at: '2025-03-01T12:00:00.000Z',
          last_modified_at: '2025-03-01T12:00:00.000Z',
          is_deleted: false,
        },
      ],
    },
    headers: {
      'x-fetched-at':
        'Time of the request to the provider: in the past if the result came from the cache.',
    },
  },
  errors: [404, 409, 422, 499, 501],

  async handle(context, { query, headers: named, body: { filter } }, { headers }) {
    const rawFields = query.raw_fields;
    const rawData = rawFields !== undefined || (query.include_raw_data ?? false);
    const given = fromWire(contactFilter, filter);
    const readFromCache = query.read_from_cache ?? false;
    await context.charge(wholeSearchCost(countLookUps(given), query.page_size));
    const page = await searchContacts(context, {
      provider: named['x-provider-name'],
      filter: given,
      page: { size: query.page_size, cursor: query.cursor },
      readFromCache,
      selection: {
        rawData,
        rawFields,
        customFieldNames: 'all',
        totalCount: 'first page',
        needsPreviousPage: true,
      },
    });
    if (page.countFailure !== undefined) throw page.countFailure;
    // Associations are not cached, and a search in the cache calls no provider.
    const objects = readFromCache ? undefined : query.associations_to_fetch;
    const attempts = objects && (await attemptAssociations(context, page.items, objects));
    const records = page.items.map((one, index) => {
      const record = toContactRecord(one, rawData);
      if (attempts) record['associations'] = toAssociations(attempts, index);
      return record;
    });
    headers['x-fetched-at'] = page.fetchedAt;
    const pagination = {
      ...toPageCursors(page),
      total_count: page.totalCount ?? undefined,
      modified_until: page.modifiedUntil ?? undefined,
    };
    return { pagination, records, associations_errors: toAssociationErrors(context, attempts) };
  },
});

/** Missing values are `undefined`, which JSON omits. */
function toContactRecord(record: Contact, rawData: boolean): Record<string, unknown> {
  const wire = toWire(contact, record);
  if (rawData) wire['raw_data'] = record.rawData ?? undefined;
  if (record.customFields) wire['custom_fields'] = record.customFields;
  return wire;
}

/** The associations of one contact: a list per object that was fetched, even if empty. */
function toAssociations(attempts: readonly AssociationAttempt[], index: number) {
  const fetched = attempts.flatMap(({ object, lists }) =>
    lists ? [[object, lists[index]?.map(({ remoteId }) => remoteId)]] : [],
  );
  return Object.fromEntries(fetched);
}

/** Undefined, which JSON omits, if none failed. The cause of an error is in its first occurrence only. */
function toAssociationErrors(
  context: RequestContext,
  attempts: readonly AssociationAttempt[] = [],
) {
  const failed = attempts.filter((attempt) => attempt.lists === undefined);
  if (failed.length === 0) return undefined;
  return failed.map(({ object, failure }, index) => {
    const { meta, ...error } = toLoggedError(toCrossbookError(failure), context);
    const isFirst = failed.findIndex((one) => one.failure === failure) === index;
    return {
      ...error,
      meta: { ...meta, cause: isFirst ? meta.cause : undefined, association: object },
    };
  });
}
