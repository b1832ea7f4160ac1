import { randomBytes } from 'node:crypto';
import {
  type ConnectFlowStore,
  type ConnectLinkStatus,
  type ConnectServices,
  FLOW_COOKIE_OUTLIVES_LINK_MS,
  type VisitedLink,
} from '../domain/connect-link.ts';
import type { Login } from '../domain/oauth.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import {
  type AllowedRecords,
  listScopes,
  toAllowedRecords,
  uniteAllowed,
} from '../domain/record-access.ts';
import type { CopiedRecords } from '../domain/sync.ts';
import { checkLoginUrl, toRedirectUri } from '../domain/urls.ts';
import { digest } from '../lib/digest.ts';
import { type AuthorizationDeps, requireAuthorization, resolveLogin } from './connect-link.ts';

/** Opens a link's page. It changes nothing, because mail scanners also follow links. */
export async function openConnectPage(
  deps: StartDeps,
  token: string,
): Promise<OfferedPage | EndedPage> {
  const linkId = deps.connecting.linkTokens.verify(token);
  if (linkId === undefined) return { problem: 'FORGED' };
  const visited = await deps.flows.findLink(linkId);
  // The link was deleted, with its customer or days after its end.
  if (!visited) return { problem: 'CANCELED' };
  const problem = ENDED[visited.link.status];
  if (problem) return { problem, visited };
  // A link that only maps fields has another page.
  const providers = visited.link.purpose === 'CONNECT' ? visited.link.providers : [];
  return { visited, offers: providers.flatMap((name) => toOffer(deps, name, visited)) };
}

/** If the application has set the login page the customer is not asked for it. */
function toOffer(
  { providers }: AuthorizationDeps,
  name: ProviderName,
  visited: VisitedLink,
): Offer[] {
  const authorization = providers.get(name)?.authorization;
  if (!authorization) return [];
  const { link, copied } = visited;
  const { logins, ownLoginExample, scopeTitles } = authorization;
  const requested = toRequestedRecords(visited, name);
  const requiredScopes = listScopes(authorization, requested);
  const optionalScopes = [...new Set(link.optionalScopes)]
    .filter((scope) => !requiredScopes.includes(scope))
    .map((scope) => ({ scope, title: scopeTitles[scope] }));
  const offer = { provider: name, requested, optionalScopes, copied: copied[name] };
  const isChoice = link.loginUrl === null && (logins.length > 1 || ownLoginExample !== undefined);
  return [isChoice ? { ...offer, logins, ownLoginExample } : { ...offer, logins: [] }];
}

/** What a customer is asked for: what the link asks for, and what the connection allows already. */
export function toRequestedRecords(
  { link, allowed }: VisitedLink,
  name: ProviderName,
): AllowedRecords {
  return uniteAllowed(toAllowedRecords(link), allowed[name]);
}

export const ENDED: Readonly<Record<ConnectLinkStatus, PageProblem | undefined>> = {
  PENDING: undefined,
  STARTED: undefined,
  AWAITING_CONFIRMATION: 'ALREADY_USED',
  COMPLETED: 'ALREADY_USED',
  FAILED: 'ENDED',
  EXPIRED: 'EXPIRED',
  CANCELED: 'CANCELED',
};

/**
 * Starts an OAuth flow: a new state, PKCE verifier and cookie per tab. Only their hashes are stored, and the
 * encrypted verifier.
 */
export async function startAuthorization(
  deps: StartDeps,
  input: StartRequest,
): Promise<StartedFlow> {
  const page = await openConnectPage(deps, input.token);
  if (page.problem !== undefined) return page;
  const { visited, offers } = page;
  const { link } = visited;
  const offer = offers.find(({ provider }) => provider === input.provider);
  if (!offer) return { ...page, mistake: 'PROVIDER' };
  const { provider } = offer;
  const authorization = requireAuthorization(deps, provider);
  const hasLoginField = offer.logins.length > 0 || offer.ownLoginExample !== undefined;
  const loginUrl = link.loginUrl ?? (hasLoginField ? input.loginUrl : null);
  if ('problem' in checkLoginUrl(loginUrl, authorization)) return { ...page, mistake: 'LOGIN_URL' };
  const login = await resolveLogin(deps.connecting, {
    applicationId: link.applicationId,
    name: provider,
    authorization,
    loginUrl,
  });
  const publicUrl = deps.connecting.publicUrl();
  // The application has no OAuth client there (any more).
  if ('problem' in login || publicUrl === undefined) return { problem: 'NOT_SET_UP', visited };

  const { origin: loginOrigin, clientId } = login;
  const [state, cookie, codeVerifier] = [makeSecret(), makeSecret(), makeSecret()];
  const stateHash = digest(state);
  const outcome = await deps.flows.start({
    stateHash,
    linkId: link.id,
    providerName: provider,
    cookieHash: digest(cookie),
    loginOrigin,
    oauthClientId: clientId,
    codeVerifier,
  });
  if (outcome !== 'started')
    return { problem: outcome === 'ended' ? 'ENDED' : 'TOO_MANY', visited };
  const consentUrl = authorization.toConsentUrl({
    clientId,
    redirectUri: toRedirectUri(publicUrl, provider),
    loginOrigin,
    state,
    // S256 of RFC 7636 is the same hash.
    codeChallenge: digest(codeVerifier),
    requiredScopes: listScopes(authorization, offer.requested),
    optionalScopes: link.optionalScopes,
    isPopup: link.mode === 'POPUP',
  });
  const flow = nameFlow(stateHash);
  const expiresAt = new Date(link.expiresAt.getTime() + FLOW_COOKIE_OUTLIVES_LINK_MS);
  return { visited, consentUrl, provider, cookie: { flow, value: cookie, expiresAt } };
}

/** 256 random bits; their 43 characters are the minimum of a PKCE verifier. */
function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The cookie name of a flow, one per tab. It reveals nothing about the state. */
export function nameFlow(stateHash: string): string {
  return stateHash.slice(0, 16);
}

/** Why a page cannot continue. None of these changes the link. */
export type PageProblem =
  | 'FORGED'
  | 'EXPIRED'
  | 'ALREADY_USED'
  | 'ENDED'
  | 'CANCELED'
  | 'WRONG_BROWSER'
  | 'WRONG_SITE'
  | 'TOO_MANY'
  | 'UNCLEAR'
  | 'NOT_SET_UP';

export interface EndedPage {
  readonly problem: PageProblem;
  readonly visited?: VisitedLink;
}

interface OfferedPage {
  readonly visited: VisitedLink;
  readonly offers: readonly Offer[];
  readonly problem?: undefined;
}

/** A provider to choose from. */
export interface Offer {
  readonly provider: ProviderName;
  /** What the application will be allowed to read and to change. */
  readonly requested: AllowedRecords;
  readonly optionalScopes: readonly OptionalScope[];
  /** What the application's syncs would copy. */
  readonly copied: CopiedRecords | undefined;
  /** Login hosts to choose from; empty if there is no choice. */
  readonly logins: readonly Login[];
  /** An example of the customer's own login page, where it may be typed. */
  readonly ownLoginExample?: string | undefined;
}

export interface OptionalScope {
  readonly scope: string;
  /** What it lets the application read, if that is known. */
  readonly title: string | undefined;
}

interface StartRequest {
  readonly token: string;
  readonly provider: string;
  /** The chosen or typed URL; null: the default. */
  readonly loginUrl: string | null;
}

type StartedFlow =
  | EndedPage
  /** The page again, with the mistake to correct. */
  | (OfferedPage & { readonly mistake: 'PROVIDER' | 'LOGIN_URL' })
  | {
      readonly visited: VisitedLink;
      readonly provider: ProviderName;
      /** A secret, because it contains the state. */
      readonly consentUrl: string;
      readonly cookie: FlowCookie;
      readonly problem?: undefined;
      readonly mistake?: undefined;
    };

export interface FlowCookie {
  readonly flow: string;
  readonly value: string;
  readonly expiresAt: Date;
}

export interface StartDeps extends AuthorizationDeps {
  readonly flows: Pick<ConnectFlowStore, 'findLink' | 'start'>;
  readonly connecting: ConnectServices;
}
