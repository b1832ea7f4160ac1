import { createHash, randomBytes } from 'node:crypto';
import type { ConnectFlowStore, ConnectServices, VisitedLink } from '../domain/connect-link.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Provider } from '../domain/provider.ts';
import { checkLoginUrl, toRedirectUri } from '../domain/urls.ts';
import { digest } from '../lib/digest.ts';
import type { ResolvedLogin } from './connect-link.ts';
import { resolveLogin } from './connect-link.ts';
import {
  type OpenedPage,
  type OpenPageDeps,
  openConnectPage,
  type PageProblem,
} from './open-connect-page.ts';

/**
 * Begins one way to the provider and back: a state, a verifier of PKCE and a cookie that belong together, made anew for each
 * tab. Only their hashes are stored, and the verifier sealed.
 */
export async function startAuthorization(deps: StartDeps, asked: StartRequest): Promise<StartedFlow> {
  const page = await openConnectPage(deps, asked.token);
  if (page.problem !== undefined) return page;
  const offer = page.offers.find(({ provider }) => provider === asked.provider);
  if (!offer) return { ...page, mistake: 'PROVIDER' };
  const provider = deps.providers.get(offer.provider);
  if (!provider?.authorization) return { ...page, mistake: 'PROVIDER' };
  const { link } = page.visited;
  const isAsked = offer.logins.length > 0 || offer.ownLoginExample !== undefined;
  const loginUrl = link.loginUrl ?? (isAsked ? asked.loginUrl : null);
  if ('problem' in checkLoginUrl(loginUrl, provider.authorization)) return { ...page, mistake: 'LOGIN_URL' };
  const login = await findLogin(deps, {
    ...{ applicationId: link.applicationId, providerName: provider.name, loginUrl },
  });
  const publicUrl = deps.connecting.publicUrl();
  const { visited } = page;
  if (!login || publicUrl === undefined) return { problem: 'NOT_SET_UP', visited };
  const redirectUri = toRedirectUri(publicUrl, provider.name);
  return start(deps, { provider, visited, login, redirectUri });
}

async function start(
  { flows }: StartDeps,
  { provider, visited, login, redirectUri }: Chosen,
): Promise<StartedFlow> {
  const { link } = visited;
  const { origin: loginOrigin, clientId } = login;
  const [state, cookie, codeVerifier] = [makeSecret(), makeSecret(), makeSecret()];
  const stateHash = digest(state);
  const outcome = await flows.start({
    ...{ stateHash, linkId: link.id, providerName: provider.name, cookieHash: digest(cookie) },
    ...{ loginOrigin, oauthClientId: clientId, codeVerifier },
  });
  if (outcome !== 'started') return { problem: outcome === 'ended' ? 'ENDED' : 'TOO_MANY', visited };
  const consentUrl = login.authorization.toConsentUrl({
    ...{ clientId, redirectUri, loginOrigin, state },
    codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    optionalScopes: link.optionalScopes,
    isPopup: link.mode === 'POPUP',
  });
  return {
    ...{ visited, consentUrl, provider: provider.name },
    cookie: { flow: nameFlow(stateHash), value: cookie, expiresAt: link.expiresAt },
  };
}

/** Undefined where the application has no client there, or no more. */
async function findLogin(
  { connecting, providers }: StartDeps,
  wanted: Parameters<typeof resolveLogin>[1],
): Promise<ResolvedLogin | undefined> {
  try {
    return await resolveLogin({ ...connecting, providers }, wanted);
  } catch (error) {
    if (error instanceof CrossbookError && error.code === 'UNPROCESSABLE_ENTITY') return undefined;
    throw error;
  }
}

/** Of 256 bits; as a verifier it has the 43 characters that are the fewest. */
function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Names a flow's cookie: with two tabs there are two. It says nothing of the state. */
export function nameFlow(stateHash: string): string {
  return stateHash.slice(0, 16);
}

interface StartRequest {
  readonly token: string;
  readonly provider: string;
  /** What the customer chose or typed; null: the usual place. */
  readonly loginUrl: string | null;
}

type StartedFlow =
  | { readonly problem: PageProblem; readonly visited?: VisitedLink }
  /** The page again, saying what to correct. */
  | (OfferedPage & { readonly mistake: 'PROVIDER' | 'LOGIN_URL' })
  | {
      readonly visited: VisitedLink;
      readonly provider: Provider['name'];
      /** A secret: it holds the state. */
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

export interface StartDeps extends OpenPageDeps {
  readonly flows: Pick<ConnectFlowStore, 'findLink' | 'start'>;
  readonly connecting: ConnectServices;
}

type OfferedPage = Extract<OpenedPage, { readonly problem?: undefined }>;

interface Chosen {
  readonly provider: Provider;
  readonly visited: VisitedLink;
  readonly login: ResolvedLogin;
  readonly redirectUri: string;
}
