import type { ConnectFailure } from './connect-link.ts';
import type { OAuthClient } from './provider.ts';
import type { RemoteAnswer, RemoteRequest } from './remote.ts';

/** How a customer grants access to their account: the authorization code flow of one provider. */
export interface Authorization {
  /** The scopes without which contacts cannot be read. */
  readonly requiredScopes: readonly string[];
  /** Where the customer logs in. Undefined: `loginUrl` is no login host of this provider. */
  loginOrigin(loginUrl: string | null): string | undefined;
  /** The page that asks for consent: an absolute URL at the login origin. */
  toConsentUrl(request: ConsentRequest): string;
  /** The origin of the token endpoint, for the login origin that was kept with the state. */
  tokenOrigin(loginOrigin: string): string;
  toExchange(request: CodeExchange): RemoteRequest;
  /**
   * Throws an AuthorizationFailure where no usable grant came of it, a RemoteFailure where the provider's answer is none
   * of those. What vouches for the answer (Salesforce's signature) is verified before anything in it is believed.
   */
  readGrant(answer: RemoteAnswer, client: OAuthClient, now: Date): Grant;
  /** A second call where the exchange does not say who granted. Sent to the token origin. */
  readonly identify?: {
    toRequest(grant: Grant, client: OAuthClient): RemoteRequest;
    readAccount(answer: RemoteAnswer, grant: Grant): Grant;
  };
  /** What the provider's redirect back says in place of a code. */
  readDenial(error: string, description: string | null): ConnectFailure;
  readonly revocation?: {
    toRequest(options: { readonly client: OAuthClient; readonly refreshToken: string }): RemoteRequest;
    /** Is the grant gone, by this answer? One that was gone before is. */
    isRevoked(answer: RemoteAnswer): boolean;
  };
}

export interface ConsentRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly loginOrigin: string;
  readonly state: string;
  /** S256; ignored where the provider knows no PKCE. */
  readonly codeChallenge: string;
  readonly optionalScopes: readonly string[];
  readonly isPopup: boolean;
}

export interface CodeExchange {
  readonly client: OAuthClient;
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string;
}

/** What a customer granted. */
export interface Grant {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** RFC 3339; null where the provider does not say. */
  readonly expiresAt: string | null;
  readonly instanceUrl: string | null;
  readonly scopes: readonly string[];
  readonly account: ConnectedAccount | null;
}

/** The account at the provider that a connection belongs to: a HubSpot portal, a Salesforce organisation. */
export interface ConnectedAccount {
  readonly id: string;
  readonly name: string | null;
  /** For a person to open. */
  readonly url: string | null;
  /** Who granted. */
  readonly userId: string | null;
}

/** The flow is over without a grant, for a reason that has a name. */
export class AuthorizationFailure extends Error {
  override readonly name = 'AuthorizationFailure';
  readonly failure: ConnectFailure;

  constructor(failure: ConnectFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}
