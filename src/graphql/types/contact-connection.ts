import type { ContactPage } from '../../domain/contact-search.ts';
import { builder } from '../builder.ts';
import { costs } from '../cost.ts';
import { type ContactRecord, ContactType } from './contact.ts';
import { PageInfoType, toPageFacts } from './page-info.ts';

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
