import * as z from 'zod';
import { ASSOCIATED_OBJECTS } from '../../domain/contact.ts';
import type { ContactFilterInput, ContactPage } from '../../domain/contact-search.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../domain/page.ts';
import { MAX_EMAILS } from '../../usecases/search-contacts.ts';
import { contactShape } from './contact.ts';
import { text } from './fields.ts';

export const contactSearchShape = z
  .strictObject({
    filter: z
      .strictObject({
        email: text('Contacts with this email address.', 'ada@example.com').optional(),
        emails: z
          .array(z.string())
          .max(MAX_EMAILS)
          .optional()
          .describe(`Contacts with any of these email addresses, at most ${MAX_EMAILS}.`),
        email_domain: text('Contacts with an email address of this domain.', 'example.com').optional(),
      })
      .meta({
        description: 'What to search for: exactly one of the three. Emails compare trimmed and without case.',
        minProperties: 1,
        maxProperties: 1,
      }),
  })
  .describe('What to search for.');

export const contactSearchQuery = z.strictObject({
  include_raw_data: z.boolean().optional().describe('Add each record as the provider sent it: raw_data.'),
  page_size: z
    .int()
    .min(0)
    .max(MAX_PAGE_SIZE)
    .optional()
    .describe(`Results on a page, at most ${MAX_PAGE_SIZE}; ${DEFAULT_PAGE_SIZE} where it is absent.`),
  cursor: z
    .string()
    .min(1)
    .optional()
    .describe('A page’s `next` or `previous`, unchanged, with the same customer, provider and filter.'),
  associations_to_fetch: z
    .array(z.enum(ASSOCIATED_OBJECTS))
    .optional()
    .describe(
      'Linked objects whose ids to fetch: repeated, or separated by commas. Ignored with read_from_cache=true.',
    ),
  read_from_cache: z
    .boolean()
    .optional()
    .describe(
      'Serve an earlier answer to the same search while it is fresh; x-fetched-at says how old it is.',
    ),
});

export const paginationShape = z
  .strictObject({
    next: z.string().nullable().describe('Cursor of the next page; null where there is none.'),
    previous: z.string().nullable().describe('Cursor of the previous page; null where there is none.'),
    total_count: z.int().min(0).describe('Results of the whole search, not of this page.'),
  })
  .describe('Where this page lies in the whole search.');

export const contactPageShape = z
  .strictObject({
    pagination: paginationShape,
    records: z.array(contactShape).describe('The contacts of this page, ordered by id.'),
  })
  .describe('One page of contacts.');

export function toContactFilterInput({ filter }: z.output<typeof contactSearchShape>): ContactFilterInput {
  return { email: filter.email, emails: filter.emails, emailDomain: filter.email_domain };
}

export function toPagination(page: ContactPage): z.output<typeof paginationShape> {
  const first = page.contacts[0];
  const last = page.contacts.at(-1);
  if (page.countFailure !== undefined) throw page.countFailure;
  if (page.totalCount === null) throw new Error('A search that wants its total count has come back without.');
  return {
    next: page.hasNextPage && last ? page.cursorOf(last, 'forward') : null,
    previous: page.hasPreviousPage && first ? page.cursorOf(first, 'backward') : null,
    total_count: page.totalCount,
  };
}
