import { createHash, randomBytes } from 'node:crypto';
import type { Authorization } from '../domain/authorization.ts';
import type { ConnectFlowStore, VisitedLink } from '../domain/connect-flow.ts';
import type { ConnectServices } from '../domain/connect-services.ts';
import { CrossbookError } from '../domain/errors.ts';
import { checkLoginUrl } from '../domain/login-url.ts';
import type { FindOAuthClient } from '../domain/oauth-client.ts';
import type { Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { toRedirectUri } from '../domain/redirect-uri.ts';
import { digest } from '../lib/digest.ts';
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

/**
 * Where a customer logs in, and as whom we send them there. Where nobody has registered an app with the provider, the
 * sandbox stands in for it, if it is on: for every login host, so that a demo can be clicked through as the real way is.
 */
export async function resolveLogin(deps: LoginDeps, wanted: WantedLogin): Promise<ResolvedLogin> {
  const { applicationId, providerName, loginUrl } = wanted;
  const { authorization } = deps.providers.get(providerName) ?? {};
  if (!authorization) {
    throw new CrossbookError('NOT_IMPLEMENTED', `${providerName} cannot be connected by a link.`);
  }
  const checked = checkLoginUrl(loginUrl, authorization);
  if ('problem' in checked) {
    const detail = `The login URL is not an address of ${providerName}: ${checked.problem}.`;
    throw new CrossbookError('UNPROCESSABLE_ENTITY', detail);
  }
  const find = (origin: string) =>
    deps.findOAuthClient({ applicationId, provider: providerName, origin, clientId: null });
  for (const origin of [checked.origin, deps.toSandboxLogin(providerName, checked.origin)]) {
    const client = origin === undefined ? undefined : await find(origin);
    if (origin !== undefined && client) return { origin, clientId: client.clientId, authorization };
  }
  const detail = `No OAuth client of ${providerName} is set up: register an app there, and set its client id and secret.`;
  throw new CrossbookError('UNPROCESSABLE_ENTITY', detail);
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

interface LoginDeps {
  readonly providers: ReadonlyMap<ProviderName, Pick<Provider, 'authorization'>>;
  readonly findOAuthClient: FindOAuthClient;
  /** Where the imitated provider stands in for this login origin, if the sandbox is on. */
  toSandboxLogin(provider: ProviderName, loginOrigin: string): string | undefined;
}

interface WantedLogin {
  readonly applicationId: string;
  readonly providerName: ProviderName;
  /** As the application or the customer gave it; null: the provider's usual one. */
  readonly loginUrl: string | null;
}

interface ResolvedLogin {
  readonly origin: string;
  readonly clientId: string;
  readonly authorization: Authorization;
}
