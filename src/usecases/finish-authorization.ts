import type { ConnectFailure } from '../domain/connect-failure.ts';
import type {
  ConnectFlow,
  ConnectFlowStore,
  ConnectLink,
  ConnectServices,
  VisitedLink,
} from '../domain/connect-link.ts';
import type { CustomFieldsByRecord } from '../domain/custom-fields.ts';
import type { ProviderCall } from '../domain/log.ts';
import { AuthorizationFailure, type CodeExchange, type Grant } from '../domain/oauth.ts';
import type { Provider, Providers } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { listScopes } from '../domain/record-access.ts';
import { toRedirectUri } from '../domain/urls.ts';
import { digest } from '../lib/digest.ts';
import { canMatchFields } from './match-fields.ts';
import {
  ENDED,
  type EndedPage,
  nameFlow,
  type PageProblem,
  toRequestedRecords,
} from './start-authorization.ts';

/**
 * Handles the OAuth callback. Trusts only what was stored with the state and what the cookie proves. The callback's
 * provider and state find the flow (for a denial without a state, the cookie does), its code is used once, and its
 * error ends the link.
 */
export async function finishAuthorization(
  deps: FinishDeps,
  callback: Callback,
): Promise<FinishedFlow> {
  const provider = deps.providers.get(callback.provider as ProviderName);
  if (!provider?.authorization) return { problem: 'FORGED' };
  const flow = await findFlow(deps.flows, callback);
  if (typeof flow === 'string') return { problem: flow };
  const visited = await deps.flows.findLink(flow.linkId);
  if (!visited) return { problem: 'CANCELED' };
  const problem = ENDED[visited.link.status];
  if (problem) return { problem, visited };
  if (flow.isUsed) return { problem: 'ALREADY_USED', visited };
  const { applicationId } = visited.link;
  // Before the state is used, so that the customer can load the page again.
  const endExchange = deps.beginExchange(applicationId);
  if (!endExchange) return { problem: 'TOO_MANY', visited };
  const { code, error, errorDescription } = callback;
  const denial =
    error === null ? undefined : provider.authorization.readDenial(error, errorDescription);
  try {
    return await useState(deps, { provider, flow, visited }, { code, denial });
  } finally {
    endExchange();
  }
}

/** Takes the state, which is valid once, and exchanges the code. */
async function useState(
  deps: FinishDeps,
  place: Place,
  { code, denial }: { readonly code: string | null; readonly denial: ConnectFailure | undefined },
): Promise<FinishedFlow> {
  const { flow, visited } = place;
  if (!(await deps.flows.take(flow.stateHash))) return { problem: 'ALREADY_USED', visited };
  if (denial !== undefined) return fail(deps, place, { failure: denial, missingScopes: [] });
  try {
    return await finish(deps, place, await exchange(deps, place, code));
  } catch (thrown) {
    if (!(thrown instanceof AuthorizationFailure)) throw thrown;
    deps.onFailure(thrown);
    return fail(deps, place, thrown);
  }
}

/** Exchanges the code for a grant, with the values stored at the start of the flow. */
async function exchange(deps: FinishDeps, { provider, flow, visited }: Place, code: string | null) {
  const publicUrl = deps.connecting.publicUrl();
  if (code === null || code.length > MAX_CODE_LENGTH || publicUrl === undefined) {
    throw new AuthorizationFailure(
      'VENDOR_REFUSED',
      'The callback has no usable code, or PUBLIC_URL is no longer set.',
    );
  }
  const { authorization } = provider;
  const requested = toRequestedRecords(visited, provider.name);
  const { loginOrigin, codeVerifier, oauthClientId } = flow;
  const { applicationId } = visited.link;
  const redirectUri = toRedirectUri(publicUrl, provider.name);
  return deps.exchangeCode({
    provider,
    applicationId,
    oauthClientId,
    loginOrigin,
    code,
    redirectUri,
    codeVerifier,
    requiredScopes: authorization ? listScopes(authorization, requested) : [],
  });
}

async function finish(deps: FinishDeps, place: Place, grant: Grant): Promise<FinishedFlow> {
  const { flow, visited, provider } = place;
  const confirmation = visited.link.confirm ? deps.makeCode() : undefined;
  const isMatching =
    visited.link.mapFields &&
    canMatchFields(visited, provider, await deps.readCustomFields(visited.link.applicationId));
  const { link, isOurs } = await deps.flows.finish(flow.linkId, {
    providerName: provider.name,
    grant,
    requested: toRequestedRecords(visited, provider.name),
    oauthClientId: flow.oauthClientId,
    codeHash: confirmation === undefined ? undefined : digest(confirmation),
    sessionHash: isMatching ? flow.cookieHash : undefined,
  });
  if (!link) return { problem: 'CANCELED' };
  if (!isOurs) return { problem: ENDED[link.status] ?? 'ENDED', visited: { ...visited, link } };
  if (link.failure !== null)
    return { visited, provider, failure: link.failure, missingScopes: [], link };
  if (link.status === 'COMPLETED') deps.forgetConnection(link);
  return { visited, link, provider, confirmation, isMatching };
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
 * Finds the flow of a callback by its state, and only in the browser with the flow's cookie. Some providers send a
 * denial without the state: then the cookie alone must identify the flow.
 */
async function findFlow(
  flows: ConnectFlowStore,
  callback: Callback,
): Promise<ConnectFlow | PageProblem> {
  const { state, error, provider, cookies } = callback;
  if (state === null) return error === null ? 'FORGED' : findDenied(flows, callback);
  const flow = STATE.test(state) ? await flows.findByState(digest(state)) : undefined;
  if (flow?.providerName !== provider) return 'FORGED';
  return hasCookie(cookies, flow) ? flow : 'WRONG_BROWSER';
}

/** With two tabs of one link either flow will do, because a denial ends the link. */
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

/** The format of a state: 256 bits in base64url. */
const STATE = /^[\w-]{43}$/;
const MAX_CODE_LENGTH = 4_096;

/** The parameters of the provider's redirect: untrusted. */
interface Callback {
  /** The provider in the path. */
  readonly provider: string;
  readonly state: string | null;
  readonly code: string | null;
  readonly error: string | null;
  readonly errorDescription: string | null;
  /** Cookie values by flow name. */
  readonly cookies: ReadonlyMap<string, string>;
}

type FinishedFlow = EndedPage | EndedFlow;

/** The flow has ended: its link is completed, failed, or awaits confirmation. */
export type EndedFlow = {
  readonly visited: VisitedLink;
  readonly provider: Provider;
  /** The link's current state. */
  readonly link: ConnectLink;
  readonly problem?: undefined;
} & (
  | (Failed & { readonly confirmation?: undefined; readonly isMatching?: undefined })
  | {
      /** The one-time code for the application; undefined if the link needs no confirmation. */
      readonly confirmation: string | undefined;
      /** Whether the customer matches fields next; a code for the application is then made at the end of that. */
      readonly isMatching: boolean;
      readonly failure?: undefined;
    }
);

interface Failed {
  readonly failure: ConnectFailure;
  /** The missing scopes where the failure is MISSING_SCOPES. */
  readonly missingScopes: readonly string[];
}

export interface FinishDeps {
  readonly flows: ConnectFlowStore;
  readonly providers: Providers;
  readonly connecting: Pick<ConnectServices, 'publicUrl'>;
  readonly exchangeCode: ExchangeCode;
  /** Undefined if too many code exchanges of the application are running. Otherwise call the result at the end. */
  beginExchange(applicationId: string): (() => void) | undefined;
  /** The custom fields of an application. */
  readCustomFields(applicationId: string): Promise<CustomFieldsByRecord>;
  /** Makes an unguessable one-time code. */
  makeCode(): string;
  /** Clears the process's cache of the connection. */
  forgetConnection(link: ConnectLink): void;
  /** For the log: contains no secret. */
  onFailure(failure: AuthorizationFailure): void;
}

interface Place {
  readonly provider: Provider;
  readonly flow: ConnectFlow;
  readonly visited: VisitedLink;
}

/** Exchanges the code, through `outbound`. Rejects with an AuthorizationFailure if there is no usable grant. */
export type ExchangeCode = (exchange: ProviderExchange) => Promise<Grant>;

interface ProviderExchange extends CodeExchange {
  readonly provider: Provider;
  /** Called after each call. */
  readonly onCall?: (call: ProviderCall) => void;
}
