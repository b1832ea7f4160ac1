import { CrossbookError } from '../domain/errors.ts';
import type { BoundSigner, ListPage, Page, Signer } from '../domain/page.ts';
import { PROVIDER_TITLES } from '../domain/provider-names.ts';
import type { LinksById, RecordLink } from '../domain/records/link.ts';
import type { CrmRecord, RecordKind, RecordOrigin } from '../domain/records/record.ts';
import type { FieldSelection } from '../domain/records/record-search.ts';
import type { RecordType } from '../domain/records/record-type.ts';
import { groupBy } from '../lib/group-by.ts';
import { type CrmClient, openCrmClient } from './open-crm-client.ts';
import { readPageRequest, readPageSize, signCursor, slicePage } from './page.ts';
import { requireAccess } from './record-access.ts';
import type { FindRecordDeps } from './search-records.ts';
import { selectCustomFields } from './select-custom-fields.ts';

/**
 * The records of another type that each record is linked to, ordered by id. Those that cannot be found are left out. All
 * records of a response are followed together: what does not depend on the record is done once.
 */
export async function followLinks<From extends CrmRecord, To extends CrmRecord>(
  deps: FollowDeps,
  { from, to }: LinkedKinds<From, To>,
  records: readonly From[],
  { first, after, selection }: LinkQuery,
): Promise<ReadonlyMap<From, LinkPage<To> | Error>> {
  const pages = new Map<From, LinkPage<To> | Error>();
  const follow = async (some: readonly From[]) => {
    const [one] = some;
    if (!one) return;
    const question = { source: one.source, from, to, first, after, selection };
    const ids = some.map(({ remoteId }) => remoteId);
    try {
      const found = await deps.followTogether(question, ids, (all) =>
        deps.withSpan('followLinks', () => followAll(deps, question, all)),
      );
      for (const record of some)
        pages.set(record, (found.get(record.remoteId) ?? noPage()) as LinkPage<To> | Error);
    } catch (error) {
      for (const record of some) pages.set(record, error as Error);
    }
  };
  await Promise.all(groupBy(records, ({ source }) => source).map(follow));
  return pages;
}

/** The same for one record. */
export async function followLinksOf<From extends CrmRecord, To extends CrmRecord>(
  deps: FollowDeps,
  kinds: LinkedKinds<From, To>,
  record: From,
  query: LinkQuery,
): Promise<LinkPage<To>> {
  const page = (await followLinks(deps, kinds, [record], query)).get(record) ?? noPage();
  if (page instanceof Error) throw page;
  return page;
}

function noPage(): Error {
  return new Error('A record whose links were followed has no page');
}

/** The pages of all these records. A cursor belongs to one record, and is an error of the others. */
async function followAll(
  deps: FollowDeps,
  { source, from, to, first, after, selection }: LinkQuestion,
  ids: readonly string[],
): Promise<LinkPages> {
  const size = readPageSize(first ?? DEFAULT_LINKS, MAX_LINKS);
  const client = await openCrmClient(deps, source, to);
  requireLinks(client, from, to);
  requireAccess(client, from, 'read');
  const selected = await selectCustomFields(deps, to, client, selection);
  const found = (await deps.loadLinks(client, from, { ids, to: to.type })).get(to.type);
  if (found instanceof Error) throw found;
  const { applicationId, customerId, provider } = source;
  const bindCursors = (id: string) =>
    deps.cursors.bind(() =>
      JSON.stringify(['links', from.type, to.type, applicationId, customerId, provider, id]),
    );
  const cutPage = (id: string, links: readonly RecordLink[]): Page<RecordLink> => {
    const isWhole = typeof after !== 'string' && links.length <= size;
    if (isWhole) return { items: links, hasNextPage: false, hasPreviousPage: false };
    const position = { size, cursor: after, direction: 'forward' } as const;
    const request = readPageRequest(bindCursors(id), position);
    return slicePage(links, request, client.access.compareIds);
  };
  const pages = new Map<string, LinkPage<CrmRecord> | Error>();
  const opened: OpenedPage[] = [];
  const linked = new Set<string>();
  for (const id of ids) {
    try {
      const links = sortLinks(client, found?.get(id) ?? NONE);
      const page = cutPage(id, links);
      opened.push({ id, page, totalCount: links.length });
      for (const { remoteId } of page.items) linked.add(remoteId);
    } catch (error) {
      if (!(error instanceof CrossbookError)) throw error;
      pages.set(id, error);
    }
  }
  const records =
    linked.size === 0 || isOnlyKeys(selection)
      ? undefined
      : await deps.loadRecords(client, to, [...linked], selected);
  for (const { id, page, totalCount } of opened) {
    const items: FoundLink<CrmRecord>[] = [];
    for (const { remoteId, isPrimary } of page.items) {
      const record = records ? records.get(remoteId) : toStub(client, remoteId);
      if (record) items.push({ remoteId, isPrimary, record });
    }
    const { hasNextPage, hasPreviousPage } = page;
    let cursors: BoundSigner | undefined;
    const cursorOf: LinkPage<CrmRecord>['cursorOf'] = (item) => {
      cursors ??= bindCursors(id);
      return signCursor(cursors, { key: item?.remoteId ?? '' });
    };
    pages.set(id, { items, hasNextPage, hasPreviousPage, totalCount, cursorOf });
  }
  return pages;
}

interface OpenedPage {
  readonly id: string;
  readonly page: Page<RecordLink>;
  readonly totalCount: number;
}

function sortLinks({ access }: CrmClient, links: readonly RecordLink[]): readonly RecordLink[] {
  if (links.length < 2) return links;
  return [...links].sort((a, b) => access.compareIds(a.remoteId, b.remoteId));
}

const NONE: readonly RecordLink[] = [];

function isOnlyKeys({ fields, rawData, customFieldNames }: FieldSelection): boolean {
  return !rawData && fields?.size === 0 && customFieldNames === undefined;
}

/** A record of which only keys are read. */
function toStub({ source }: CrmClient, remoteId: string): CrmRecord {
  return { source, remoteId, lastModifiedAt: null, isDeleted: false, rawData: null };
}

function requireLinks(
  { access, connection }: CrmClient,
  from: RecordKind<CrmRecord>,
  to: RecordKind<CrmRecord>,
): void {
  if (access.records[from.type]?.linkedTo.includes(to.type)) return;
  throw new CrossbookError(
    'NOT_IMPLEMENTED',
    `The ${to.nouns} of a ${from.noun} cannot be read in ${PROVIDER_TITLES[connection.providerName]}.`,
  );
}

export const DEFAULT_LINKS = 10;
export const MAX_LINKS = 100;

interface LinkedKinds<From extends CrmRecord, To extends CrmRecord> {
  readonly from: RecordKind<From>;
  readonly to: RecordKind<To>;
}

/** As passed by an API: unchecked. */
interface LinkQuery {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly selection: FieldSelection;
}

export interface FoundLink<To extends CrmRecord> extends RecordLink {
  readonly record: To;
}

export interface LinkPage<To extends CrmRecord> extends ListPage<FoundLink<To>> {
  /** Also of records that could not be found. */
  readonly totalCount: number;
}

/** What is the same for all records that are followed together. */
export interface LinkQuestion extends LinkQuery {
  readonly source: RecordOrigin;
  readonly from: RecordKind<CrmRecord>;
  readonly to: RecordKind<CrmRecord>;
}

/** By the id of the record that was followed. */
export type LinkPages = ReadonlyMap<string, LinkPage<CrmRecord> | Error>;

export interface FollowDeps extends FindRecordDeps {
  readonly cursors: Signer;
  /** Collects the records with the same question until the end of the tick. */
  followTogether(
    question: LinkQuestion,
    ids: readonly string[],
    follow: (ids: readonly string[]) => Promise<LinkPages>,
  ): Promise<LinkPages>;
  /** Batches the links of one request per connection: the result has those of all records. */
  loadLinks(
    client: CrmClient,
    from: RecordKind<CrmRecord>,
    lookup: { readonly ids: readonly string[]; readonly to: RecordType },
  ): Promise<ReadonlyMap<RecordType, LinksById | Error>>;
}
