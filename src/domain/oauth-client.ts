import type { OAuthClient } from './provider.ts';
import type { ProviderName } from './provider-names.ts';

/** What ONE application is registered as with the providers. */
export interface OAuthClientStore {
  /** With its secret: for the token endpoint alone. */
  find(provider: ProviderName): Promise<OAuthClient | undefined>;
  list(): Promise<readonly StoredOAuthClient[]>;
  /** Puts it in the place of another. */
  set(provider: ProviderName, client: OAuthClient): Promise<StoredOAuthClient>;
  /** False where there was none. */
  delete(provider: ProviderName): Promise<boolean>;
}

/** What is shown of it: the secret goes in and never out. */
export interface StoredOAuthClient {
  readonly providerName: ProviderName;
  readonly clientId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/**
 * Finds the client that a token endpoint knows us as: the one with this id, or, where nobody said which, the application's
 * own before the installation's. A secret is for its own endpoint only, which is why the origin is asked for.
 */
export type FindOAuthClient = (wanted: WantedOAuthClient) => Promise<OAuthClient | undefined>;

export interface WantedOAuthClient {
  readonly applicationId: string;
  readonly provider: ProviderName;
  /** Of the login page or the token endpoint. */
  readonly origin: string;
  /** Null: whichever the application uses now. */
  readonly clientId: string | null;
}
