import * as z from 'zod';
import type { AssociatedObject, Contact } from '../../domain/contact.ts';
import { expectedContacts, searchCost } from '../../domain/contact-search.ts';
import { DEFAULT_PAGE_SIZE } from '../../domain/page.ts';
import { PROVIDER_NAMES } from '../../domain/provider-names.ts';
import type { RequestContext } from '../../request/context.ts';
import { findAssociations } from '../../usecases/find-contact.ts';
import { searchContacts } from '../../usecases/search-contacts.ts';
import { defineOperation } from '../operation.ts';
import { jsonResponse } from '../responses.ts';
import {
  contactPageShape,
  contactSearchQuery,
  contactSearchShape,
  toAssociationsRecord,
  toContactFilterInput,
  toContactRecord,
  toPagination,
} from '../wire/contact.ts';
import { EXAMPLE_CONTACT_PAGE } from '../wire/examples.ts';
import { enumText, text } from '../wire/fields.ts';

export const searchContactsOperation = defineOperation({
  id: 'searchContacts',
  method: 'POST',
  path: '/contacts/_search',
  group: 'contacts',
  summary: 'Search contacts',
  description:
    'Finds contacts of one customer in one provider. A provider without contact search answers 501.',
  callers: ['apiKey', 'customerToken'],
  input: z.object({
    path: z.strictObject({}),
    query: contactSearchQuery,
    headers: z.object({
      'x-customer-id': text(
        'Whose contacts: the application’s own id of the customer. A token implies its own.',
        'demo',
      ).optional(),
      'x-provider-name': enumText(PROVIDER_NAMES, 'The provider to search.', 'hubspot'),
    }),
    body: contactSearchShape,
  }),
  bodyExample: { filter: { email: 'ada@example.com' } },
  answer: {
    description: 'One page of contacts.',
    shape: contactPageShape,
    example: EXAMPLE_CONTACT_PAGE,
    headers: { 'x-fetched-at': 'When the provider was asked.' },
  },
  refusals: [400, 401, 403, 404, 409, 413, 415, 422, 429, 499, 500, 501, 503],

  async handle(context, { query, body }) {
    const rawData = query.include_raw_data ?? false;
    const readFromCache = query.read_from_cache ?? false;
    const charged = context.charge(costOf(body.filter, query.page_size));
    if (charged) await charged;
    using page = await searchContacts(context, {
      filter: toContactFilterInput(body),
      page: { size: query.page_size, cursor: query.cursor },
      readFromCache,
      selection: { rawData, totalCount: true, needsPreviousPage: true },
    });
    // The cache does not keep associations, and a search that wants it asks the provider for nothing.
    const asked = readFromCache ? undefined : query.associations_to_fetch;
    const records = asked
      ? await Promise.all(
          page.contacts.map(async (contact) => {
            const associations = await readAssociations(context, contact, asked);
            return toContactRecord(contact, { rawData, associations });
          }),
        )
      : page.contacts.map((contact) => toContactRecord(contact, { rawData, associations: undefined }));
    const found = { pagination: toPagination(page), records };
    const { allowance } = context;
    return jsonResponse(found, { 'x-fetched-at': page.fetchedAt }, { allowance });
  },
});

async function readAssociations(
  context: RequestContext,
  contact: Contact,
  asked: readonly AssociatedObject[],
) {
  return toAssociationsRecord(asked, await findAssociations(context, contact, asked));
}

/** As GraphQL reckons the same search, and the values of as many contacts as there may be. */
function costOf({ email, emails }: ContactSearch['filter'], pageSize = DEFAULT_PAGE_SIZE): number {
  const asked = emails?.length ?? (email === undefined ? 0 : 1);
  const contacts = asked === 0 ? pageSize : Math.min(pageSize, expectedContacts(asked));
  return searchCost(asked) + contacts * VALUES_PER_CONTACT;
}

type ContactSearch = z.output<typeof contactSearchShape>;

const VALUES_PER_CONTACT = 25;
