import type { Connection, ConnectionFacts, OAuth2Credentials } from './connection.ts';
import type { AssociatedObject, Association, Contact } from './contact.ts';
import type { FieldSelection } from './contact-search.ts';
import type { Authorization } from './oauth.ts';
import type { ProviderField } from './own-fields.ts';
import type { Category, ProviderName } from './provider-names.ts';
import type { ProviderResponse, RemoteRequest, Send } from './remote.ts';

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
  /** Absent where contacts cannot be searched: NOT_IMPLEMENTED. */
  readonly contacts?: ContactAccess;
  /** Absent where connect links are not supported. */
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

/** Access to a provider's contacts: declares everything that differs between CRMs. */
export interface ContactAccess {
  /** The only origin that receives this connection's token. Undefined: the connection lacks the data for it. */
  origin(instanceUrl: string | null): string | undefined;
  /** The API version used, where its end of support is known. */
  readonly apiVersion?: ApiVersion;
  /** The provider's rate limits by the name that requests give in `budget`. */
  readonly budgets: Readonly<Record<string, RateLimit>>;
  /** Reads the state of the rate limit from a response. */
  readRateLimitStatus(answer: ProviderResponse): RateLimitStatus | undefined;
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
  /** The objects that `findAssociations` supports; empty where it is not offered. */
  readonly associatedObjects: readonly AssociatedObject[];
  /** Whether a field of a contact may be one of a related record, such as `Account.Industry`. */
  readonly readsRelatedFields?: true;
  /** Whether every account has this field, so that one that is not listed is hidden from the connected user. */
  isBuiltInField?(name: string): boolean;
  /** The provider's order of record ids, as in `readByDomain`. */
  compareIds(a: string, b: string): number;
  open(account: CustomerAccount): ContactPort;
}

/** The account of one customer in one CRM, as an adapter gets it. */
export interface CustomerAccount {
  readonly send: Send;
  readonly connection: Connection;
  openFacts(): ConnectionFacts;
  /** Call before each record is mapped: a record may be large. Undefined: go on at once. */
  takeTurn(): Promise<void> | undefined;
}

/** The contacts of one customer in one CRM. */
export interface ContactPort {
  /**
   * Emails are trimmed, lower-cased and unique: up to `lookupBatch`, or whole multiples of it, which the adapter
   * splits into calls. The result has every email; those without a contact map to an empty list. The adapter verifies
   * that a contact really has the email. The caller owns the map.
   */
  findByEmails(
    emails: readonly string[],
    selection: FieldSelection,
  ): Promise<Map<string, readonly Contact[]>>;
  /** Reads a range of the contacts of an email domain, by record id. */
  readByDomain(
    domain: string,
    run: KeysetRange,
    selection: FieldSelection,
  ): Promise<readonly Contact[]>;
  countByDomain(domain: string): Promise<number>;
  /**
   * Unknown ids are omitted; the id of a merged contact finds the surviving one. Any number of ids: the adapter
   * splits them into calls.
   */
  findByIds(
    ids: readonly string[],
    selection: FieldSelection,
  ): Promise<ReadonlyMap<string, Contact>>;
  /** The fields that contacts have, as far as the connected user can see them; at most MAX_PROVIDER_FIELDS. */
  listFields?(): Promise<readonly ProviderField[]>;
  /** Any number of ids. A contact without associations maps to an empty list. */
  findAssociations?(
    ids: readonly string[],
    to: AssociatedObject,
  ): Promise<ReadonlyMap<string, readonly Association[]>>;
}

/**
 * A keyset range: `limit` records in id order from `from` (inclusive), or from the list's end where it is absent. The
 * result is always ascending.
 */
export interface KeysetRange {
  readonly direction: 'forward' | 'backward';
  readonly from: string | undefined;
  /** At most 1,002; fewer are returned only where there are no more. The adapter combines the provider's pages. */
  readonly limit: number;
}

export interface RateLimit {
  /** Calls per interval; absent where only concurrency is limited. */
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

/** An OAuth client registered with a provider. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** An endpoint that receives refresh tokens, to refresh or revoke. */
export interface RefreshTokenEndpoint {
  /** The endpoint's origin, the only one that receives refresh tokens. */
  origin(instanceUrl: string | null): string | undefined;
  /** An alternative origin where the first one has moved; a redirect itself is never followed. */
  movedOrigin?(instanceUrl: string | null): string | undefined;
  toRequest(options: {
    readonly client: OAuthClient;
    readonly refreshToken: string;
  }): RemoteRequest;
}

export interface TokenRefresh extends RefreshTokenEndpoint {
  /** Throws a RemoteFailure: REMOTE_PROVIDER_UNAUTHORIZED where the refresh token is permanently rejected. */
  readAnswer(answer: ProviderResponse, now: Date): RefreshedToken;
}

export interface RefreshedToken extends Omit<OAuth2Credentials, 'type'> {
  /** Present where the response names the instance's current URL. */
  readonly instanceUrl: string | undefined;
}

/** The provider APIs with a known end of support. */
export function readApiSupport(providers: Iterable<Provider>, now: number) {
  return [...providers].flatMap(({ name, contacts }) => {
    if (!contacts?.apiVersion) return [];
    const end = Date.parse(contacts.apiVersion.supportedUntil);
    // `endsSoon`: time for a release with the next version.
    const ends = { endsSoon: end - now < HALF_A_YEAR_MS, isOver: end < now };
    return [{ provider: name, ...contacts.apiVersion, ...ends }];
  });
}

const HALF_A_YEAR_MS = 183 * 24 * 60 * 60 * 1_000;

export interface ApiVersion {
  readonly version: string;
  /** The date from which the vendor no longer supports it, such as `2027-09-30`. */
  readonly supportedUntil: string;
}

export type ApiSupport = ReturnType<typeof readApiSupport>[number];

/** A provider's rate limits, shared by several processes. */
export interface DistributedRateLimits {
  /** False while Redis is unreachable: each process then uses its share. */
  isConnected(): boolean;
  /** The share of a rate limit that this process may use alone, from 0 to 1: all of it while Redis coordinates. */
  share(intervalMs: number): number;
  /** One round trip. Undefined where Redis did not reply: continue within the share. */
  acquire(ask: PermitRequest): Promise<PermitResult | undefined>;
  /** Returns an unused permit. Not awaited, like `release`. */
  cancel(name: string, permitId: string): void;
  /** Called after the call, whatever its result: from now on the permit counts for one interval. */
  release(report: PermitRelease): void;
}

export interface PermitRequest {
  /** The name of the connection's rate limit, equal in all processes. */
  readonly name: string;
  /** The limit as known by this process; a limit that the provider has reported to any process takes precedence. */
  readonly calls: number;
  readonly intervalMs: number;
  /** The lease of the permit: by then the call has ended, or its process has crashed. */
  readonly leaseMs: number;
}

export type PermitResult = { readonly permitId: string } | { readonly waitMs: number };

export interface PermitRelease {
  readonly name: string;
  /** Undefined: the call was made while Redis was unreachable. */
  readonly permitId: string | undefined;
  readonly intervalMs: number;
  /** The rate limit reported by the response. */
  readonly rateLimit: RateLimitStatus | undefined;
  /** The pause that the provider asked for. */
  readonly pauseMs: number | undefined;
}
