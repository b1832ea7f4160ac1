import { createHash, randomBytes } from 'node:crypto';
import type { ConnectFlowStore, VisitedLink } from '../domain/connect-flow.ts';
import type { ConnectServices } from '../domain/connect-services.ts';
import type { Provider } from '../domain/provider.ts';
import { digest } from '../lib/digest.ts';
import {
  type Offer,
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
  if (!provider) return { ...page, mistake: 'PROVIDER' };
  const login = readLogin(deps, { provider, page, offer, asked });
  if (!login) return { ...page, mistake: 'LOGIN_URL' };
  return start(deps, { provider, visited: page.visited, loginOrigin: login.origin });
}

async function start(
  { connecting, flows }: StartDeps,
  { provider, visited, loginOrigin }: Chosen,
): Promise<StartedFlow> {
  const { link } = visited;
  const { authorization, name } = provider;
  const { applicationId } = link;
  const client = await connecting.findOAuthClient({
    ...{ applicationId, provider: name, origin: loginOrigin, clientId: null },
  });
  const redirectUri = toRedirectUri(connecting, provider);
  if (!client || !authorization || redirectUri === undefined) return { problem: 'NOT_SET_UP', visited };
  const [state, cookie, codeVerifier] = [makeSecret(), makeSecret(), makeSecret()];
  const stateHash = digest(state);
  const outcome = await flows.start({
    ...{ stateHash, linkId: link.id, providerName: name, cookieHash: digest(cookie), loginOrigin },
    ...{ oauthClientId: client.clientId, codeVerifier },
  });
  if (outcome !== 'started') return { problem: outcome === 'ended' ? 'ENDED' : 'TOO_MANY', visited };
  const consentUrl = authorization.toConsentUrl({
    clientId: client.clientId,
    ...{ redirectUri, loginOrigin, state },
    codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    optionalScopes: link.optionalScopes,
    isPopup: link.mode === 'POPUP',
  });
  return {
    ...{ visited, consentUrl, provider: name },
    cookie: { flow: nameFlow(stateHash), value: cookie, expiresAt: link.expiresAt },
  };
}

function readLogin(
  { connecting }: StartDeps,
  { provider, page, offer, asked }: LoginFacts,
): { readonly origin: string } | undefined {
  const { link } = page.visited;
  const isAsked = offer.logins.length > 0 || offer.ownLoginExample !== undefined;
  const loginUrl = link.loginUrl ?? (isAsked ? asked.loginUrl : null);
  const login = connecting.resolveLogin(provider, loginUrl);
  return 'problem' in login ? undefined : login;
}

/** Of 256 bits; as a verifier it has the 43 characters that are the fewest. */
function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Names a flow's cookie: with two tabs there are two. It says nothing of the state. */
export function nameFlow(stateHash: string): string {
  return stateHash.slice(0, 16);
}

/** One for each provider, so that no answer of one is taken for another's. */
export function toRedirectUri(
  { publicUrl }: Pick<ConnectServices, 'publicUrl'>,
  { name }: Pick<Provider, 'name'>,
): string | undefined {
  const origin = publicUrl();
  return origin === undefined ? undefined : `${origin}/connect/callback/${name}`;
}

export interface StartRequest {
  readonly token: string;
  readonly provider: string;
  /** What the customer chose or typed; null: the usual place. */
  readonly loginUrl: string | null;
}

export type StartedFlow =
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
  readonly loginOrigin: string;
}

interface LoginFacts {
  readonly provider: Provider;
  readonly page: OfferedPage;
  readonly offer: Offer;
  readonly asked: StartRequest;
}
