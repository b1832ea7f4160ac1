import type { Contact } from '../../domain/contact.ts';
import type { ContactPage } from '../../domain/contact-search.ts';
import { builder } from '../builder.ts';
import { costs } from '../cost.ts';
import { type ContactRecord, ContactType } from './contact.ts';

/** Cursors are signed by the fields that show them: one that nobody selects costs nothing. */
const PageInfoType = builder.objectRef<ContactPage>('PageInfo').implement({
  description: 'Where a page lies in its list. Both flags are facts, whichever way the page was reached.',
  directives: { shareable: {} },
  fields: (t) => ({
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'Is there anything after this page?' }),
    hasPreviousPage: t.exposeBoolean('hasPreviousPage', {
      description: 'Is there anything before this page?',
    }),
    startCursor: t.string({
      nullable: true,
      description: 'The cursor of the page’s first item, for `before`. Null on an empty page.',
      resolve: (page) => toCursor(page, page.contacts[0]),
    }),
    endCursor: t.string({
      nullable: true,
      description: 'The cursor of the page’s last item, for `after`. Null on an empty page.',
      resolve: (page) => toCursor(page, page.contacts.at(-1)),
    }),
  }),
});

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
      resolve: (page) => page,
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

function toCursor(page: ContactPage, contact: Contact | undefined): string | null {
  return contact ? page.cursorOf(contact) : null;
}

interface ContactEdge {
  readonly page: ContactPage;
  readonly node: ContactRecord;
}
