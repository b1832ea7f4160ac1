import type { Credentials, OAuth2Credentials, RefusalReason } from './connection.ts';
import type { ProviderName } from './provider-names.ts';

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
