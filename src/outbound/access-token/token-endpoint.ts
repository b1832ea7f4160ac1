import { isIP } from 'node:net';
import { CrossbookError } from '../../domain/errors.ts';
import type { OAuthClient, RefreshedToken, TokenRefresh } from '../../domain/provider.ts';
import type { ProviderName } from '../../domain/provider-names.ts';
import { type ProviderResponse, RemoteFailure, type RemoteRequest } from '../../domain/remote.ts';
import { type HeldOwners, memoryLimitReached } from '../../domain/resources.ts';
import type { RefreshedCredentials, StoredCredentials } from '../../domain/tenant.ts';
import { checkInstanceUrl } from '../../domain/urls.ts';
import { toReconnectDetail } from '../failures.ts';
import type { OutboundDeps } from '../outbound.ts';
import { withRetries } from '../resilience/retry.ts';
import { FIXED_HEADERS, type ObservedCall, type Transmit } from '../send.ts';

/** Without a rate limiter: a token endpoint has its own rules, and every call waits for it. */
export async function callTokenEndpoint(
  deps: EndpointDeps,
  { origin, request, onCall }: EndpointCall,
): Promise<ProviderResponse> {
  const { clock, random, transmit } = deps;
  const deadline = clock.now() + deps.settings.deadlineMs;
  const headers = { ...FIXED_HEADERS, ...request.headers };
  const hold = deps.heldBytes.acquire(deps.owners, 'provider_response', 0);
  if (!hold) throw memoryLimitReached();
  return withRetries(
    { clock, random, deadline, isRepeatable: request.repeatable !== false, pausedMs: () => 0 },
    () => transmit({ origin, request, headers, deadline, hold, onCall }),
  ).finally(() => hold.release());
}

export interface EndpointDeps extends Pick<OutboundDeps, 'clock' | 'random' | 'heldBytes' | 'settings'> {
  readonly owners: HeldOwners;
  readonly transmit: Transmit;
}

interface EndpointCall {
  readonly origin: string;
  readonly request: RemoteRequest;
  readonly onCall?: ObservedCall['onCall'];
}

export type AskTokenEndpoint = (origin: string, request: RemoteRequest) => Promise<ProviderResponse>;

/** At the origin that the provider declares, and where that one redirects, at the other one, if it declares any. */
export async function callAtOrigin(
  { origin: originOf, movedOrigin }: Pick<TokenRefresh, 'origin' | 'movedOrigin'>,
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

/** A host that redirects has not used the token. */
function isRedirect(error: unknown): boolean {
  return error instanceof RemoteFailure && error.answer.status >= 300 && error.answer.status < 400;
}

interface Instance extends Pick<OriginRules, 'hosts' | 'sandboxOrigins'> {
  readonly instanceUrl: string | null;
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

export function unauthorized(detail: string): CrossbookError {
  return new CrossbookError('REMOTE_PROVIDER_UNAUTHORIZED', detail);
}

export interface RefreshDeps
  extends Pick<OriginRules, 'hosts' | 'sandboxOrigins'>,
    Pick<OutboundDeps, 'sandboxAddresses'> {
  readonly provider: ProviderName;
  readonly refresh: TokenRefresh;
  /** Of the token endpoint at this origin; undefined where this installation is not registered there. */
  findClient(origin: string, clientId: string | null): Promise<OAuthClient | undefined>;
  wall(): number;
  readonly ask: AskTokenEndpoint;
  /** As it may be shown. */
  toError(thrown: unknown): unknown;
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
