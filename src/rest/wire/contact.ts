import * as z from 'zod';
import {
  ASSOCIATED_OBJECTS,
  type Association,
  address,
  type Contact,
  contact,
  emailAddress,
  phoneNumber,
} from '../../domain/contact.ts';
import { type ContactPage, MAX_EMAILS, type UncheckedContactFilter } from '../../domain/contact-search.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../domain/page.ts';

import { toSchema, toWire } from '../from-shape.ts';
import { text } from './fields.ts';

export const addressShape = toSchema(address, 'answered');
export const emailAddressShape = toSchema(emailAddress, 'answered');
export const phoneNumberShape = toSchema(phoneNumber, 'answered');

export const associationsShape = z
  .strictObject({
    company: z.array(z.string()).optional().describe('Ids of the companies.'),
    deal: z.array(z.string()).optional().describe('Ids of the deals.'),
    ticket: z.array(z.string()).optional().describe('Ids of the tickets.'),
  })
  .meta({
    description:
      'The provider’s ids of the records that a contact is linked to: one list for each object that was asked for, empty where there is no link or where the provider offers none.',
    examples: [{ company: ['123'], deal: [] }],
  });

export const contactShape = z
  .strictObject({
    ...toSchema(contact, 'answered').shape,
    raw_data: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('The record as the provider sent it. Present with include_raw_data=true.'),
    associations: associationsShape.optional().describe('Present with associations_to_fetch.'),
  })
  .describe(contact.description);

/** What the provider has no value for is `undefined`, which JSON leaves out. */
export function toContactRecord(record: Contact, { rawData, associations }: Extras): Record<string, unknown> {
  const wire = toWire(contact, record);
  if (rawData) wire['raw_data'] = record.rawData ?? undefined;
  if (associations) wire['associations'] = associations;
  return wire;
}

/** One list for each object that was asked for, whether anything was found or not. */
export function toAssociationsRecord(
  asked: readonly Association['object'][],
  found: readonly Association[],
): z.output<typeof associationsShape> {
  const idsOf = (object: Association['object']) =>
    found.filter((one) => one.object === object).map(({ remoteId }) => remoteId);
  return Object.fromEntries(asked.map((object) => [object, idsOf(object)]));
}

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

export function toContactFilterInput({
  filter,
}: z.output<typeof contactSearchShape>): UncheckedContactFilter {
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

interface Extras {
  readonly rawData: boolean;
  readonly associations: z.output<typeof associationsShape> | undefined;
}
