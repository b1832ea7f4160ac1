import type { RemoteRequest, Send } from '../../domain/remote.ts';
import { parseJson } from '../../lib/parse-json.ts';
import { toBadResponse, toRemoteFailure } from './failure.ts';

/** The version that every path carries: old enough for every org, and years away from its end. */
export const API = '/services/data/v66.0';

/**
 * The adapter's one way out. `understand` says what the JSON of a success is; undefined where it is nothing that was
 * asked for. Everything else that can come back is thrown as a RemoteFailure.
 */
export type Call = <T>(ask: Ask, understand: (json: unknown) => T | undefined) => Promise<T>;

export function createCall(send: Send): Call {
  return async (ask, understand) => {
    const answer = await send(toRequest(ask));
    if (answer.status < 200 || answer.status >= 300) throw toRemoteFailure(answer);
    const understood = understand(parseJson(answer.body));
    if (understood === undefined)
      throw toBadResponse(answer, 'Salesforce gave an answer of an unknown shape');
    answer.discardBody?.();
    return understood;
  };
}

function toRequest({ path, body }: Ask): RemoteRequest {
  if (body === undefined) return { method: 'GET', path, headers: ACCEPT, budget: 'api' };
  return { method: 'POST', path, headers: ACCEPT_AND_SEND, body: JSON.stringify(body), budget: 'api' };
}

const ACCEPT = { accept: 'application/json' };
const ACCEPT_AND_SEND = { ...ACCEPT, 'content-type': 'application/json' };

interface Ask {
  readonly path: string;
  /** Present: the call is a POST. */
  readonly body?: unknown;
}
