import { isIP } from 'node:net';
import type { RevocationEndpoint } from '../../domain/authorization.ts';
import type { RefreshedCredentials, StoredCredentials } from '../../domain/credentials.ts';
import { CrossbookError } from '../../domain/errors.ts';
import { type HeldBytes, type HeldOwners, memoryLimitReached } from '../../domain/held-bytes.ts';
import type { OAuthClient, RefreshedToken, TokenRefresh } from '../../domain/provider.ts';
import type { ProviderName } from '../../domain/provider-names.ts';
import { type ProviderResponse, RemoteFailure, type RemoteRequest } from '../../domain/remote.ts';
import { checkInstanceUrl } from '../../domain/urls.ts';
import type { Clock } from '../../lib/clock.ts';
import { toReconnectDetail } from '../failures.ts';
import type { Transport } from '../http/transport.ts';
import { withRetries } from '../rate-limiting/retry.ts';
import { createRedactor } from '../redaction/redactor.ts';
import { FIXED_HEADERS, type ObservedCall } from '../send-once.ts';

/** Without a rate limiter: a token endpoint has its own rules, and every call waits for it. */
export async function callTokenEndpoint(
  deps: EndpointDeps,
  { origin, request, onCall }: EndpointCall,
): Promise<ProviderResponse> {
  const { clock, transport } = deps;
  const deadline = clock.now() + deps.deadlineMs;
  const headers = { ...FIXED_HEADERS, ...request.headers };
  const hold = deps.heldBytes.acquire(deps.owners, 'provider_response', 0);
  if (!hold) throw memoryLimitReached();
  return withRetries(
    { clock, random: deps.random, deadline, isRepeatable: request.repeatable !== false, pausedMs: () => 0 },
    () => transport.send({ origin, request, headers, deadline, hold, onCall }),
  ).finally(() => hold.release());
}

/** At the origin that the provider declares, and where that one redirects, at the other one, if it declares any. */
async function callAtOrigin(
  { origin: originOf, movedOrigin }: TokenOrigins,
  { instanceUrl, hosts, sandboxOrigins }: Instance,
  ask: (origin: string) => Promise<ProviderResponse>,
): Promise<ProviderResponse> {
  const origin = resolveOrigin(instanceUrl, { hosts, sandboxOrigins, originOf });
  return ask(origin).catch((error: unknown) => {
    const other = isRedirect(error) ? movedOrigin?.(instanceUrl) : undefined;
    if (other === undefined || sandboxOrigins.includes(origin)) throw error;
    return ask(resolveOrigin(instanceUrl, { hosts, sandboxOrigins, originOf: () => other }));
  });
}

/** Whoever redirects has not used the token. */
function isRedirect(error: unknown): boolean {
  return error instanceof RemoteFailure && error.answer.status >= 300 && error.answer.status < 400;
}

export interface EndpointDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly deadlineMs: number;
  readonly heldBytes: HeldBytes;
  readonly owners: HeldOwners;
  readonly transport: { send(call: ObservedCall): ReturnType<Transport['send']> };
}

interface EndpointCall {
  readonly origin: string;
  readonly request: RemoteRequest;
  readonly onCall?: ObservedCall['onCall'];
}

interface TokenOrigins {
  origin(instanceUrl: string | null): string | undefined;
  movedOrigin?(instanceUrl: string | null): string | undefined;
}

interface Instance {
  readonly instanceUrl: string | null;
  readonly hosts: readonly RegExp[];
  readonly sandboxOrigins: readonly string[];
}

/** Asks the provider for a new access token. Throws an InvalidGrantError where it never gives one again. */
export async function refreshToken(
  deps: RefreshDeps,
  { credentials, instanceUrl, oauthClientId }: StoredCredentials,
): Promise<RefreshedCredentials> {
  const { refresh, hosts, sandboxOrigins } = deps;
  if (credentials.type === 'token' || credentials.refreshToken === null) {
    throw unauthorized('The access token has expired, and there is no refresh token to renew it with.');
  }
  const { refreshToken: token } = credentials;
  const answer = await callAtOrigin(refresh, { instanceUrl, hosts, sandboxOrigins }, async (origin) => {
    const client = await deps.findClient(origin, oauthClientId);
    if (!client) throw noClient(deps, oauthClientId);
    return deps.ask(origin, refresh.toRequest({ client, refreshToken: token }));
  });
  const refreshed = readAnswer(deps, answer);
  return {
    credentials: {
      type: 'oauth2',
      accessToken: refreshed.accessToken,
      // Most providers answer with none, and mean that the old one goes on.
      refreshToken: refreshed.refreshToken ?? credentials.refreshToken,
      expiresAt: refreshed.expiresAt,
    },
    instanceUrl: readMove(deps, refreshed, instanceUrl),
  };
}

function readAnswer(deps: RefreshDeps, answer: ProviderResponse): RefreshedToken {
  try {
    return deps.refresh.readAnswer(answer, new Date(deps.wall()));
  } catch (thrown) {
    // Not left to the adapter whose call waits for the token: it would take this answer for one to its own call.
    const error = deps.toError(thrown);
    if (!(error instanceof CrossbookError) || error.code !== 'REMOTE_PROVIDER_UNAUTHORIZED') throw error;
    throw new InvalidGrantError(deps.provider, error);
  }
}

/** Where an instance moves to has to be one of the provider's hosts as well, else the token would follow it anywhere. */
function readMove(
  deps: RefreshDeps,
  { instanceUrl }: RefreshedToken,
  current: string | null,
): string | undefined {
  if (instanceUrl === undefined || instanceUrl === current) return undefined;
  const checked = checkInstanceUrl(instanceUrl, deps);
  if ('problem' in checked || checked.url === current) return undefined;
  // The sandbox knows its address and not its name: it has not moved.
  const address = current === null ? undefined : deps.sandboxAddresses?.get(new URL(current).origin);
  return checked.origin === address ? undefined : checked.url;
}

/** Only a new consent of the customer helps. */
export class InvalidGrantError extends CrossbookError {
  constructor(provider: ProviderName, cause: CrossbookError) {
    super('REMOTE_PROVIDER_UNAUTHORIZED', toReconnectDetail(provider), { cause, remote: cause.remote });
  }
}

function noClient({ provider }: RefreshDeps, clientId: string | null): CrossbookError {
  const which = clientId === null ? '' : ' with the id that it was granted to';
  return unauthorized(
    `The access token has expired, and no OAuth client of ${provider}${which} is set up to renew it.`,
  );
}

function unauthorized(detail: string): CrossbookError {
  return new CrossbookError('REMOTE_PROVIDER_UNAUTHORIZED', detail);
}

export interface RefreshDeps {
  readonly provider: ProviderName;
  readonly refresh: TokenRefresh;
  /** Of the token endpoint at this origin; undefined where this installation is not registered there. */
  findClient(origin: string, clientId: string | null): Promise<OAuthClient | undefined>;
  readonly hosts: readonly RegExp[];
  readonly sandboxOrigins: readonly string[];
  readonly sandboxAddresses?: ReadonlyMap<string, string> | undefined;
  wall(): number;
  ask(origin: string, request: RemoteRequest): Promise<ProviderResponse>;
  /** As it may be shown. */
  toError(thrown: unknown): unknown;
}

/** Ends a grant at the provider. False: it says that the grant goes on. Rejects where that is unknown; the error may be logged. */
export async function revokeGrant(
  deps: RevocationDeps,
  { instanceUrl, refreshToken }: GivenGrant,
): Promise<boolean> {
  const { revocation } = deps;
  const secrets = [refreshToken];
  const { toError } = createRedactor(() => secrets);
  try {
    const answer = await callAtOrigin(revocation, { ...deps, instanceUrl }, async (origin) => {
      const client = await deps.findClient(origin);
      if (!client) throw noClientToRevoke();
      secrets.push(client.clientSecret);
      return deps.ask(origin, revocation.toRequest({ client, refreshToken }));
    });
    return revocation.isRevoked(answer);
  } catch (thrown) {
    throw toError(thrown);
  }
}

function noClientToRevoke(): CrossbookError {
  return new CrossbookError(
    'UNPROCESSABLE_ENTITY',
    'The OAuth client that the grant was given to is not set up here, so that it cannot be revoked.',
  );
}

interface RevocationDeps {
  readonly revocation: RevocationEndpoint;
  readonly hosts: readonly RegExp[];
  readonly sandboxOrigins: readonly string[];
  /** The client that the grant was given to. */
  findClient(origin: string): Promise<OAuthClient | undefined>;
  ask(origin: string, request: RemoteRequest): Promise<ProviderResponse>;
}

export interface GivenGrant {
  readonly instanceUrl: string | null;
  readonly refreshToken: string;
}

/**
 * The one origin that may be sent a connection's secrets. What is stored was checked when it came in; it is checked
 * again, because the rules may have become stricter since.
 */
export function resolveOrigin(instanceUrl: string | null, rules: OriginRules): string {
  if (instanceUrl !== null) {
    const checked = checkInstanceUrl(instanceUrl, rules);
    if ('problem' in checked) {
      throw unusable(`The connection's instance URL cannot be used: ${checked.problem}.`);
    }
    if (rules.sandboxOrigins.includes(checked.origin)) return checked.origin;
  }
  const origin = rules.originOf(instanceUrl);
  if (origin === undefined) throw unusable('The connection needs an instance URL to be called.');
  const { protocol, hostname, origin: plain } = new URL(origin);
  if (protocol !== 'https:' || isIP(hostname) || plain !== origin) {
    throw new Error('A provider declares an origin that is no plain https host.');
  }
  return origin;
}

function unusable(detail: string): CrossbookError {
  return new CrossbookError('UNPROCESSABLE_ENTITY', detail);
}

interface OriginRules {
  /** The provider's instance hosts. */
  readonly hosts: readonly RegExp[];
  readonly sandboxOrigins: readonly string[];
  /** As the provider declares it, for its API or for its token endpoint. */
  originOf(instanceUrl: string | null): string | undefined;
}
