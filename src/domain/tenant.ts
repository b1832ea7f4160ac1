import type { ConnectLinkStore } from './connect-link.ts';
import type {
  Connection,
  ConnectionStore,
  Credentials,
  OAuth2Credentials,
  RefusalReason,
} from './connection.ts';
import type { CustomerStore } from './customer.ts';
import type { EventStore, WebhookStore } from './event.ts';
import type { OAuthClientStore } from './oauth.ts';
import type { ProviderName } from './provider-names.ts';
import { type Of, words, wordsOf } from './shape.ts';

/** Everything stored for ONE application. It is opened for its id, and nothing in it can name another's. */
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
}

/** The credentials of ONE application's connections. */
export interface CredentialStore {
  /** Undefined where the connection is unknown or has no credentials. */
  read(connectionId: string): Promise<StoredCredentials | undefined>;
  /**
   * However many requests and processes find a token expired at once, one of them refreshes it and all get the new
   * one. `refresh` is not called when the stored credentials are newer already than the ones that were `seen`.
   */
  refreshOnce(
    connectionId: string,
    seen: number,
    refresh: (current: StoredCredentials) => Promise<RefreshedCredentials>,
  ): Promise<StoredCredentials | undefined>;
  /** The provider refused these credentials for good. Nothing happens when newer ones were stored meanwhile. */
  markRefused(connectionId: string, seen: number, reason: RefusalReason): Promise<void>;
}

export interface StoredCredentials {
  readonly credentials: Credentials;
  /** Grows with every change, so that a refused token is told from its successor. */
  readonly generation: number;
  readonly instanceUrl: string | null;
  /** Has the provider refused them for good? */
  readonly isRefused: boolean;
  /** The OAuth client that they were granted to; null where that is not known. */
  readonly oauthClientId: string | null;
}

export interface RefreshedCredentials {
  readonly credentials: OAuth2Credentials;
  /** Absent: as it was. A Salesforce organisation that moved says so when it refreshes. */
  readonly instanceUrl?: string | undefined;
}

/** Connections, of all applications, whose credentials have not been used for days. */
export interface IdleCredentials {
  /** May this process work on them now? Until the lease ends no other may. Asked again, it is longer. */
  holdLease(holder: string, leaseMs: number): Promise<boolean>;
  /**
   * Those that have been idle the longest. No other process is given them until `retryAt` has passed the same time of idleness,
   * even if the one that claimed them ends. What cannot be renewed is passed over, and counts as used.
   */
  claim(wanted: WantedIdle): Promise<readonly IdleConnection[]>;
  /** There is nothing to renew: it counts as used. */
  passOver(idle: IdleConnection): Promise<void>;
}

interface WantedIdle {
  readonly providers: readonly ProviderName[];
  /** Not used since. */
  readonly idleBefore: Date;
  /** From then on they count as used. */
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

/**
 * Answers of earlier searches, and what adapters have found out, for ONE application. Encrypted at rest, and never keyed by
 * anything readable.
 */
export interface ContactCache {
  /**
   * Undefined where nothing is cached, or the connection was changed since. How old is too old the reader decides. What is
   * large is decrypted when its turn has come.
   */
  read(connectionId: string, filterKey: string, takeTurn?: TakeTurn): Promise<CachedContacts | undefined>;
  /** Best effort, and a moment later: what is too large is not kept, and an older answer does not replace a newer one. */
  write(entry: CacheEntry): Promise<void>;
}

/** Of the request's permit. Undefined: at once. */
type TakeTurn = () => Promise<void> | undefined;

/** In characters: to decrypt so much, or to parse it, takes the processor for a millisecond. */
export const LARGE_ENTRY = 65_536;

interface CachedContacts {
  readonly payload: string;
  readonly fetchedAt: Date;
}

export interface CacheEntry {
  readonly connectionId: string;
  /** How many contacts it holds. */
  readonly records: number;
  /** Names the search within its connection: filter, page, everything that changes the answer. Made where it is kept. */
  filterKey(): string;
  /** Made when it is written, which may be later, or never. */
  payload(): string;
  /** When the search was STARTED: a connection that was changed while it ran makes its answer worthless. */
  readonly fetchedAt: Date;
  /** It is written at once: other processes are to find it. */
  readonly isUrgent?: boolean;
}

/** Removes what ONE application's customers are and have connected: credentials, cached answers and open links with it. */
export interface RemovalStore {
  /** Undefined where there is no such customer. Rejects with CONFLICT where its version is not the expected one. */
  removeCustomer(
    customerId: string,
    expectedVersion: number | undefined,
  ): Promise<readonly RemovedConnection[] | undefined>;
  /** Undefined where there is no such connection. */
  removeConnection(customerId: string, providerName: ProviderName): Promise<RemovedConnection | undefined>;
}

export interface RemovedConnection {
  readonly connection: Connection;
  /** What the customer granted by a link. Undefined where it was no link that brought the credentials: they are the application's own. */
  readonly grant: RemovedGrant | undefined;
}

/** No longer stored anywhere: it may be revoked at the provider now. */
interface RemovedGrant {
  readonly oauthClientId: string;
  readonly instanceUrl: string | null;
  readonly refreshToken: string;
  /** Another connection, of whichever customer and application, lives on the same grant: to end it would end that one. */
  readonly isShared: boolean;
}

export const revocation = words('Revocation', 'Result of revoking a customer’s grant at the provider.', {
  REVOKED: 'The grant was revoked: its refresh token is invalid.',
  SHARED: 'Another connection uses the same grant, so it was not revoked.',
  FAILED:
    'The provider could not be reached or refused. The connection is removed anyway; the customer can revoke the grant there.',
  NOT_SUPPORTED:
    'The provider does not support revocation, or the credentials came by `upsertCustomer` and are yours to revoke.',
});
export const REVOCATIONS = wordsOf(revocation);
export type Revocation = Of<typeof revocation>;
