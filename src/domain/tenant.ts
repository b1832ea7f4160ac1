import type { BrandingStore } from './branding.ts';
import type { Application } from './caller.ts';
import type { ConnectLinkStore } from './connect-link.ts';
import type {
  Connection,
  ConnectionStore,
  Credentials,
  OAuth2Credentials,
  RefusalReason,
} from './connection.ts';
import type { CustomFieldStore } from './custom-fields.ts';
import type { CustomerStore } from './customer.ts';
import type { EventStore, WebhookStore } from './event.ts';
import type { OAuthClientStore } from './oauth.ts';
import type { ProviderName } from './provider-names.ts';
import { type Of, words } from './shape.ts';
import type { SyncStore } from './sync.ts';
import type { WriteStore } from './writing.ts';

/** The storage of ONE application, unable to access others. */
export interface Tenant {
  readonly customers: CustomerStore;
  readonly connections: ConnectionStore;
  readonly credentials: CredentialStore;
  readonly contactCache: ContactCache;
  readonly webhooks: WebhookStore;
  readonly events: EventStore;
  readonly connectLinks: ConnectLinkStore;
  readonly oauthClients: OAuthClientStore;
  readonly removals: RemovalStore;
  readonly customFields: CustomFieldStore;
  readonly syncs: SyncStore;
  readonly writes: WriteStore;
  readonly branding: BrandingStore;
}

/** The credentials of ONE application's connections. */
export interface CredentialStore {
  /** Undefined if the connection is unknown or has no credentials. */
  read(connectionId: string): Promise<StoredCredentials | undefined>;
  /**
   * Refreshes once, however many requests and processes find a token expired at the same time, and returns the new
   * one to all. `refresh` is not called where the stored credentials are newer than `seen`.
   */
  refreshOnce(
    connectionId: string,
    seen: number,
    refresh: (current: StoredCredentials) => Promise<RefreshedCredentials>,
  ): Promise<StoredCredentials | undefined>;
  /**
   * Marks credentials as permanently rejected, and deletes what they have cached. No effect if newer ones were
   * stored meanwhile.
   */
  markRefused(connectionId: string, seen: number, reason: RefusalReason): Promise<void>;
  /** Contacts were read: the connection is no longer `not_tried`. No effect if it has newer credentials. */
  markTried(connection: Pick<Connection, 'id' | 'credentialsVersion'>): Promise<void>;
}

export interface StoredCredentials {
  readonly credentials: Credentials;
  /** Incremented by every change, so that a rejected token can be distinguished from its successor. */
  readonly generation: number;
  readonly instanceUrl: string | null;
  /** Whether the provider has permanently rejected them. */
  readonly isRefused: boolean;
  /** The OAuth client that they were granted to; null if unknown. */
  readonly oauthClientId: string | null;
}

export interface RefreshedCredentials {
  readonly credentials: OAuth2Credentials;
  /** Absent: unchanged. An account that has moved reports its new URL with a refresh. */
  readonly instanceUrl?: string | undefined;
}

/** Connections of all applications with credentials unused for days. */
export interface IdleCredentials {
  /** Takes or extends the lease, under which one process at a time works on them. False: another process holds it. */
  acquireJobLease(holder: string, leaseMs: number): Promise<boolean>;
  /**
   * Claims the longest idle ones. They count as used at `claimedAs`, so that no process gets them again before they
   * are idle again, even if the claiming process crashes. Those that cannot be refreshed are skipped and count as used.
   */
  claim(claim: IdleClaim): Promise<readonly IdleConnection[]>;
  /** Skips one without anything to refresh: it counts as used. */
  passOver(idle: IdleConnection): Promise<void>;
}

interface IdleClaim {
  readonly providers: readonly ProviderName[];
  /** Unused since this time. */
  readonly idleBefore: Date;
  /** The time that they count as used at. */
  readonly claimedAs: Date;
  readonly limit: number;
}

export interface IdleConnection {
  readonly applicationId: string;
  readonly connectionId: string;
  readonly customerId: string;
  readonly providerName: ProviderName;
  readonly generation: number;
}

/** Cached search results and adapters' facts of ONE application. Encrypted at rest; keys are hashed. */
export interface ContactCache {
  /**
   * Undefined if nothing is cached, or the connection was changed since. The reader decides what is too old.
   */
  read(
    connectionId: string,
    filterKey: string,
    options?: Pick<CacheEntry, 'outlivesWrites'>,
  ): Promise<CachedContacts | undefined>;
  /** Best effort and delayed: oversized entries are dropped, and an older result does not replace a newer one. */
  write(entry: CacheEntry): Promise<void>;
  /** The provider refuses to let the connection's contacts be read: nothing that was read before is served any more. */
  refuse(connectionId: string): Promise<void>;
}

/** Older entries are not served, even when the provider is down, and are deleted. */
export const CACHE_ENTRY_MAX_AGE_MS = 24 * 60 * 60_000;

interface CachedContacts {
  readonly payload: string;
  readonly fetchedAt: Date;
}

export interface CacheEntry {
  readonly connectionId: string;
  /** The number of records, and more where they are longer than usual. */
  readonly weight: number;
  /**
   * The cache key within the connection: filter, page, and everything else that affects the result. Computed where it
   * is stored.
   */
  filterKey(): string;
  /** Serialized when it is written, which may be later or never. Undefined above `maxLength` characters. */
  payload(maxLength: number): string | undefined;
  /** The time at which the search STARTED: a connection changed meanwhile invalidates its result. */
  readonly fetchedAt: Date;
  /** Written at once, so that other processes find it. */
  readonly isUrgent?: boolean;
  /** It describes the CRM, and no records: writing some does not outdate it. */
  readonly outlivesWrites?: boolean;
}

/** Removes customers and connections of ONE application, with their credentials, cached contacts and open links. */
export interface RemovalStore {
  /**
   * Undefined if there is no such customer. Rejects with CONFLICT if its version is not the expected one. Its
   * rows at the sync destination are deleted later, unless the options say otherwise.
   */
  removeCustomer(
    customerId: string,
    expectedVersion: number | undefined,
    options?: { readonly deleteSyncedRows: boolean },
  ): Promise<readonly RemovedConnection[] | undefined>;
  /** Undefined if there is no such connection. */
  removeConnection(
    customerId: string,
    providerName: ProviderName,
  ): Promise<RemovedConnection | undefined>;
}

/** Deletes, in bounded steps, the data of applications that are marked as deleted. */
export interface DeletedApplications {
  /** Takes or extends the lease, under which one process at a time works on them. False: another process holds it. */
  acquireJobLease(holder: string, leaseMs: number): Promise<boolean>;
  /** The one that was marked first, if that was at least so long ago. */
  find(settledMs: number): Promise<Application | undefined>;
  /** The next customers, and whether they have grants to be revoked. */
  findCustomers(
    applicationId: string,
  ): Promise<readonly { readonly customerId: string; readonly hasGrant: boolean }[]>;
  /** Deletes those of the customers that have no grants, with everything of theirs. */
  deleteCustomers(applicationId: string, customerIds: readonly string[]): Promise<void>;
  /** Deletes events and usage, and yields after each statement. */
  deleteHistory(applicationId: string): AsyncIterable<unknown>;
  /** Deletes the application itself. */
  remove(applicationId: string): Promise<void>;
}

export interface RemovedConnection {
  readonly connection: Connection;
  /** The grant by a connect link. Undefined if the credentials came by an upsert and belong to the application. */
  readonly grant: RemovedGrant | undefined;
}

/** A grant that is no longer stored and may be revoked at the provider. */
export interface RemovedGrant {
  readonly oauthClientId: string;
  readonly instanceUrl: string | null;
  readonly refreshToken: string;
  /** Whether another connection, of any customer and application, uses the same grant and would end with it. */
  readonly isShared: boolean;
}

export const revocation = words(
  'Revocation',
  'Result of revoking a customer’s grant at the provider.',
  {
    REVOKED: 'The grant was revoked: its refresh token is invalid.',
    SHARED: 'Another connection uses the same grant, so it was not revoked.',
    FAILED:
      'The provider could not be reached or refused. The connection is removed anyway; the customer can revoke the grant there.',
    NOT_SUPPORTED:
      'The provider does not support revocation, or the credentials came by `upsertCustomer` and are yours to revoke.',
  },
);
export type Revocation = Of<typeof revocation>;
