import type { ConnectFlow, ConnectFlowStore } from '../domain/connect-flow.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { digest } from '../lib/digest.ts';
import type { PageProblem } from './open-connect-page.ts';
import { nameFlow } from './start-authorization.ts';

/**
 * The flow that a callback belongs to: by its state, and only in the browser that has the flow's cookie. Some providers send
 * a denial without the state: then the cookie alone has to say which flow it is.
 */
export async function findFlow(
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

interface FlowCallback {
  readonly provider: ProviderName;
  readonly state: string | null;
  readonly error: string | null;
  readonly cookies: ReadonlyMap<string, string>;
}
