import type { InputShapeFromFields } from '@pothos/core';
import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import {
  type ContactPage,
  type ContactTarget,
  expectedContacts,
  type SearchSelection,
  searchCost,
} from '../../domain/contact-search.ts';
import type { Direction, PageInput } from '../../domain/page.ts';
import type { RequestContext } from '../../request/context.ts';
import { searchContacts } from '../../usecases/search-contacts.ts';
import { builder } from '../builder.ts';
import { costs, type UncheckedArguments } from '../cost.ts';
import { isSelected, selectContactFields } from '../field-selection.ts';
import { ContactConnectionType, ContactFilterInput } from './contact.ts';
import { readPageInput } from './page-info.ts';
import { ProviderNameEnum } from './provider.ts';

export const searchCosts = costs({
  weight: (args) => searchCost(emailsOf(args)),
  pageSize(args) {
    const given = args['first'] ?? args['last'];
    if (typeof given === 'number') return given;
    return expectedContacts(emailsOf(args));
  },
});

export const searchArguments = builder.args((t) => ({
  filter: t.field({ type: ContactFilterInput, required: true, description: 'What to search for.' }),
  first: t.int({
    description: 'How many contacts from the start, or from `after`: 0 to 1,000. Default 100.',
  }),
  after: t.string({ description: 'A cursor: the page starts behind it.' }),
  last: t.int({ description: 'How many contacts up to the end, or up to `before`: 0 to 1,000.' }),
  before: t.string({ description: 'A cursor: the page ends in front of it.' }),
  readFromCache: t.boolean({
    defaultValue: false,
    description: 'May an answer of an earlier search be served? `fetchedAt` says how old it is.',
  }),
}));

builder.queryField('searchContacts', (t) =>
  t.field({
    type: ContactConnectionType,
    nullable: true,
    description:
      'Finds a customer’s contacts in one CRM. Ask several customers and CRMs in one operation by aliases; look-ups by email are then merged into few calls. Null, with an error at its path, where the CRM fails: the rest of the answer stands.',
    args: {
      ...searchArguments,
      customerId: t.arg.id({
        description:
          'The customer, by your own id. Default: the header x-customer-id, or the token’s customer.',
      }),
      provider: t.arg({
        type: ProviderNameEnum,
        description: 'The CRM to search. Default: the header x-provider-name.',
      }),
    },
    ...searchCosts,
    resolve: (_root, args, context, info) => search({ target: args, args, context, info }),
  }),
);

/** A search as the client wrote it, for the use case. */
export function search({ target, args, context, info }: AskedSearch): Promise<ContactPage> {
  const page = readPageInput(args);
  const readFromCache = args.readFromCache ?? false;
  const selection = readSelection(info, page);
  const { customerId, provider } = target;
  const { filter } = args;
  return searchContacts(context, { customerId, provider, filter, page, readFromCache, selection });
}

/** The selection is the request: what is not selected is not fetched. A selection wants the same each time. */
function readSelection(info: GraphQLResolveInfo, { direction = 'forward' }: PageInput): SearchSelection {
  const known = remembered[direction].get(info.fieldNodes);
  if (known) return known;
  const farSide = direction === 'backward' ? 'hasNextPage' : 'hasPreviousPage';
  const selection = {
    ...selectContactFields(info, ['nodes'], ['edges', 'node']),
    totalCount: isSelected(info, 'totalCount'),
    needsPreviousPage: isSelected(info, 'pageInfo', farSide),
  };
  remembered[direction].set(info.fieldNodes, selection);
  return selection;
}

const remembered: Readonly<Record<Direction, WeakMap<readonly FieldNode[], SearchSelection>>> = {
  forward: new WeakMap(),
  backward: new WeakMap(),
};

function emailsOf({ filter }: UncheckedArguments): number {
  if (typeof filter !== 'object' || filter === null) return 0;
  const { email, emails } = filter as UncheckedArguments;
  if (Array.isArray(emails)) return emails.length;
  return typeof email === 'string' || typeof emails === 'string' ? 1 : 0;
}

type SearchArguments = InputShapeFromFields<typeof searchArguments>;

interface AskedSearch {
  readonly target: ContactTarget;
  readonly args: SearchArguments;
  readonly context: RequestContext;
  readonly info: GraphQLResolveInfo;
}
