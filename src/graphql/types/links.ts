import { costs, resolvesAll } from '@crossbook/executor';
import type { GraphQLResolveInfo } from 'graphql';
import { COMPANY } from '../../domain/records/company.ts';
import { CONTACT } from '../../domain/records/contact.ts';
import { DEAL } from '../../domain/records/deal.ts';
import type { CrmRecord, RecordKind } from '../../domain/records/record.ts';
import { EMAILS_PER_CALL, PROVIDER_CALL } from '../../domain/records/record-search.ts';
import type { RequestContext } from '../../request/context.ts';
import {
  DEFAULT_LINKS,
  type FoundLink,
  followLinks,
  followLinksOf,
  type LinkPage,
  MAX_LINKS,
} from '../../usecases/follow-links.ts';
import { builder } from '../define/builder.ts';
import { selectFields } from '../define/field-selection.ts';
import { CompanyType } from './company.ts';
import { ContactType } from './contact.ts';
import { DealType } from './deal.ts';
import { type ObjectRefOf, PageInfoType, pageSizeOf } from './pagination.ts';

/** The edges between records, as fields of both types. */

const contacts = { type: ContactType, kind: CONTACT };
const companies = { type: CompanyType, kind: COMPANY };
const deals = { type: DealType, kind: DEAL };

addEdge(contacts, companies, 'Companies that the contact belongs to.');
addEdge(contacts, deals, 'Deals that the contact takes part in.');
addEdge(companies, contacts, 'Contacts that belong to the company.');
addEdge(companies, deals, 'Deals with the company.');
addEdge(deals, contacts, 'Contacts that take part in the deal.');
addEdge(deals, companies, 'Companies that the deal is with.');

function addEdge<From extends CrmRecord, To extends CrmRecord>(
  from: Linkable<From>,
  to: Linkable<To>,
  description: string,
): void {
  const { noun, nouns } = to.kind;
  const kinds = { from: from.kind, to: to.kind };
  const toQuery = ({ first, after }: PageOfLinks, info: GraphQLResolveInfo) => ({
    first,
    after,
    selection: selectFields(to.kind, info, ['nodes'], ['edges', 'node']),
  });
  const together = resolvesAll(
    (records: readonly From[], args: PageOfLinks, context: RequestContext, info) =>
      followLinks(context, kinds, records, toQuery(args, info)),
  );
  builder.objectField(from.type, nouns as never, (t) =>
    t.field({
      type: linkConnectionOf(from, to),
      nullable: true,
      description: `${description} They are fetched only if this field is selected, for all ${from.kind.nouns} of the response together. Null, with an error at its path, if the CRM refuses to let the connected user see its ${nouns}, or fails.`,
      args: {
        first: t.arg.int({
          description: `Number of ${nouns}, 0 to ${MAX_LINKS}. Default ${DEFAULT_LINKS}.`,
        }),
        after: t.arg.string({ description: `Cursor of the ${noun} after which the page starts.` }),
      },
      extensions: {
        ...together,
        ...costs({
          weight: 1 + (2 * PROVIDER_CALL) / EMAILS_PER_CALL,
          pageSize: (args) => pageSizeOf(args, DEFAULT_LINKS),
        }).extensions,
      },
      resolve: (record, args, context, info) =>
        followLinksOf(context, kinds, record as From, toQuery(args, info)),
    }),
  );
}

function linkConnectionOf<From extends CrmRecord, To extends CrmRecord>(
  from: Linkable<From>,
  to: Linkable<To>,
) {
  const { noun, nouns } = to.kind;
  const name = `${from.type.name}${to.type.name}`;
  const edge = builder.objectRef<LinkEdge<To>>(`${name}Edge`).implement({
    description: `A ${noun} that a ${from.kind.noun} is linked to, and its cursor.`,
    fields: (t) => ({
      node: t.field({
        type: to.type,
        description: `The ${noun}.`,
        resolve: ({ link }) => link.record as never,
      }),
      isPrimary: t.boolean({
        description: `Whether the CRM says that it is the primary one of this kind.`,
        resolve: ({ link }) => link.isPrimary,
      }),
      cursor: t.string({
        description: `Cursor of the ${noun}, for \`after\`.`,
        resolve: ({ page, link }) => page.cursorOf(link),
      }),
    }),
  });
  return builder.objectRef<LinkPage<To>>(`${name}Connection`).implement({
    description: `A page of the ${nouns} that a ${from.kind.noun} is linked to, sorted by their id in the CRM.`,
    fields: (t) => ({
      edges: t.field({
        type: [edge],
        description: `Links of the page with their cursors.`,
        ...costs({ paged: true }),
        resolve: (page): readonly LinkEdge<To>[] => page.items.map((link) => ({ page, link })),
      }),
      nodes: t.field({
        type: [to.type],
        description: `The ${nouns} of the page without their cursors.`,
        ...costs({ paged: true }),
        resolve: ({ items }) => items.map(({ record }) => record) as never,
      }),
      pageInfo: t.field({
        type: PageInfoType,
        description: 'Position of the page in the list.',
        resolve: (page) => page as LinkPage<CrmRecord>,
      }),
      totalCount: t.int({
        description: `Number of ${nouns} that the ${from.kind.noun} is linked to, not only on this page.`,
        resolve: ({ totalCount }) => totalCount,
      }),
    }),
  });
}

interface PageOfLinks {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

interface Linkable<Item extends CrmRecord> {
  readonly type: ObjectRefOf<Item>;
  readonly kind: RecordKind<Item>;
}

interface LinkEdge<To extends CrmRecord> {
  readonly page: LinkPage<To>;
  readonly link: FoundLink<To>;
}
