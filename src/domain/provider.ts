import type { Connection, ConnectionFacts, OAuth2Credentials } from './connection.ts';
import type { AssociatedObject, Association, Contact } from './contact.ts';
import type { FieldSelection } from './contact-search.ts';
import type { Authorization } from './oauth.ts';
import type { Category, ProviderName } from './provider-names.ts';
import type { ProviderResponse, RemoteRequest, Send } from './remote.ts';

/** One of the 18 tools. The registry holds one of these for each. */
export interface Provider {
  readonly name: ProviderName;
  readonly category: Category;
  /** Hosts (lower case, without port) that an instance URL may point to. Empty: the provider has no instance URL. */
  readonly instanceHosts: readonly RegExp[];
  /** Absent where the tool cannot be searched: the caller gets NOT_IMPLEMENTED. */
  readonly contacts?: ContactAccess;
  /** Absent where customers cannot be sent to it by a link. */
  readonly authorization?: Authorization;
}

/** How a provider's contacts are reached: everything that differs between CRMs is declared here. */
export interface ContactAccess {
  /** The only origin that is ever sent this connection's token. Undefined: the connection lacks what names it. */
  origin(instanceUrl: string | null): string | undefined;
  /** The version of the API that is called, where its end of support is known. */
  readonly apiVersion?: ApiVersion;
  /** What the provider allows, by the name that requests carry in `budget`. */
  readonly budgets: Readonly<Record<string, RateLimit>>;
  /** What an answer says about the budget that paid for it. */
  readRateLimitStatus(answer: ProviderResponse): RateLimitStatus | undefined;
  /** Is this answer the provider's way to say that the access token has to be refreshed? */
  isTokenExpired(answer: ProviderResponse): boolean;
  /** Is this answer, to a token that nothing can renew, its last word? Only new credentials help then. */
  isTokenRefused(answer: ProviderResponse): boolean;
  /** The beginning of a token that is no secret. */
  readonly publicPrefix?: RegExp;
  /** How an expired access token is replaced. */
  readonly refresh: TokenRefresh;
  /** Which of the budgets pays for look-ups by email. */
  readonly lookupBudget: string;
  /** How many emails one look-up call takes. */
  readonly lookupBatch: number;
  /** What `findAssociations` can follow; empty where associations are not offered. */
  readonly associatedObjects: readonly AssociatedObject[];
  /** The provider's order of record ids, the one that `readByDomain` follows. */
  compareIds(a: string, b: string): number;
  open(options: {
    readonly send: Send;
    readonly connection: Connection;
    readonly facts: ConnectionFacts;
  }): ContactPort;
}

/** One customer's contacts in one CRM. */
export interface ContactPort {
  /**
   * Emails arrive trimmed, lower-cased and unique: up to `lookupBatch`, or whole multiples of it, which the adapter cuts
   * into calls. Every email asked for is in the answer; one without a contact maps to an empty list. A hit is only a hit
   * when the contact really has that email. The map belongs to who asked.
   */
  findByEmails(
    emails: readonly string[],
    selection: FieldSelection,
  ): Promise<Map<string, readonly Contact[]>>;
  /** A run of the contacts of one email domain, by record id. */
  readByDomain(domain: string, run: KeysetRange, selection: FieldSelection): Promise<readonly Contact[]>;
  countByDomain(domain: string): Promise<number>;
  /**
   * Missing ids are missing from the map; the id of a contact that was merged into another finds that other one. Any number
   * of ids: the adapter cuts them into calls.
   */
  findByIds(ids: readonly string[], selection: FieldSelection): Promise<ReadonlyMap<string, Contact>>;
  /** Any number of ids. A contact without associations maps to an empty list. */
  findAssociations?(
    ids: readonly string[],
    to: AssociatedObject,
  ): Promise<ReadonlyMap<string, readonly Association[]>>;
}

/** `limit` records in id order from `from` on (inclusive), or from the list's end where it is absent. Always ascending in the answer. */
export interface KeysetRange {
  readonly direction: 'forward' | 'backward';
  readonly from: string | undefined;
  /** At most 1,002; fewer come back only where there are no more. The adapter stitches the provider's pages. */
  readonly limit: number;
}

export interface RateLimit {
  /** Calls per interval; absent where only the number at once is limited. */
  readonly calls?: number;
  readonly intervalMs?: number;
  readonly concurrency: number;
}

export interface RateLimitStatus {
  /** Calls that the provider still takes in this interval. */
  readonly remaining: number;
  /** The interval's whole. */
  readonly max: number;
  readonly intervalMs: number;
}

/** The OAuth client that this installation is registered as with a provider. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Where a refresh token is sent, to be traded or revoked. */
export interface RefreshTokenEndpoint {
  /** The endpoint's origin: refresh tokens go nowhere else. */
  origin(instanceUrl: string | null): string | undefined;
  /** Where the request goes instead when the first origin answers with a redirect, which is never followed itself. */
  movedOrigin?(instanceUrl: string | null): string | undefined;
  toRequest(options: { readonly client: OAuthClient; readonly refreshToken: string }): RemoteRequest;
}

export interface TokenRefresh extends RefreshTokenEndpoint {
  /** Throws a RemoteFailure: REMOTE_PROVIDER_UNAUTHORIZED where the refresh token is refused for good. */
  readAnswer(answer: ProviderResponse, now: Date): RefreshedToken;
}

export interface RefreshedToken extends Omit<OAuth2Credentials, 'type'> {
  /** Present where the provider says where the instance lives now. */
  readonly instanceUrl: string | undefined;
}

/** The provider APIs with a known end of support. */
export function readApiSupport(providers: Iterable<Provider>, now: number): readonly ApiSupport[] {
  return [...providers].flatMap(({ name, contacts }) => {
    if (!contacts?.apiVersion) return [];
    const { version, supportedUntil } = contacts.apiVersion;
    const end = Date.parse(supportedUntil);
    return [
      { provider: name, version, supportedUntil, endsSoon: end - now < HALF_A_YEAR_MS, isOver: end < now },
    ];
  });
}

const HALF_A_YEAR_MS = 183 * 24 * 60 * 60 * 1_000;

export interface ApiVersion {
  readonly version: string;
  /** The date from which the vendor no longer supports it, such as `2027-09-30`. */
  readonly supportedUntil: string;
}

export interface ApiSupport extends ApiVersion {
  readonly provider: ProviderName;
  /** In half a year at the latest: time for a release with the next version. */
  readonly endsSoon: boolean;
  readonly isOver: boolean;
}

/** What a provider allows a connection, kept by several processes together. */
export interface DistributedRateLimits {
  /** False while Redis is away: each process keeps to its share then. */
  isConnected(): boolean;
  /** The part of a budget that this process may use by itself, from 0 to 1: all of it while the others can be asked. */
  share(intervalMs: number): number;
  /** One round trip. Undefined where Redis did not answer: go on within the share. */
  acquire(ask: PermitRequest): Promise<PermitResult | undefined>;
  /** A turn that was not used. Nobody waits for this, nor for `release`. */
  cancel(name: string, turn: string): void;
  /** After the call, whatever came of it: from now on the turn counts for one interval. */
  release(report: PermitRelease): void;
}

export interface PermitRequest {
  /** Of the connection and its budget: the same in every process. */
  readonly name: string;
  /** What this process takes for the limit; what a provider has told any of them goes before it. */
  readonly calls: number;
  readonly intervalMs: number;
  /** By then the call is over, or the process that asked for it is gone. */
  readonly leaseMs: number;
}

export type PermitResult = { readonly turn: string } | { readonly waitMs: number };

export interface PermitRelease {
  readonly name: string;
  /** Undefined: the call was made while Redis was away. */
  readonly turn: string | undefined;
  readonly intervalMs: number;
  /** What the answer said of the budget. */
  readonly rateLimit: RateLimitStatus | undefined;
  /** For so long the provider wants no more calls. */
  readonly pauseMs: number | undefined;
}
