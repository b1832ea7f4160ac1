import type { Connection, ConnectionFacts } from './connection.ts';
import type { Authorization } from './oauth.ts';
import type { PageSizes } from './page-sizes.ts';
import type { Category, ProviderName } from './provider-names.ts';
import type { Company } from './records/company.ts';
import type { ListFilter } from './records/conditions.ts';
import type { AssociatedObject, Association, Contact } from './records/contact.ts';
import type { Deal } from './records/deal.ts';
import type { LinkRequest, LinksById } from './records/link.ts';
import type { Owner } from './records/owner.ts';
import type { Pipeline } from './records/pipeline.ts';
import type { CrmRecord, RecordKind } from './records/record.ts';
import type { FieldSelection } from './records/record-search.ts';
import type { RecordType } from './records/record-type.ts';
import type { ProviderResponse, Send } from './remote.ts';
import type { SyncedRecord, SyncSource } from './sync.ts';
import type { TokenRefresh } from './token-refresh.ts';
import type { DescribedField, LinkWriter, RecordWriter } from './writing.ts';

/** A provider; the registry has one per tool. */
export interface Provider {
  readonly name: ProviderName;
  readonly category: Category;
  /** Hosts (lower case, without port) that an instance URL may point to. Empty: the provider has no instance URL. */
  readonly instanceHosts: readonly RegExp[];
  /** Hosts that a stored connection or a token response may still name, but that are refused as new input. */
  readonly retiredHosts?: readonly RegExp[];
  /** What to enter as the instance URL, for errors: it follows "enter". */
  readonly instanceUrlHint?: string;
  /** Absent if its accounts cannot be read: NOT_IMPLEMENTED. */
  readonly crm?: CrmAccess;
  /** Absent if connect links are not supported. */
  readonly authorization?: Authorization;
}

/** The hosts that may receive a connection's token. */
export function listCallableHosts({
  instanceHosts,
  retiredHosts = [],
}: Pick<Provider, 'instanceHosts' | 'retiredHosts'>): readonly RegExp[] {
  return [...instanceHosts, ...retiredHosts];
}

export type Providers = ReadonlyMap<ProviderName, Provider>;

/** Access to the accounts of a provider: declares everything that differs between CRMs. */
export interface CrmAccess {
  /** The only origin that receives this connection's token. Undefined: the connection lacks the data for it. */
  origin(instanceUrl: string | null): string | undefined;
  /** The API version used, where its end of support is known. */
  readonly apiVersion?: ApiVersion;
  /** The provider's rate limits by the name that requests give in `budget`. */
  readonly budgets: Readonly<Record<string, RateLimit>>;
  /** Reads the state of the rate limit from a response. */
  readRateLimitStatus(answer: ProviderResponse, budget: string): RateLimitStatus | undefined;
  /** How long the provider wants no further call of the same budget, by an error response. */
  readPause(answer: ProviderResponse): number | undefined;
  /** Whether a refresh may help: the token has expired, or the instance has moved to a URL that comes with a token. */
  needsRefresh(answer: ProviderResponse): boolean;
  /** Whether the response permanently rejects a token that cannot be refreshed. Only new credentials help. */
  isTokenInvalid(answer: ProviderResponse): boolean;
  /** The public prefix of a token. */
  readonly publicPrefix?: RegExp;
  /** The refresh of an expired access token. */
  readonly refresh: TokenRefresh;
  /** The rate limit of look-ups by email. */
  readonly lookupBudget: string;
  /** The maximum of emails per look-up call. */
  readonly lookupBatch: number;
  /** What can be done with records of each type. Absent: NOT_IMPLEMENTED. */
  readonly records: RecordAccess;
  /** Whether a custom field may be read from a field of a related record, such as `Account.Industry`. */
  readonly readsRelatedFields?: true;
  /**
   * Whether every account has this field of the records, so that one that is not listed is hidden from the connected
   * user.
   */
  isBuiltInField?(record: RecordType, name: string): boolean;
  /** How long after a change its search finds it: changes are read up to this time before now. */
  readonly searchLagMs: number;
  /** The provider's order of record ids, as in `readList`. */
  compareIds(a: string, b: string): number;
  open(account: CustomerAccount): CrmAdapter;
}

/** The account of one customer in one CRM, as an adapter gets it. */
export interface CustomerAccount {
  readonly send: Send;
  readonly connection: Connection;
  openFacts(): ConnectionFacts;
  /** What all requests to the connection have learnt. */
  readonly pageSizes: PageSizes;
  /** What rarely changes, such as pipelines: read once an hour in each process, and again if it is older than `maxAgeMs`. */
  remember<Read extends object>(
    name: string,
    read: () => Promise<Read>,
    maxAgeMs?: number,
  ): Promise<Read>;
}

/** Every CRM has contacts. */
export interface RecordAccess extends Readonly<Partial<Record<RecordType, RecordCapabilities>>> {
  readonly CONTACT: RecordCapabilities;
}

interface FilterCapability {
  readonly isExact: boolean;
  /** The most values of a condition that is a list, where the CRM needs a call for each. */
  readonly most?: number;
}

/** For filters of `RecordCapabilities`. */
export const EXACT = { isExact: true } as const;
export const LOOSE = { isExact: false } as const;

export interface RecordCapabilities {
  /** The CRM's name of the object, where it is another one than that of the type: `Account` for companies. */
  readonly objectName?: string;
  /**
   * The conditions by which records can be searched, by their names in the filter. Exact: the CRM compares as the filter
   * says. Otherwise it finds more, of which Crossbook returns what matches, and the number of hits may be unknown.
   */
  readonly filters: Readonly<Record<string, FilterCapability>>;
  /** Lists are read forward only. */
  readonly isForwardOnly?: true;
  /** The CRM counts no list: `count` is null for each. */
  readonly isUncounted?: true;
  /** Absent: records cannot be written. */
  readonly writes?: WriteCapability;
  /** The objects that `related` supports. */
  readonly associatedObjects: readonly AssociatedObject[];
  /** The types of records that `links` supports. */
  readonly linkedTo: readonly RecordType[];
}

interface WriteCapability {
  /** Whether they can be written by a key. */
  readonly canUpsert: boolean;
  /** Keys are found by an index that may be late. */
  readonly findsByIndex?: true;
  /** The most records of an upsert, where the CRM needs a search for each. */
  readonly mostUpserts?: number;
}

/** The records of one customer in one CRM. It is opened for each operation, which opens one of these. */
export interface CrmAdapter {
  readonly records: {
    readonly CONTACT: () => RecordAdapter<Contact>;
    readonly COMPANY?: () => RecordAdapter<Company>;
    readonly DEAL?: () => RecordAdapter<Deal>;
  };
  /** The pipelines of deals, in their order; at most MAX_PIPELINES, with MAX_STAGES each. */
  readonly pipelines?: () => Promise<readonly Pipeline[]>;
  /** The users to whom records can belong; at most MAX_OWNERS. */
  readonly owners?: () => Promise<readonly Owner[]>;
  /** Reads records in bulk, for syncs. Absent: the provider cannot be synced. */
  readonly bulk?: () => BulkReader;
  /** Absent: links between records cannot be written. */
  readonly links?: () => LinkWriter;
}

/** The records of one type in one customer's CRM. What is absent is not among the capabilities. */
export interface RecordAdapter<Item extends CrmRecord> {
  /**
   * By what identifies a record outside of the CRM: the email of a contact. Keys are normalized and unique: up to
   * `lookupBatch`, or whole multiples of it, which the adapter splits into calls. The result has every key; those
   * without a record map to an empty list. The adapter verifies that a record really has the key. The caller owns the
   * map.
   */
  findByKey?(
    keys: readonly string[],
    selection: FieldSelection,
  ): Promise<Map<string, readonly Item[]>>;
  /**
   * Reads a range of the records that match, by record id. The adapter verifies each by the `matches` of the filter. Of
   * contacts with a phone number it reads MAX_PHONE_HITS at once, in any order.
   */
  readList(
    filter: ListFilter,
    range: KeysetRange,
    selection: FieldSelection,
  ): Promise<readonly Item[]>;
  /** Null if the CRM counts others too. */
  count(filter: ListFilter): Promise<number | null>;
  /**
   * Unknown ids are omitted; the id of a merged record finds the surviving one. Any number of ids: the adapter
   * splits them into calls.
   */
  findByIds(ids: readonly string[], selection: FieldSelection): Promise<ReadonlyMap<string, Item>>;
  /** The fields that records have, as far as the connected user can see them; at most MAX_PROVIDER_FIELDS. */
  listFields?(): Promise<readonly DescribedField[]>;
  /** Any number of ids. A record that nothing is related to maps to an empty list. */
  related?(
    ids: readonly string[],
    to: AssociatedObject,
  ): Promise<ReadonlyMap<string, readonly Association[]>>;
  /**
   * The links of records of this type to those of others, for each request in order: any number of ids, each of which maps
   * to its links, unique and in any order. One that fails is its error, and leaves the others as they are.
   */
  links?(requests: readonly LinkRequest[]): Promise<readonly (LinksById | Error)[]>;

  /** Absent: its records cannot be written. */
  openWriter?(): RecordWriter;
}

/** The records of a connection for use cases. What its provider does not offer fails with NOT_IMPLEMENTED. */
export interface CrmPort {
  of<Item extends CrmRecord>(kind: RecordKind<Item>): RecordPort<Item>;
  readonly bulk: BulkReader;
  pipelines(): Promise<readonly Pipeline[]>;
  owners(): Promise<readonly Owner[]>;
  /** Runs an operation that writes records, whose calls have deadlines of their own. */
  write<Result>(
    kind: RecordKind<CrmRecord>,
    operation: (writer: RecordWriter) => Promise<Result>,
  ): Promise<Result>;
  /** The same for links between records. */
  writeLinks<Result>(operation: (links: OpenedLinks) => Promise<Result>): Promise<Result>;
  /** How far the clock of the CRM is behind ours, as far as its responses have shown it. */
  clockBehindMs(): number;
}

/** The links of a connection while they are written, and the records that are linked. */
export interface OpenedLinks {
  readonly writer: LinkWriter;
  of<Item extends CrmRecord>(kind: RecordKind<Item>): RecordAdapter<Item>;
}

export type RecordPort<Item extends CrmRecord> = Required<Omit<RecordAdapter<Item>, 'openWriter'>>;

export const MAX_PHONE_HITS = 200;

/** The range that has the contacts with a phone number. */
export const PHONE_HITS: KeysetRange = {
  direction: 'forward',
  from: undefined,
  limit: MAX_PHONE_HITS,
};

/** Reads the records of an object in bulk: contacts in the common shape, and any other object as it is. */
export interface BulkReader {
  /** The readable fields of an object, for all other calls. Undefined: the CRM has no such object. */
  describe(source: SyncSource): Promise<readonly string[] | undefined>;
  /** A page of all records, in ascending order of ids. */
  readAll(request: RecordsRequest): Promise<RecordPage>;
  /** A page of the records that were changed in a window, inclusive at both ends. */
  readChanges(request: RecordsRequest & { readonly window: TimeWindow }): Promise<RecordPage>;
  /** Records by their ids, as they are now: without those that are deleted. At most MAX_FOUND_RECORDS ids. */
  find(
    request: Omit<RecordsRequest, 'after'>,
    ids: readonly string[],
  ): Promise<readonly SyncedRecord[]>;
  /** A page of the CRM's list of deleted records: of all that it keeps, or of those in the window. */
  readDeleted(request: DeletedRequest): Promise<RecordPage>;
  /**
   * A page of the records whose links to records of a type were changed in a window, perhaps without a change of theirs.
   * Of none where the CRM keeps no time of such changes.
   */
  readRelinked(request: RelinkedRequest): Promise<RelinkedPage>;
}

export const MAX_FOUND_RECORDS = 500;

export interface RecordsRequest {
  readonly source: SyncSource;
  /** From `describe`. */
  readonly fields: readonly string[];
  /** Of contacts. */
  readonly selection: FieldSelection;
  /** The `next` of the page before. Null: the first page. */
  readonly after: string | null;
}

interface DeletedRequest extends Pick<RecordsRequest, 'source' | 'after'> {
  readonly window: TimeWindow;
}

interface RelinkedRequest extends DeletedRequest {
  readonly to: readonly RecordType[];
}

export interface RelinkedPage {
  readonly ids: readonly string[];
  /** Null: this is the last page. */
  readonly next: string | null;
}

export interface RecordPage {
  readonly records: readonly SyncedRecord[];
  /** Ids of records that were deleted, or merged into others. */
  readonly removed: readonly string[];
  /** Null: this is the last page. */
  readonly next: string | null;
}

export interface TimeWindow {
  readonly from: Date;
  readonly to: Date;
}

/**
 * A keyset range: `limit` records in id order from `from` (inclusive), or from the list's end if it is absent. The
 * result is always ascending.
 */
export interface KeysetRange {
  readonly direction: 'forward' | 'backward';
  readonly from: string | undefined;
  /**
   * The `place` of the record `from`, which is then left out. Absent: the CRM has none, or it is not known, so that the
   * list has to be searched for the record.
   */
  readonly place?: string | undefined;
  /** At most 1,002; fewer are returned only if there are no more. The adapter combines the provider's pages. */
  readonly limit: number;
}

export interface RateLimit {
  /** Calls per interval; absent if only concurrency is limited. */
  readonly calls?: number;
  readonly intervalMs?: number;
  readonly concurrency: number;
}

export interface RateLimitStatus {
  /** The remaining calls in this interval. */
  readonly remaining: number;
  /** The limit of the interval. */
  readonly max: number;
  readonly intervalMs: number;
}

/** The provider APIs with a known end of support. */
export function readApiSupport(providers: Iterable<Provider>, now: number) {
  return [...providers].flatMap(({ name, crm }) => {
    if (!crm?.apiVersion) return [];
    const end = Date.parse(crm.apiVersion.supportedUntil);
    // `endsSoon`: time for a release with the next version.
    const ends = { endsSoon: end - now < HALF_A_YEAR_MS, isOver: end < now };
    return [{ provider: name, ...crm.apiVersion, ...ends }];
  });
}

const HALF_A_YEAR_MS = 183 * 24 * 60 * 60 * 1_000;

export interface ApiVersion {
  readonly version: string;
  /** The date from which the vendor no longer supports it, such as `2027-09-30`. */
  readonly supportedUntil: string;
}

export type ApiSupport = ReturnType<typeof readApiSupport>[number];
