import * as z from 'zod';
import { toCrossbookError } from '../../domain/errors.ts';
import { ASSOCIATED_OBJECTS, CONTACT, contact } from '../../domain/records/contact.ts';
import { contactFilters } from '../../domain/records/contact-filter.ts';
import type { RequestContext } from '../../request/context.ts';
import {
  type AssociationAttempt,
  attemptAssociations,
  searchContacts,
} from '../../usecases/search-contacts.ts';
import { associationErrorSchema } from '../error-schema.ts';
import { defineOperation, toLoggedError } from '../operation.ts';
import { COMPONENTS, enumInput, object, optional, toSchema } from '../schemas.ts';
import { readRecordOperation } from './records.ts';
import {
  customFieldsField,
  FETCHED_AT,
  paginationSchema,
  rawDataField,
  runSearch,
  searchBody,
  searchQuery,
  targetHeaders,
  toPagination,
  toRecord,
} from './searches.ts';

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
  raw_data: rawDataField,
  custom_fields: customFieldsField,
  associations: optional(associationsSchema, 'Present with associations_to_fetch.'),
});

export const contactSearchSchema = searchBody('ContactSearch', contactFilters.input);

const contactSearchQuery = z.strictObject({
  ...searchQuery,
  associations_to_fetch: optional(
    z.array(enumInput(ASSOCIATED_OBJECTS)),
    'Associated objects whose ids to fetch: repeated, or comma-separated. Ignored with read_from_cache=true.',
  ),
});

const contactPageSchema = object('response', 'ContactPage', 'A page of contacts.', {
  pagination: paginationSchema,
  records: z.array(contactSchema).describe('Contacts of this page, sorted by id.'),
  associations_errors: optional(
    z.array(associationErrorSchema),
    'The requested associations that could not be fetched: one error for each object, named by meta.association.',
  ),
});

const EXAMPLE = {
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
};

export const getContactOperation = readRecordOperation({
  kind: CONTACT,
  schema: contactSchema,
  example: EXAMPLE,
  id: 'getContact',
  path: 'contacts',
});

const CONTACT_SEARCH = { filters: contactFilters, search: searchContacts };

export const searchContactsOperation = defineOperation({
  id: 'searchContacts',
  route: 'POST /contacts/_search',
  summary: 'Search contacts',
  description:
    'Searches contacts of one customer at one provider. A provider without contact search gives 501.',
  callers: ['apiKey', 'customerToken'],
  input: {
    query: contactSearchQuery,
    headers: targetHeaders,
    body: contactSearchSchema,
  },
  bodyExample: { filter: { email: 'ada@example.com' } },
  response: {
    description: 'A page of contacts.',
    schema: contactPageSchema,
    example: {
      pagination: { next: null, previous: null, total_count: 1 },
      records: [EXAMPLE],
    },
    headers: FETCHED_AT,
  },
  errors: [404, 409, 422, 499, 501],

  async handle(context, { query, headers: named, body: { filter } }, { headers }) {
    const provider = named['x-provider-name'];
    const request = { context, query, provider, filter, headers };
    const { page, rawData, readFromCache } = await runSearch(request, CONTACT_SEARCH);
    // Associations are not cached, and a search in the cache calls no provider.
    const objects = readFromCache ? undefined : query.associations_to_fetch;
    const attempts = objects && (await attemptAssociations(context, page.items, objects));
    const records = page.items.map((one, index) => {
      const record = toRecord(contact, one, rawData);
      if (attempts) record['associations'] = toAssociations(attempts, index);
      return record;
    });
    const pagination = toPagination(page);
    return { pagination, records, associations_errors: toAssociationErrors(context, attempts) };
  },
});

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
