import { costs, type UncheckedArguments } from '@crossbook/executor';
import type { InputShapeFromFields } from '@pothos/core';
import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import { associatedObject, association, contact } from '../../domain/contact.ts';
import { contactFilter, countLookUps } from '../../domain/contact-filter.ts';
import {
  CONTACTS_PER_LOOK_UP,
  type ContactPage,
  type ContactTarget,
  EMAILS_PER_CALL,
  expectedContacts,
  type FieldSelection,
  PROVIDER_CALL,
  type SearchSelection,
  searchCost,
} from '../../domain/contact-search.ts';
import type { CustomFieldValues } from '../../domain/custom-field.ts';
import type { Direction, PageInput } from '../../domain/page.ts';
import { type ProviderName, providerName } from '../../domain/provider-names.ts';
import type { RequestContext } from '../../request/context.ts';
import {
  findAssociations,
  findContactsByEmail,
  searchContacts,
} from '../../usecases/search-contacts.ts';
import { builder, tagged } from '../define/builder.ts';
import { BYTES_PER_UNIT, countOf } from '../define/cost.ts';
import { isSelected, selectContactFields } from '../define/field-selection.ts';
import { defineObject, defineOneOf, enumOf, objectOf } from '../define/from-shape.ts';
import { toContactId } from '../define/global-id.ts';
import type { ContactRecord } from './contact-record.ts';
import { NODE_ID, NodeInterface } from './node.ts';
import { connectionOf, pageArguments, pageSizeOf, readPageInput } from './pagination.ts';

/** The usual size of a CRM's raw record, for cost analysis; its true length is charged when it is read. */
const RECORD_BYTES = 1_024;
/** The usual number of custom fields. */
const CUSTOM_FIELDS = 10;

const ContactType = defineObject<ContactRecord>(contact, {
  interfaces: [NodeInterface],
  directives: [
    { name: 'key', args: { fields: 'id' } },
    { name: 'key', args: { fields: 'customerId provider remoteId' } },
  ],
  fields: (t) => ({
    id: t.id({ ...NODE_ID, resolve: toContactId }),
    customerId: t.id({
      description: 'Your own id of the customer that the contact belongs to.',
      resolve: ({ source }) => source.customerId,
    }),
    provider: t.field({
      type: enumOf(providerName),
      description: 'CRM of the contact.',
      resolve: ({ source }) => source.provider,
    }),
    rawData: t.field({
      ...tagged('raw-data'),
      type: 'JSON',
      nullable: true,
      description:
        'The CRM’s own record, unchanged. It has the fields that a contact is made of, those of the selected custom fields, and those that the customer’s mappings name. It is fetched only if this field is selected.',
      args: {
        fields: t.arg.stringList({
          description:
            'Names of further fields in the CRM’s API, at most 100. Names that the CRM does not know are ignored.',
        }),
      },
      ...costs({ weight: RECORD_BYTES / BYTES_PER_UNIT }),
      resolve: ({ rawData }) => rawData,
    }),
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

export const ContactConnectionType = connectionOf<ContactRecord, ContactPage>(ContactType, {
  one: 'A contact',
  description: 'A page of the contacts found, sorted by their id in the CRM.',
  fields: (t) => ({
    totalCount: t.int({
      nullable: true,
      description:
        'Number of contacts found by the whole search, not only on this page. It is counted only if it is selected. Null if the CRM cannot count them, and, with an error at its path, if only the count fails.',
      resolve: readTotalCount,
    }),
    modifiedUntil: t.expose('modifiedUntil', {
      type: 'DateTime',
      nullable: true,
      description:
        'End of the period that a search by `modifiedSince` covers, the same on all of its pages; null with another filter. One minute before the first page was read, because changes become visible in the CRM’s search that late. Pass it as the next `modifiedSince`.',
    }),
    fetchedAt: t.expose('fetchedAt', {
      type: 'DateTime',
      description: 'Time of the request to the CRM: in the past if the result came from the cache.',
    }),
  }),
});

function readTotalCount({ totalCount, countFailure }: ContactPage): number | null {
  if (countFailure !== undefined) throw countFailure;
  return totalCount;
}

const ContactFilterInput = defineOneOf(contactFilter);

export const searchCosts = costs({
  weight: (args) => searchCost(lookUpsOf(args)),
  pageSize: (args) => pageSizeOf(args, expectedContacts(lookUpsOf(args))),
});

function lookUpsOf({ filter }: UncheckedArguments): number {
  return typeof filter === 'object' && filter !== null ? countLookUps(filter) : 0;
}

export const searchArguments = {
  ...builder.args((t) => ({
    filter: t.field({ type: ContactFilterInput, required: true, description: 'Search condition.' }),
    readFromCache: t.boolean({
      defaultValue: false,
      description: 'Whether a cached result may be returned. `fetchedAt` gives its age.',
    }),
  })),
  ...pageArguments('contacts'),
};

builder.queryField('searchContacts', (t) =>
  t.field({
    type: ContactConnectionType,
    nullable: true,
    description:
      'Searches a customer’s contacts in one CRM. Use aliases to search several customers and CRMs in one operation; look-ups by email are then batched into few calls. Null, with an error at its path, if the CRM fails; the rest of the response is not affected.',
    args: {
      ...searchArguments,
      customerId: t.arg.id({
        description:
          'Your own id of the customer. Default: the header `x-customer-id`, or the token’s customer.',
      }),
      provider: t.arg({
        type: enumOf(providerName),
        description: 'CRM to search. Default: the header `x-provider-name`.',
      }),
    },
    ...searchCosts,
    resolve: (_root, args, context, info) => search({ target: args, args, context, info }),
  }),
);

/** Runs the client's search with the use case. */
export function search({ target, args, context, info }: AskedSearch): Promise<ContactPage> {
  const { customerId, provider } = target;
  const { filter } = args;
  const page = readPageInput(args);
  const readFromCache = args.readFromCache ?? false;
  const selection = readSelection(info, page);
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
function markRead(page: ContactPage): ContactPage {
  const items = page.items.map((record): ContactRecord => ({ ...record, readWithCache: true }));
  return { ...page, items };
}

/** Reads only the selected fields. Memoized, because a selection gives the same result each time. */
function readSelection(
  info: GraphQLResolveInfo,
  { direction = 'forward' }: PageInput,
): SearchSelection {
  const fields = selectContactFields(info, ['nodes'], ['edges', 'node']);
  const known = remembered[direction].get(info.fieldNodes);
  // Names of custom fields may be in variables, which differ by request.
  if (known) return known.fields === fields ? known.selection : { ...known.selection, ...fields };
  const farSide = direction === 'backward' ? 'hasNextPage' : 'hasPreviousPage';
  const selection = {
    ...fields,
    totalCount: isSelected(info, 'totalCount'),
    needsPreviousPage: isSelected(info, 'pageInfo', farSide),
  };
  remembered[direction].set(info.fieldNodes, { fields, selection });
  return selection;
}

interface KnownSelection {
  readonly fields: FieldSelection;
  readonly selection: SearchSelection;
}

const remembered: Readonly<Record<Direction, WeakMap<readonly FieldNode[], KnownSelection>>> = {
  forward: new WeakMap(),
  backward: new WeakMap(),
};

interface AskedSearch {
  readonly target: ContactTarget;
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
          selectContactFields(info, []),
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
