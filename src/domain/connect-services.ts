import type { BoundCursorSigner } from './cursor-signer.ts';
import type { FindOAuthClient } from './oauth-client.ts';
import type { Provider } from './provider.ts';

/** What every step of a connect link needs from this installation. */
export interface ConnectServices {
  /** A link's token is its signed id: what was not signed here is refused before the database is asked. */
  readonly linkTokens: BoundCursorSigner;
  /** The origin that browsers reach this installation at; undefined where nobody has said. */
  publicUrl(): string | undefined;
  /** The web origins that an application has registered. */
  findReturnOrigins(applicationId: string): Promise<readonly string[]>;
  /** Where a customer is sent to log in. Null: the provider's usual place. */
  resolveLogin(
    provider: Provider,
    loginUrl: string | null,
  ): { readonly origin: string } | { readonly problem: string };
  readonly findOAuthClient: FindOAuthClient;
}
