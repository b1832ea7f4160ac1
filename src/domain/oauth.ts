import { toQuery } from '../lib/http-message.ts';
import { isRecord, parseJson } from '../lib/json.ts';
import type { ConnectFailure } from './connect-link.ts';
import type { ConnectedAccount } from './connection.ts';
import type { OAuthClient, RefreshedToken, RefreshTokenEndpoint } from './provider.ts';
import type { ProviderName } from './provider-names.ts';
import { type ProviderResponse, RemoteFailure, type RemoteRequest } from './remote.ts';
import { date, field, type Of, shape, string } from './shape.ts';

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
  readonly revocation?: RevocationEndpoint;
}

/** A place to log in at: production, test. */
export interface Login {
  /** As the page calls it, e.g. `Production`. */
  readonly name: string;
  readonly origin: string;
}

interface RevocationEndpoint extends RefreshTokenEndpoint {
  /** Is the grant gone, by this answer? One that was gone before is. */
  isRevoked(answer: ProviderResponse): boolean;
}

interface ConsentRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly loginOrigin: string;
  readonly state: string;
  /** S256; ignored where the provider knows no PKCE. */
  readonly codeChallenge: string;
  readonly optionalScopes: readonly string[];
  readonly isPopup: boolean;
}

interface CodeExchange {
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

/** A form for an authorization server, at its token endpoint or beside it, with the client's secret where the client is given. */
export function toFormRequest(
  path: string,
  fields: Readonly<Record<string, string>>,
  client?: OAuthClient,
): RemoteRequest {
  const own = client && { client_id: client.clientId, client_secret: client.clientSecret };
  return {
    method: 'POST',
    path,
    budget: 'token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: toQuery({ ...fields, ...own }),
  };
}

/** The tokens of an answer to an exchange or a refresh (RFC 6749, 5.1). Throws where there are none. */
export function readTokens(
  answer: ProviderResponse,
  now: Date,
  { toRefusal, withoutToken }: Refusals,
): RefreshedToken {
  if (answer.status < 200 || answer.status > 299) throw toRefusal(answer);
  const json = parseJson(answer.body);
  const token = isRecord(json) ? json : {};
  const accessToken = toToken(token['access_token']);
  // Whatever it is, a token that the redactor does not know may be in it.
  const shown = { ...answer, body: '[withheld]' };
  if (accessToken === null) throw new RemoteFailure('REMOTE_PROVIDER_BAD_RESPONSE', withoutToken, shown);
  const seconds = Number(token['expires_in']);
  const isLifetime = seconds > 0 && seconds < MAX_LIFE_SECONDS;
  return {
    accessToken,
    refreshToken: toToken(token['refresh_token']),
    expiresAt: isLifetime ? new Date(now.getTime() + seconds * 1_000).toISOString() : null,
    instanceUrl: toToken(token['instance_url']) ?? undefined,
  };
}

function toToken(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

const MAX_LIFE_SECONDS = 10 * 365 * 24 * 60 * 60;

interface Refusals {
  toRefusal(answer: ProviderResponse): RemoteFailure;
  /** What an answer is that succeeded and holds no token. */
  readonly withoutToken: string;
}

/** What the names of RFC 6749 mean that an authorization server sends back in place of a code. */
export function readOAuthDenial(error: string): ConnectFailure {
  return DENIALS.get(error.toLowerCase().replaceAll('-', '_')) ?? 'VENDOR_REFUSED';
}

const DENIALS: ReadonlyMap<string, ConnectFailure> = new Map([
  ['access_denied', 'ACCESS_DENIED'],
  ['server_error', 'VENDOR_UNAVAILABLE'],
  ['temporarily_unavailable', 'VENDOR_UNAVAILABLE'],
]);

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
export const oauthClient = shape(
  'OAuthClient',
  'The OAuth client (app) that you have registered with a provider. Its secret is never returned.',
  {
    clientId: field(string, 'Client id of the app.'),
    createdAt: field(date, 'Time at which a client for this provider was first set.'),
    updatedAt: field(date, 'Time at which it was last set.'),
  },
);

export interface StoredOAuthClient extends Of<typeof oauthClient> {
  readonly providerName: ProviderName;
}

/**
 * Finds the client that a token endpoint knows us as: the one with this id, or, where that is not known, the application's
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

/** What the rest of the product knows of an imitated CRM that stands behind a login origin of this machine. */
export interface SandboxLogin {
  /** Of exchange, look-up of the account and revocation: one of the sandbox's origins. */
  readonly tokenOrigin: string;
  /** What is kept in place of the instance URL that a grant names: the sandbox by its name, which has no port. */
  toInstanceUrl(url: string | null): string;
}

/** Undefined for every login origin but the sandbox's. */
export type FindSandboxLogin = (loginOrigin: string) => SandboxLogin | undefined;
