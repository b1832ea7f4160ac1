import type { Credentials, OAuth2Credentials, RefusalReason } from './connection.ts';

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
  /** The OAuth client that they were granted to; null where nobody said. */
  readonly oauthClientId: string | null;
}

export interface RefreshedCredentials {
  readonly credentials: OAuth2Credentials;
  /** Absent: as it was. A Salesforce organisation that moved says so when it refreshes. */
  readonly instanceUrl?: string | undefined;
}
