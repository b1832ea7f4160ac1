import type { JsonResponse, ProviderResponse, Send } from '../../src/domain/remote.ts';
import { parseJson } from '../../src/lib/json.ts';

/**
 * An HTTP client without retries, rate limits and other limits: one request, one response, one origin that gets the
 * token.
 */
export function createSend({ origin, token }: Target): Send {
  return async ({ method, path, headers, body }) => {
    const response = await fetch(origin + path, {
      method,
      headers: {
        ...COMMON,
        ...headers,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      redirect: 'manual',
      ...(body !== undefined && { body }),
    });
    return toJsonResponse({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    });
  };
}

/** As `src/outbound/send.ts` adds them. */
const COMMON = { accept: 'application/json', 'content-type': 'application/json' };

/** Returns the responses in the given order, and records the requests. */
export function createScriptedSend(...answers: readonly Partial<ProviderResponse>[]): ScriptedSend {
  const requests: Parameters<Send>[0][] = [];
  return {
    requests,
    send: async (request) => {
      const answer = answers[requests.length];
      requests.push(request);
      if (answer === undefined)
        throw new Error(`No answer is scripted for call ${requests.length}.`);
      const headers = { 'content-type': 'application/json' };
      return toJsonResponse({ status: 200, headers, body: '', ...answer });
    },
  };
}

export function toJsonResponse(answer: ProviderResponse): JsonResponse {
  return { ...answer, readJson: () => parseJson(answer.body) };
}

interface Target {
  readonly origin: string;
  /** Absent if the request contains its own secret, like a token refresh. */
  readonly token?: string;
}

export interface ScriptedSend {
  readonly send: Send;
  readonly requests: readonly Parameters<Send>[0][];
}
