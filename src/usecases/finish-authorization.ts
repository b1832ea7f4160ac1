import type {
  ConnectFailure,
  ConnectFlow,
  ConnectFlowStore,
  ConnectLink,
  ConnectServices,
  VisitedLink,
} from '../domain/connect-link.ts';
import { AuthorizationFailure, type Grant } from '../domain/oauth.ts';
import type { Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { toRedirectUri } from '../domain/urls.ts';
import { digest } from '../lib/digest.ts';
import { ENDED, type EndedPage, nameFlow, type PageProblem } from './start-authorization.ts';

/**
 * The provider has sent the customer back. What is believed is what was stored with the state and what the cookie proves;
 * of the callback only the code is used, once.
 */
export async function finishAuthorization(deps: FinishDeps, callback: Callback): Promise<FinishedFlow> {
  const provider = deps.providers.get(callback.provider as ProviderName);
  if (!provider?.authorization) return { problem: 'FORGED' };
  const flow = await findFlow(deps.flows, callback);
  if (typeof flow === 'string') return { problem: flow };
  const visited = await deps.flows.findLink(flow.linkId);
  if (!visited) return { problem: 'CANCELED' };
  const problem = ENDED[visited.link.status];
  if (problem) return { problem, visited };
  if (flow.isUsed || !(await deps.flows.take(flow.stateHash))) return { problem: 'ALREADY_USED', visited };
  const place = { provider, flow, visited };
  const { code, error, errorDescription } = callback;
  if (error !== null) {
    const failure = provider.authorization.readDenial(error, errorDescription);
    return fail(deps, place, { failure, missingScopes: [] });
  }
  try {
    return await finish(deps, place, await exchange(deps, place, code));
  } catch (thrown) {
    if (!(thrown instanceof AuthorizationFailure)) throw thrown;
    deps.onFailure(thrown);
    return fail(deps, place, thrown);
  }
}

/** Trades the code for a grant, with what was stored when the flow began. */
async function exchange(deps: FinishDeps, { provider, flow, visited }: Place, code: string | null) {
  const publicUrl = deps.connecting.publicUrl();
  if (code === null || code.length > MAX_CODE_LENGTH || publicUrl === undefined) {
    throw new AuthorizationFailure('VENDOR_REFUSED', 'The callback has neither a code nor an error.');
  }
  const { loginOrigin, codeVerifier, oauthClientId } = flow;
  const { applicationId } = visited.link;
  const redirectUri = toRedirectUri(publicUrl, provider.name);
  return deps.exchangeCode({
    ...{ provider, applicationId, oauthClientId, loginOrigin, code, redirectUri, codeVerifier },
  });
}

async function finish(deps: FinishDeps, place: Place, grant: Grant): Promise<FinishedFlow> {
  const { flow, visited, provider } = place;
  const confirmation = visited.link.confirm ? deps.makeCode() : undefined;
  const { link, isOurs } = await deps.flows.finish(flow.linkId, {
    ...{ providerName: provider.name, grant, oauthClientId: flow.oauthClientId },
    codeHash: confirmation === undefined ? undefined : digest(confirmation),
  });
  if (!link) return { problem: 'CANCELED' };
  if (!isOurs) return { problem: ENDED[link.status] ?? 'ENDED', visited: { ...visited, link } };
  if (link.failure !== null) return { visited, provider, failure: link.failure, missingScopes: [], link };
  if (link.status === 'COMPLETED') deps.forgetConnection(link);
  return { visited, link, provider, confirmation };
}

async function fail(
  deps: FinishDeps,
  { visited, provider, flow }: Place,
  { failure, missingScopes }: Failed,
): Promise<FinishedFlow> {
  const isOurs = await deps.flows.fail(flow.linkId, { providerName: provider.name, failure });
  if (!isOurs) return { problem: 'ENDED', visited };
  const link = { ...visited.link, status: 'FAILED', failure, providerName: provider.name } as const;
  return { visited, provider, link, failure, missingScopes };
}

/**
 * The flow that a callback belongs to: by its state, and only in the browser that has the flow's cookie. Some providers send
 * a denial without the state: then the cookie alone has to say which flow it is.
 */
async function findFlow(flows: ConnectFlowStore, callback: Callback): Promise<ConnectFlow | PageProblem> {
  const { state, error, provider, cookies } = callback;
  if (state === null) return error === null ? 'FORGED' : findDenied(flows, callback);
  const flow = STATE.test(state) ? await flows.findByState(digest(state)) : undefined;
  if (flow?.providerName !== provider) return 'FORGED';
  return hasCookie(cookies, flow) ? flow : 'WRONG_BROWSER';
}

/** Of two tabs with the same link either will do: what is denied is the link. */
async function findDenied(
  flows: ConnectFlowStore,
  { provider, cookies }: Callback,
): Promise<ConnectFlow | PageProblem> {
  const hashes = [...cookies.values()].map(digest);
  const found = await flows.findByCookies(provider as ProviderName, hashes);
  const [flow, ...others] = found.filter((one) => hasCookie(cookies, one));
  if (!flow) return 'WRONG_BROWSER';
  return others.every(({ linkId }) => linkId === flow.linkId) ? flow : 'UNCLEAR';
}

function hasCookie(cookies: Callback['cookies'], { stateHash, cookieHash }: ConnectFlow): boolean {
  const cookie = cookies.get(nameFlow(stateHash));
  return cookie !== undefined && digest(cookie) === cookieHash;
}

/** 256 bits in base64url. */
const STATE = /^[\w-]{43}$/;
const MAX_CODE_LENGTH = 4_096;

/** As the provider's redirect has it. Nothing of it is trusted. */
export interface Callback {
  /** Of the path. */
  readonly provider: string;
  readonly state: string | null;
  readonly code: string | null;
  readonly error: string | null;
  readonly errorDescription: string | null;
  /** The flows' cookies: value by name of the flow. */
  readonly cookies: ReadonlyMap<string, string>;
}

type FinishedFlow = EndedPage | EndedFlow;

/** The link has ended, with a connection or without one. */
export type EndedFlow = {
  readonly visited: VisitedLink;
  readonly provider: Provider;
  /** As it is now. */
  readonly link: ConnectLink;
  readonly problem?: undefined;
} & (
  | (Failed & { readonly confirmation?: undefined })
  | {
      /** The one-time code that the application redeems; undefined where the link needs none. */
      readonly confirmation: string | undefined;
      readonly failure?: undefined;
    }
);

interface Failed {
  readonly failure: ConnectFailure;
  /** Of MISSING_SCOPES. */
  readonly missingScopes: readonly string[];
}

export interface FinishDeps {
  readonly flows: ConnectFlowStore;
  readonly providers: ReadonlyMap<ProviderName, Provider>;
  readonly connecting: Pick<ConnectServices, 'publicUrl'>;
  readonly exchangeCode: ExchangeCode;
  /** A one-time code that nobody can guess. */
  makeCode(): string;
  /** What this process remembers of the connection is no longer true. */
  forgetConnection(link: ConnectLink): void;
  /** For the log: it holds nothing secret. */
  onFailure(failure: AuthorizationFailure): void;
}

interface Place {
  readonly provider: Provider;
  readonly flow: ConnectFlow;
  readonly visited: VisitedLink;
}

/** The guarded way out. Rejects with an AuthorizationFailure where no usable grant came of it. */
export type ExchangeCode = (exchange: {
  readonly provider: Provider;
  readonly applicationId: string;
  readonly oauthClientId: string;
  /** As it was kept with the state. */
  readonly loginOrigin: string;
  readonly code: string;
  readonly redirectUri: string;
  readonly codeVerifier: string;
}) => Promise<Grant>;
