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
import { ENDED, type PageProblem } from './open-connect-page.ts';
import { nameFlow } from './start-authorization.ts';

/**
 * The provider has sent the customer back. What is believed is what was stored with the state and what the cookie proves;
 * of the callback only the code is used, once.
 */
export async function finishAuthorization(deps: FinishDeps, callback: Callback): Promise<FinishedFlow> {
  const provider = deps.providers.get(callback.provider as ProviderName);
  if (!provider?.authorization) return { problem: 'FORGED' };
  const found = await findFlow(deps.flows, { ...callback, provider: provider.name });
  if ('problem' in found) return found;
  const { flow } = found;
  const visited = await deps.flows.findLink(flow.linkId);
  if (!visited) return { problem: 'CANCELED' };
  const problem = ENDED[visited.link.status];
  if (problem) return { problem, visited };
  if (flow.isUsed || !(await deps.flows.take(flow.stateHash))) return { problem: 'ALREADY_USED', visited };
  const place = { provider, authorization: provider.authorization, flow, visited };
  return callback.error === null ? exchange(deps, place, callback.code) : deny(deps, place, callback);
}

function deny(deps: FinishDeps, place: Place, { error, errorDescription }: Callback): Promise<FinishedFlow> {
  const failure = place.authorization.readDenial(error ?? '', errorDescription);
  return fail(deps, place, { failure, missingScopes: [] });
}

async function exchange(deps: FinishDeps, place: Place, code: string | null): Promise<FinishedFlow> {
  const { flow, visited, provider } = place;
  const granted = await exchangeGrant(deps, { provider, flow, link: visited.link, code });
  if (granted instanceof AuthorizationFailure) {
    deps.onFailure(granted);
    return fail(deps, place, granted);
  }
  const confirmation = visited.link.confirm ? deps.makeCode() : undefined;
  const { link, isOurs } = await deps.flows.finish(flow.linkId, {
    ...{ providerName: provider.name, grant: granted, oauthClientId: flow.oauthClientId },
    codeHash: confirmation === undefined ? undefined : digest(confirmation),
  });
  if (!link) return { problem: 'CANCELED' };
  if (!isOurs) return { problem: ENDED[link.status] ?? 'ENDED', visited: { ...visited, link } };
  if (link.failure !== null) return { ...place, failure: link.failure, missingScopes: [], link };
  if (link.status === 'COMPLETED') deps.forgetConnection(link);
  return { visited, link, provider, confirmation };
}

async function fail(
  deps: FinishDeps,
  place: Place,
  { failure, missingScopes }: Failed,
): Promise<FinishedFlow> {
  const { visited, provider, flow } = place;
  const isOurs = await deps.flows.fail(flow.linkId, { providerName: provider.name, failure });
  if (!isOurs) return { problem: 'ENDED', visited };
  const link = { ...visited.link, status: 'FAILED', failure, providerName: provider.name } as const;
  return { visited, provider, link, failure, missingScopes };
}

/**
 * The flow that a callback belongs to: by its state, and only in the browser that has the flow's cookie. Some providers send
 * a denial without the state: then the cookie alone has to say which flow it is.
 */
async function findFlow(
  flows: Pick<ConnectFlowStore, 'findByState' | 'findByCookies'>,
  callback: FlowCallback,
): Promise<{ readonly flow: ConnectFlow } | { readonly problem: PageProblem }> {
  const { state, error, provider, cookies } = callback;
  if (state === null) return error === null ? { problem: 'FORGED' } : findDenied(flows, callback);
  const flow = STATE.test(state) ? await flows.findByState(digest(state)) : undefined;
  if (flow?.providerName !== provider) return { problem: 'FORGED' };
  const cookie = cookies.get(nameFlow(flow.stateHash));
  if (cookie === undefined || digest(cookie) !== flow.cookieHash) return { problem: 'WRONG_BROWSER' };
  return { flow };
}

/** Of two tabs with the same link either will do: what is denied is the link. */
async function findDenied(
  flows: Pick<ConnectFlowStore, 'findByCookies'>,
  { provider, cookies }: FlowCallback,
): Promise<{ readonly flow: ConnectFlow } | { readonly problem: PageProblem }> {
  const hashes = [...cookies.values()].map(digest);
  const found = await flows.findByCookies(provider, hashes);
  const own = found.filter(
    ({ stateHash, cookieHash }) => digest(cookies.get(nameFlow(stateHash)) ?? '') === cookieHash,
  );
  const [flow, ...others] = own;
  if (!flow) return { problem: 'WRONG_BROWSER' };
  return others.every(({ linkId }) => linkId === flow.linkId) ? { flow } : { problem: 'UNCLEAR' };
}

/** 256 bits in base64url. */
const STATE = /^[\w-]{43}$/;

/** Trades a code for a grant, with what was stored when the flow began. A failure that has a name is an answer. */
async function exchangeGrant(
  deps: ExchangeGrantDeps,
  { provider, flow, link, code }: CodeExchange,
): Promise<Grant | AuthorizationFailure> {
  const publicUrl = deps.connecting.publicUrl();
  if (code === null || code.length > MAX_CODE_LENGTH || publicUrl === undefined) {
    return new AuthorizationFailure('VENDOR_REFUSED', 'The callback has neither a code nor an error.');
  }
  const { loginOrigin, codeVerifier, oauthClientId } = flow;
  const { applicationId } = link;
  const redirectUri = toRedirectUri(publicUrl, provider.name);
  try {
    return await deps.exchangeCode({
      ...{ provider, applicationId, oauthClientId, loginOrigin, code, redirectUri, codeVerifier },
    });
  } catch (thrown) {
    if (thrown instanceof AuthorizationFailure) return thrown;
    throw thrown;
  }
}

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

type FinishedFlow = { readonly problem: PageProblem; readonly visited?: VisitedLink } | EndedFlow;

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
  readonly authorization: NonNullable<Provider['authorization']>;
  readonly flow: ConnectFlow;
  readonly visited: VisitedLink;
}

interface FlowCallback {
  readonly provider: ProviderName;
  readonly state: string | null;
  readonly error: string | null;
  readonly cookies: ReadonlyMap<string, string>;
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

interface ExchangeGrantDeps {
  readonly connecting: Pick<ConnectServices, 'publicUrl'>;
  readonly exchangeCode: ExchangeCode;
}

interface CodeExchange {
  readonly provider: Provider;
  readonly flow: ConnectFlow;
  readonly link: ConnectLink;
  readonly code: string | null;
}
