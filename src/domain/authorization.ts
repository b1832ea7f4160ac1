import type { ConnectFailure } from './connect-link.ts';
import type { ConnectedAccount } from './connection.ts';
import type { OAuthClient } from './provider.ts';
import type { ProviderResponse, RemoteRequest } from './remote.ts';

/** How a customer grants access to their account: the authorization code flow of one provider. */
export interface Authorization {
  /** Asked for always: without them contacts cannot be read. */
  readonly requiredScopes: readonly string[];
  /** Where customers log in, for a page to offer. The first one counts where nothing is chosen. */
  readonly logins: readonly [Login, ...Login[]];
  /** Hosts (lower case, without port) that a login URL may point to: those of `logins`, and what organisations have. */
  readonly loginHosts: readonly RegExp[];
  /** What the login host of an organisation looks like, where it may have one of its own. */
  readonly ownLoginExample?: string;
  /** The page that asks for consent: an absolute URL at the login origin. */
  toConsentUrl(request: ConsentRequest): string;
  /** The origin of the token endpoint, for the login origin that was kept with the state. */
  tokenOrigin(loginOrigin: string): string;
  toExchange(request: CodeExchange): RemoteRequest;
  /**
   * Throws an AuthorizationFailure where no usable grant came of it and the reason has a name, a RemoteFailure otherwise.
   * What vouches for the answer (Salesforce's signature) is verified before anything in it is believed.
   */
  readGrant(answer: ProviderResponse, client: OAuthClient, now: Date): Grant;
  /** A second call, to the token origin, where the exchange did not say who granted. */
  readonly identify?: {
    toRequest(grant: Grant, client: OAuthClient): RemoteRequest;
    /** The grant with what was learned. */
    readAccount(answer: ProviderResponse, grant: Grant): Grant;
  };
  /** Which of the required scopes were not granted, whichever names the provider has for one scope. */
  findMissingScopes(granted: readonly string[]): readonly string[];
  /** What the provider's redirect back says in place of a code. */
  readDenial(error: string, description: string | null): ConnectFailure;
  readonly revocation?: Revocation;
}

/** A place to log in at: production, test. */
export interface Login {
  /** As the page calls it, e.g. `Production`. */
  readonly name: string;
  readonly origin: string;
}

export interface Revocation {
  /** The origin of the revocation endpoint: refresh tokens go nowhere else. */
  origin(instanceUrl: string | null): string | undefined;
  /** Where the request goes instead when the first origin answers with a redirect, which is never followed itself. */
  movedOrigin?(instanceUrl: string | null): string | undefined;
  toRequest(options: { readonly client: OAuthClient; readonly refreshToken: string }): RemoteRequest;
  /** Is the grant gone, by this answer? One that was gone before is. */
  isRevoked(answer: ProviderResponse): boolean;
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

/** The flow is over without a grant, for a reason that has a name. */
export class AuthorizationFailure extends Error {
  override readonly name = 'AuthorizationFailure';
  readonly failure: ConnectFailure;
  /** Of MISSING_SCOPES. */
  readonly missingScopes: readonly string[];

  /** The message is for the log, and holds nothing secret. */
  constructor(failure: ConnectFailure, message: string, options: FailureOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.failure = failure;
    this.missingScopes = options.missingScopes ?? [];
  }
}

interface FailureOptions extends ErrorOptions {
  readonly missingScopes?: readonly string[];
}
