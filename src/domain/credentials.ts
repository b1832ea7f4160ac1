import type { Credentials, OAuth2Credentials } from './connection.ts';

/** The credentials of one application's connections: unsealed only in here, and only for the way out. */
export interface CredentialStore {
  read(connectionId: string): Promise<StoredCredentials | undefined>;
  /**
   * Replaces expired OAuth credentials, once for everybody who waits, over all processes. `refresh` is called only
   * where the stored generation is still the one `seen`; otherwise somebody else was faster and theirs is returned.
   */
  refreshOnce(
    connectionId: string,
    seen: number,
    refresh: (current: OAuth2Credentials) => Promise<RefreshOutcome>,
  ): Promise<StoredCredentials>;
  /** The provider has refused them for good: the connection's status becomes `reauthorize`. */
  markRefused(connectionId: string): Promise<void>;
}

export interface StoredCredentials {
  readonly credentials: Credentials;
  /** Grows with every change. */
  readonly generation: number;
  /** As stored with them: a refresh may have moved the instance. */
  readonly instanceUrl: string | null;
}

export interface RefreshOutcome {
  readonly credentials: OAuth2Credentials;
  /** Present where the provider said that the instance has moved. */
  readonly instanceUrl?: string | undefined;
}
