import { costs, type UncheckedArguments } from '@crossbook/executor';
import type { InputShapeFromFields } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { CustomFieldValues } from '../../domain/custom-field.ts';
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
  expectedContacts,
  type FoundPage,
  PROVIDER_CALL,
  type RecordTarget,
  searchCost,
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
import { pageSizeOf, readPageInput } from './pagination.ts';
import {
  foundConnectionOf,
  RECORD_KEYS,
  readSearchSelection,
  recordFields,
  searchOptions,
  targetArguments,
} from './records.ts';

/** The usual number of custom fields. */
const CUSTOM_FIELDS = 10;

const ContactType = defineObject<ContactRecord>(contact, {
  interfaces: [NodeInterface],
  directives: RECORD_KEYS,
  fields: (t) => ({
    ...recordFields(t, CONTACT),
    customFields: t.field({
      type: 'JSON',
      description:
        'Custom fields of your application by name, as declared with `setCustomFieldDefinitions`: strings, numbers, booleans and lists of strings. A field is null if the CRM has no value, or one that does not fit its type. Empty if none are declared. Only the selected fields are requested from the CRM.',
      args: {
        names: t.arg.stringList({
          description:
            'Names of custom fields. Default: all. An unknown name is `UNPROCESSABLE_ENTITY`.',
        }),
      },
      ...costs({ weight: ({ names }) => (Array.isArray(names) ? names.length : CUSTOM_FIELDS) }),
      resolve: ({ customFields }, { names }) => pickFields(customFields ?? {}, names),
    }),
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

/** Another field with other names, or another search of the request, may have selected more. */
function pickFields(
  values: CustomFieldValues,
  names: readonly string[] | null | undefined,
): CustomFieldValues {
  if (!names) return values;
  return Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
}

export const ContactConnectionType = foundConnectionOf<ContactRecord>(ContactType, CONTACT);

const ContactFilterInput = defineOneOf(contactFilters.input);

export const searchCosts = costs({
  weight: (args) => searchCost(lookUpsOf(args)),
  pageSize: (args) => pageSizeOf(args, expectedContacts(lookUpsOf(args))),
});

function lookUpsOf({ filter }: UncheckedArguments): number {
  return typeof filter === 'object' && filter !== null ? contactFilters.countLookUps(filter) : 0;
}

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
export function search({ target, args, context, info }: AskedSearch): Promise<FoundPage<Contact>> {
  const { customerId, provider } = target;
  const { filter } = args;
  const page = readPageInput(args);
  const readFromCache = args.readFromCache ?? false;
  const selection = readSearchSelection(CONTACT, info, page);
  const query = { customerId, provider, filter, page, readFromCache, selection };
  const found = searchContacts(context, query);
  return readFromCache && selectsAssociations(info) ? found.then(markRead) : found;
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

interface AskedSearch {
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
