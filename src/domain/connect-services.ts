import type { BoundCursorSigner } from './cursor-signer.ts';
import type { FindOAuthClient } from './oauth-client.ts';
import type { ProviderName } from './provider-names.ts';

/** What the steps of a connect link need of this installation. */
export interface ConnectServices {
  /** A link's token is its signed id: what was not signed here is refused before the database is asked. */
  readonly linkTokens: BoundCursorSigner;
  /** The origin that browsers reach this installation at; undefined where nobody has said. */
  publicUrl(): string | undefined;
  /** The web origins that an application has registered. */
  findReturnOrigins(applicationId: string): Promise<readonly string[]>;
  readonly findOAuthClient: FindOAuthClient;
  /** Where the imitated provider stands in for this login origin, if the sandbox is on. */
  toSandboxLogin(provider: ProviderName, loginOrigin: string): string | undefined;
}
