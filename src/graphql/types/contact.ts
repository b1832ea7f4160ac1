import { costs } from '@crossbook/executor';
import type { InputShapeFromFields } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { type ProviderName, providerName } from '../../domain/provider-names.ts';
import {
  associatedObject,
  association,
  CONTACT,
  type Contact,
  contact,
} from '../../domain/records/contact.ts';
import { contactFilters } from '../../domain/records/contact-filter.ts';
import {
  CONTACTS_PER_LOOK_UP,
  EMAILS_PER_CALL,
  type FoundPage,
  PROVIDER_CALL,
  type RecordTarget,
} from '../../domain/records/record-search.ts';
import type { RequestContext } from '../../request/context.ts';
import {
  findAssociations,
  findContactsByEmail,
  searchContacts,
} from '../../usecases/search-contacts.ts';
import { builder } from '../define/builder.ts';
import { countOf } from '../define/cost.ts';
import { isSelected, selectFields } from '../define/field-selection.ts';
import { defineObject, defineOneOf, enumOf, objectOf } from '../define/from-shape.ts';
import type { ContactRecord } from './contact-record.ts';
import { NodeInterface } from './node.ts';
import { pageSizeOf } from './pagination.ts';
import {
  foundConnectionOf,
  RECORD_KEYS,
  readSearch,
  recordFields,
  searchCostsOf,
  searchOptions,
  targetArguments,
} from './records.ts';

export const ContactType = defineObject<ContactRecord>(contact, {
  interfaces: [NodeInterface],
  directives: RECORD_KEYS,
  fields: (t) => ({
    ...recordFields(t, CONTACT),
    associations: t.field({
      type: [objectOf(association)],
      nullable: true,
      description:
        'CRM records that the contact is associated with. They are fetched only if this field is selected, and null with `readFromCache`, because the cache does not store them.',
      args: {
        to: t.arg({
          type: [enumOf(associatedObject)],
          required: true,
          description:
            'Types of records to return. A type that the CRM does not support returns none.',
        }),
      },
      // Each contact is compared with the whole list.
      ...costs({ weight: ({ to }) => countOf(to), items: 5 }),
      resolve: (record, { to }, context) =>
        record.readWithCache ? null : findAssociations(context, record, to),
    }),
  }),
});

export const ContactConnectionType = foundConnectionOf<ContactRecord>(ContactType, CONTACT);

const ContactFilterInput = defineOneOf(contactFilters.input);

export const searchCosts = searchCostsOf(contactFilters);

export const searchArguments = {
  ...builder.args((t) => ({
    filter: t.field({ type: ContactFilterInput, required: true, description: 'Search condition.' }),
  })),
  ...searchOptions(CONTACT.nouns),
};

builder.queryField('searchContacts', (t) =>
  t.field({
    type: ContactConnectionType,
    nullable: true,
    description:
      'Searches a customer’s contacts in one CRM. Use aliases to search several customers and CRMs in one operation; look-ups by email are then batched into few calls. Null, with an error at its path, if the CRM fails; the rest of the response is not affected.',
    args: {
      ...searchArguments,
      ...targetArguments,
    },
    ...searchCosts,
    resolve: (_root, args, context, info) => search({ target: args, args, context, info }),
  }),
);

/** Runs the client's search with the use case. */
export function search({ context, ...field }: RequestedSearch): Promise<FoundPage<Contact>> {
  const query = readSearch(CONTACT, field);
  const found = searchContacts(context, query);
  return query.readFromCache && selectsAssociations(field.info) ? found.then(markRead) : found;
}

function selectsAssociations(info: GraphQLResolveInfo): boolean {
  return (
    isSelected(info, 'nodes', 'associations') || isSelected(info, 'edges', 'node', 'associations')
  );
}

/** Marks copies, because other searches may share the contacts and the page. */
function markRead(page: FoundPage<Contact>): FoundPage<Contact> {
  const items = page.items.map((record): ContactRecord => ({ ...record, readWithCache: true }));
  return { ...page, items };
}

interface RequestedSearch {
  readonly target: RecordTarget;
  readonly args: InputShapeFromFields<typeof searchArguments>;
  readonly context: RequestContext;
  readonly info: GraphQLResolveInfo;
}

/** For gateways only; clients use search. An email may match several contacts, so it is no key of one. */
builder.objectRef<EmailReference>('ContactsByEmail').implement({
  description:
    'Contacts that have one email address in one of a customer’s CRMs. Other subgraphs refer to it if they know a person by email address.',
  directives: [{ name: 'key', args: { fields: 'customerId provider email' } }],
  fields: (t) => ({
    customerId: t.exposeID('customerId', { description: 'Your own id of the customer.' }),
    provider: t.expose('provider', {
      type: enumOf(providerName),
      description: 'CRM to search.',
    }),
    email: t.exposeString('email', {
      description:
        'Email address, as given in the reference. It is compared like `ContactFilter.email`.',
    }),
    contacts: t.field({
      type: [ContactType],
      nullable: true,
      description:
        'Contacts with the address, sorted by their id in the CRM. Empty if there are none. Up to 100 references to one CRM are read in one call.',
      args: {
        first: t.arg.int({ description: 'Maximum number of contacts, 0 to 1,000. Default 100.' }),
      },
      ...costs({
        weight: 1 + PROVIDER_CALL / EMAILS_PER_CALL,
        items: (args) => pageSizeOf(args, CONTACTS_PER_LOOK_UP),
      }),
      resolve: ({ customerId, provider, email }, { first }, context, info) =>
        findContactsByEmail(
          context,
          { customerId, provider, email, first },
          selectFields(CONTACT, info, []),
        ),
    }),
  }),
});

/** The fields of a reference by email. */
export interface EmailReference {
  readonly isByEmail: true;
  readonly customerId: string;
  readonly provider: ProviderName;
  readonly email: string;
}
