import { type HttpRequest, toQuery } from '../lib/http-message.ts';
import { isRecord, parseJson } from '../lib/json.ts';
import { isVisibleAscii } from '../lib/text.ts';
import type { ConnectFailure } from './connect-failure.ts';
import { type ConnectedAccount, MAX_SECRET_LENGTH } from './connection.ts';
import type { ProviderName } from './provider-names.ts';
import type { ScopeRules } from './record-access.ts';
import { type ProviderResponse, RemoteFailure, type RemoteRequest, type Retry } from './remote.ts';
import { date, field, type Of, shape, string } from './shape.ts';
import type { OAuthClient, RefreshedToken, RefreshTokenEndpoint } from './token-refresh.ts';

/** The OAuth authorization code flow of a provider. */
export interface Authorization extends ScopeRules {
  /** What optional scopes let the application read, in words that follow "your". Others are shown by their names. */
  readonly scopeTitles: Readonly<Record<string, string>>;
  /** The login hosts that a page offers. The first is the default. */
  readonly logins: readonly [Login, ...Login[]];
  /** Hosts (lower case, without port) that a login URL may have: those of `logins`, and organisations' own. */
  readonly loginHosts: readonly RegExp[];
  /** An example of an organisation's own login host, where it may have one. */
  readonly ownLoginExample?: string;
  /** The URL of the consent page at the login origin. */
  toConsentUrl(request: ConsentRequest): string;
  /** The token endpoint's origin for the login origin that was stored with the state. */
  tokenOrigin(loginOrigin: string): string;
  /** Without a response the code may have been used nevertheless, so the call is never repeated. */
  toExchange(
    request: AuthorizationCode & { readonly client: OAuthClient },
  ): RemoteRequest & { readonly retry: 'never' };
  /**
   * Reads the grant. Throws an AuthorizationFailure for known reasons, otherwise a RemoteFailure. A
   * response that is signed is verified before it is trusted.
   */
  readGrant(answer: ProviderResponse, client: OAuthClient, now: Date): Grant;
  /** A second call where the exchange does not identify the user. */
  readonly identify?: {
    /** Absent: the origin of the token endpoint. It is checked like the origin of any call with a token. */
    origin?(grant: Grant): string | undefined;
    toRequest(grant: Grant, client: OAuthClient): RemoteRequest;
    /** The grant with the account. */
    readAccount(answer: ProviderResponse, grant: Grant): Grant;
  };
  /** Maps the error of the provider's redirect. */
  readDenial(error: string, description: string | null): ConnectFailure;
  readonly revocation?: RevocationEndpoint;
  /**
   * Reads the report that a user has uninstalled the app, which the provider sends to the redirect URI with DELETE.
   * Undefined: the request is not such a report. Absent: the provider sends none.
   */
  readUninstall?(request: Pick<HttpRequest, 'headers' | 'readBody'>): Uninstall | undefined;
}

/** The app was uninstalled by one user of an account. Not authenticated: the client may be anyone's. */
export interface Uninstall {
  /** The client of the app, with the secret that proves the sender. */
  readonly client: OAuthClient;
  /** As in `ConnectedAccount`. */
  readonly accountId: string;
  readonly userId: string;
}

/** A login host: production or test. */
export interface Login {
  /** Its name on the page, e.g. `Production`. */
  readonly name: string;
  readonly origin: string;
}

interface RevocationEndpoint extends RefreshTokenEndpoint {
  /** Whether the response means that the grant is revoked, now or before. */
  isRevoked(answer: ProviderResponse): boolean;
}

interface ConsentRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly loginOrigin: string;
  readonly state: string;
  /** S256; ignored by providers without PKCE. */
  readonly codeChallenge: string;
  /** Without one of these the flow fails. */
  readonly requiredScopes: readonly string[];
  readonly optionalScopes: readonly string[];
  readonly isPopup: boolean;
}

/** A code as the token endpoint takes it. */
interface AuthorizationCode {
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string;
}

/** The code of a callback, and what was stored when consent was requested. */
export interface CodeExchange extends AuthorizationCode {
  readonly applicationId: string;
  readonly oauthClientId: string;
  /** Never from the callback. */
  readonly loginOrigin: string;
  readonly requiredScopes: readonly string[];
}

/** The result of a customer's consent. */
export interface Grant {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** RFC 3339; null if the provider returns none. */
  readonly expiresAt: string | null;
  readonly instanceUrl: string | null;
  readonly scopes: readonly string[];
  readonly account: ConnectedAccount | null;
}

/** The flow has failed for a known reason. */
export class AuthorizationFailure extends Error {
  override readonly name = 'AuthorizationFailure';
  readonly failure: ConnectFailure;
  /** The missing scopes where the failure is MISSING_SCOPES. */
  readonly missingScopes: readonly string[];

  /** The message is for the log and contains no secret. */
  constructor(failure: ConnectFailure, message: string, options: FailureOptions = {}) {
    super(message, options);
    this.failure = failure;
    this.missingScopes = options.missingScopes ?? [];
  }
}

interface FailureOptions extends ErrorOptions {
  readonly missingScopes?: readonly string[];
}

/** A form request to an authorization server, with the client's secret where a client is given. */
export function toFormRequest<Repeats extends Retry>({
  path,
  fields,
  retry,
  client,
}: FormRequest & { readonly retry: Repeats }): RemoteRequest & { readonly retry: Repeats } {
  const own = client && { client_id: client.clientId, client_secret: client.clientSecret };
  return {
    method: 'POST',
    path,
    budget: 'token',
    retry,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: toQuery({ ...fields, ...own }),
  };
}

interface FormRequest extends Pick<RemoteRequest, 'path'> {
  readonly fields: Readonly<Record<string, string>>;
  readonly client?: OAuthClient;
}

/**
 * Reads the tokens of a code exchange or a refresh (RFC 6749, 5.1). Throws if there are none, and for one that no
 * header can have: stored, it would replace a valid one.
 */
export function readTokens(
  answer: ProviderResponse,
  now: Date,
  { toRefusal, withoutToken }: Refusals,
): RefreshedToken {
  if (answer.status < 200 || answer.status > 299) throw toRefusal(answer);
  const json = parseJson(answer.body);
  const token = isRecord(json) ? json : {};
  const accessToken = toText(token['access_token']);
  const refreshToken = toText(token['refresh_token']);
  // Withheld, because it may contain a token that the redactor does not know.
  const shown = { ...answer, body: '[withheld]' };
  if (accessToken === null)
    throw new RemoteFailure('REMOTE_PROVIDER_BAD_RESPONSE', withoutToken, shown);
  if (!isToken(accessToken) || (refreshToken !== null && !isToken(refreshToken)))
    throw new RemoteFailure(
      'REMOTE_PROVIDER_BAD_RESPONSE',
      'The provider issued a token that is too long, or has characters that no token has.',
      shown,
    );
  const seconds = Number(token['expires_in']);
  const isLifetime = seconds > 0 && seconds < MAX_LIFE_SECONDS;
  return {
    accessToken,
    refreshToken,
    expiresAt: isLifetime ? new Date(now.getTime() + seconds * 1_000).toISOString() : null,
    instanceUrl: toText(token['instance_url']) ?? undefined,
  };
}

function toText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function isToken(value: string): boolean {
  return isVisibleAscii(value, MAX_SECRET_LENGTH);
}

const MAX_LIFE_SECONDS = 10 * 365 * 24 * 60 * 60;

interface Refusals {
  toRefusal(answer: ProviderResponse): RemoteFailure;
  /** The error message for a success without a token. */
  readonly withoutToken: string;
}

/** Maps RFC 6749's error names of an authorization response. */
export function readOAuthDenial(error: string): ConnectFailure {
  return DENIALS.get(error.toLowerCase().replaceAll('-', '_')) ?? 'VENDOR_REFUSED';
}

const DENIALS: ReadonlyMap<string, ConnectFailure> = new Map([
  ['access_denied', 'ACCESS_DENIED'],
  ['server_error', 'VENDOR_UNAVAILABLE'],
  ['temporarily_unavailable', 'VENDOR_UNAVAILABLE'],
]);

/** The OAuth clients of ONE application. */
export interface OAuthClientStore {
  /** Includes the secret: for token endpoints only. */
  find(provider: ProviderName): Promise<OAuthClient | undefined>;
  list(): Promise<readonly StoredOAuthClient[]>;
  /** Replaces a previous one. */
  set(provider: ProviderName, client: OAuthClient): Promise<StoredOAuthClient>;
  /** False if there was none. */
  delete(provider: ProviderName): Promise<boolean>;
}

/** The visible fields: the secret is write-only. */
export const oauthClient = shape(
  'OAuthClient',
  'The OAuth client (app) that you have registered with a provider. Its secret is never returned.',
  {
    clientId: field(string, 'Client id of the app.', {
      example: '8b7c2f14-6a53-4f0e-9c1d-2f6f4a1b9e77',
    }),
    createdAt: field(date, 'Time at which a client for this provider was first set.'),
    updatedAt: field(date, 'Time at which it was last set.'),
  },
);

export interface StoredOAuthClient extends Of<typeof oauthClient> {
  readonly providerName: ProviderName;
}

/**
 * Finds the OAuth client for a token endpoint. With an id, the client with that id and no other; without one, the
 * application's own, otherwise the installation's. Takes the origin, because a secret must only be sent to its own
 * endpoint: at an origin of the sandbox it is the sandbox's client, for every id.
 */
export type FindOAuthClient = (query: OAuthClientQuery) => Promise<OAuthClient | undefined>;

export interface OAuthClientQuery {
  readonly applicationId: string;
  readonly provider: ProviderName;
  /** The origin of the login page or the token endpoint. */
  readonly origin: string;
  /** Null: the application's current client. */
  readonly clientId: string | null;
}

/** A login origin of the sandbox as the rest of the product sees it. */
export interface SandboxLogin {
  /** The sandbox origin for code exchange and account look-up. */
  readonly tokenOrigin: string;
  /** The instance URL to store instead of the grant's: the sandbox's name without a port. */
  toInstanceUrl(url: string | null): string;
}

/** Undefined for login origins outside of the sandbox. */
export type FindSandboxLogin = (loginOrigin: string) => SandboxLogin | undefined;
