import { associatedObject, association, type Contact, contact } from '../../domain/contact.ts';
import type { ContactPage } from '../../domain/contact-search.ts';
import { findAssociations } from '../../usecases/find-contact.ts';
import { builder, tagged } from '../builder.ts';
import { BYTES_PER_UNIT, costs, countOf } from '../cost.ts';
import { enumOf, exposeFields, objectOf } from '../from-shape.ts';
import { NodeInterface } from './node.ts';
import { PageInfoType, toPageFacts } from './page-info.ts';
import { ProviderNameEnum } from './provider.ts';

/** A record as CRMs usually have it. Its true length is consumed when it is there. */
const RECORD_BYTES = 1_024;

export const ContactType = builder.objectRef<ContactRecord>('Contact').implement({
  description: contact.description,
  interfaces: [NodeInterface],
  directives: [
    { name: 'key', args: { fields: 'id' } },
    { name: 'key', args: { fields: 'customerId provider remoteId' } },
  ],
  fields: (t) => ({
    customerId: t.id({
      description: 'Your own id of the customer whose contact it is.',
      resolve: ({ source }) => source.customerId,
    }),
    provider: t.field({
      type: ProviderNameEnum,
      description: 'The CRM that the contact lives in.',
      resolve: ({ source }) => source.provider,
    }),
    ...exposeFields(t, contact),
    rawData: t.expose('rawData', {
      ...tagged('raw-data'),
      type: 'JSON',
      nullable: true,
      description: 'The record as the CRM sent it. It is fetched only where this field is selected.',
      ...costs({ weight: RECORD_BYTES / BYTES_PER_UNIT }),
    }),
    associations: t.field({
      type: [objectOf(association)],
      nullable: true,
      description:
        'What the contact is linked to in its CRM, asked of the CRM only where this field is selected. Null where the contact was read with the cache: links are not kept there.',
      args: {
        to: t.arg({
          type: [enumOf(associatedObject)],
          required: true,
          description: 'The kinds of record to follow. One that the CRM does not offer adds nothing.',
        }),
      },
      // All of the list is looked at for each contact.
      ...costs({ weight: ({ to }) => countOf(to), items: 5 }),
      resolve: (record, { to }, context) =>
        record.readWithCache ? null : findAssociations(context, record, to),
    }),
  }),
});

/** A contact, and how it was come by. */
export interface ContactRecord extends Contact {
  readonly readWithCache?: true;
}

const ContactEdgeType = builder.objectRef<ContactEdge>('ContactEdge').implement({
  description: 'A contact, and where it stands in the list.',
  fields: (t) => ({
    node: t.expose('node', { type: ContactType, description: 'The contact.' }),
    cursor: t.string({
      description: 'The contact’s place in this list, for `after` and `before`.',
      resolve: ({ page, node }) => page.cursorOf(node),
    }),
  }),
});

export const ContactConnectionType = builder.objectRef<ContactPage>('ContactConnection').implement({
  description: 'One page of the contacts that a search has found, in the order of their ids in the CRM.',
  fields: (t) => ({
    edges: t.field({
      type: [ContactEdgeType],
      description: 'The contacts of the page, each with its cursor.',
      ...costs({ paged: true }),
      resolve: (page) => toRecords(page).map((node) => ({ page, node })),
    }),
    nodes: t.field({
      type: [ContactType],
      description: 'The contacts of the page, without their cursors.',
      ...costs({ paged: true }),
      resolve: toRecords,
    }),
    pageInfo: t.field({
      type: PageInfoType,
      description: 'Where the page lies in the list.',
      resolve: (page) => toPageFacts(page, page.contacts),
    }),
    totalCount: t.int({
      nullable: true,
      description:
        'How many contacts the whole search has found, not only this page. It is counted only where it is selected; null, with an error at its path, where only that fails.',
      resolve: readTotalCount,
    }),
    fetchedAt: t.expose('fetchedAt', {
      type: 'DateTime',
      description: 'When the CRM was asked: some time ago where the answer came from the cache.',
    }),
  }),
});

function toRecords({ contacts, readFromCache }: ContactPage): readonly ContactRecord[] {
  return readFromCache ? contacts.map((contact) => ({ ...contact, readWithCache: true })) : contacts;
}

function readTotalCount({ totalCount, countFailure }: ContactPage): number | null {
  if (countFailure !== undefined) throw countFailure;
  return totalCount;
}

interface ContactEdge {
  readonly page: ContactPage;
  readonly node: ContactRecord;
}

export const ContactFilterInput = builder.inputType('ContactFilter', {
  description: 'What to search for: exactly one of the fields.',
  isOneOf: true,
  fields: (t) => ({
    email: t.string({
      description:
        'An email address, compared without case with every address that the CRM finds contacts by: in HubSpot the primary and the further ones, in Salesforce the email. HubSpot’s work email is shown, and not searched.',
    }),
    emails: t.stringList({
      description: 'Up to 1,000 email addresses: contacts that have any of them.',
    }),
    emailDomain: t.string({
      description:
        'The part after the @, such as `example.com`: contacts with an address there, of those that `email` compares with.',
    }),
  }),
});
