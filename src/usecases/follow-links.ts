import { CrossbookError } from '../domain/errors.ts';
import type { BoundSigner, ListPage, Page, Signer } from '../domain/page.ts';
import { PROVIDER_TITLES } from '../domain/provider-names.ts';
import type { LinksById, RecordLink } from '../domain/records/link.ts';
import type { CrmRecord, RecordKind, RecordOrigin } from '../domain/records/record.ts';
import type { FieldSelection } from '../domain/records/record-search.ts';
import type { RecordType } from '../domain/records/record-type.ts';
import { type CrmClient, openCrmClient } from './open-crm-client.ts';
import { readPageRequest, readPageSize, signCursor, slicePage } from './page.ts';
import { requireAccess } from './record-access.ts';
import type { FindRecordDeps } from './search-records.ts';
import { selectCustomFields } from './select-custom-fields.ts';

/**
 * The records of another type that a record is linked to, ordered by id. Those that cannot be found are left out. All
 * records of a response are followed together: what does not depend on the record is done once.
 */
export async function followLinks<From extends CrmRecord, To extends CrmRecord>(
  deps: FollowDeps,
  { from, to }: LinkedKinds<From, To>,
  { source, remoteId }: Pick<From, 'source' | 'remoteId'>,
  { first, after, selection }: LinkQuery,
): Promise<LinkPage<To>> {
  const question = { source, from, to, first, after, selection };
  const pages = await deps.followTogether(question, remoteId, (ids) =>
    deps.withSpan('followLinks', () => followAll(deps, question, ids)),
  );
  const page = pages.get(remoteId);
  if (page && !(page instanceof Error)) return page as LinkPage<To>;
  throw page ?? new Error('A record whose links were followed has no page');
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
  const pages = new Map<string, LinkPage<CrmRecord> | Error>();
  const opened: OpenedPage[] = [];
  for (const id of ids) {
    const { applicationId, customerId, provider } = source;
    const cursors = deps.cursors.bind(() =>
      JSON.stringify(['links', from.type, to.type, applicationId, customerId, provider, id]),
    );
    try {
      const request = readPageRequest(cursors, { size, cursor: after, direction: 'forward' });
      const links = sortLinks(client, found?.get(id) ?? NONE);
      const page = slicePage(links, request, client.access.compareIds);
      opened.push({ id, cursors, page, totalCount: links.length });
    } catch (error) {
      if (!(error instanceof CrossbookError)) throw error;
      pages.set(id, error);
    }
  }
  const linked = new Set<string>();
  for (const { page } of opened) for (const { remoteId } of page.items) linked.add(remoteId);
  const records =
    linked.size === 0 || isOnlyKeys(selection)
      ? undefined
      : await deps.loadRecords(client, to, [...linked], selected);
  for (const { id, cursors, page, totalCount } of opened) {
    const items: FoundLink<CrmRecord>[] = [];
    for (const link of page.items) {
      const record = records ? records.get(link.remoteId) : toStub(client, link.remoteId);
      if (record) items.push({ ...link, record });
    }
    pages.set(id, {
      ...page,
      items,
      totalCount,
      cursorOf: (item) => signCursor(cursors, { key: item?.remoteId ?? '' }),
    });
  }
  return pages;
}

interface OpenedPage {
  readonly id: string;
  readonly cursors: BoundSigner;
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
    id: string,
    follow: (ids: readonly string[]) => Promise<LinkPages>,
  ): Promise<LinkPages>;
  /** Batches the links of one request per connection: the result has those of all records. */
  loadLinks(
    client: CrmClient,
    from: RecordKind<CrmRecord>,
    lookup: { readonly ids: readonly string[]; readonly to: RecordType },
  ): Promise<ReadonlyMap<RecordType, LinksById | Error>>;
}
