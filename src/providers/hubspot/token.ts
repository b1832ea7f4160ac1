import { CrossbookError } from '../../domain/errors.ts';
import type { RefreshedToken, TokenRefresh } from '../../domain/provider.ts';
import type { RemoteAnswer } from '../../domain/remote.ts';
import { toRemoteCause } from '../../domain/remote-cause.ts';
import { toCrossbookError } from './call.ts';
import { API_ORIGIN, PATHS } from './paths.ts';
import { wireToken, wireTokenProblem } from './wire.ts';

export const refresh: TokenRefresh = {
  origin: () => API_ORIGIN,
  toRequest: ({ client, refreshToken }) => ({
    method: 'POST',
    path: PATHS.token,
    budget: 'token',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: client.clientId,
      client_secret: client.clientSecret,
      refresh_token: refreshToken,
    }).toString(),
  }),
  readAnswer,
};

function readAnswer(answer: RemoteAnswer, now: Date): RefreshedToken {
  const json = readJson(answer.body);
  if (answer.status !== 200) throw toRefusal(answer, json);
  const token = wireToken.safeParse(json);
  if (!token.success) {
    throw new CrossbookError(
      'REMOTE_PROVIDER_BAD_RESPONSE',
      'HubSpot answered a token request with no token.',
      {
        // Whatever it is, half of a token may be in it.
        remote: toRemoteCause({ ...answer, body: '""' }),
      },
    );
  }
  const { access_token, refresh_token, expires_in } = token.data;
  return {
    accessToken: access_token,
    refreshToken: refresh_token ?? null,
    expiresAt: expires_in ? new Date(now.getTime() + expires_in * 1_000).toISOString() : null,
    instanceUrl: undefined,
  };
}

/** The customer's doing (uninstalled, account closed) ends the connection; a wrong client is this installation's. */
function toRefusal(answer: RemoteAnswer, json: unknown): CrossbookError {
  const problem = wireTokenProblem.parse(json);
  const known = { ...answer, body: JSON.stringify(problem) };
  if (answer.status < 500 && FINAL.has(problem.status ?? problem.error ?? '')) {
    return new CrossbookError('REMOTE_PROVIDER_UNAUTHORIZED', 'HubSpot refused the refresh token.', {
      remote: toRemoteCause(known),
    });
  }
  const error = toCrossbookError(known, { message: problem.message ?? problem.error_description });
  // The endpoint says 401 to a wrong client, which is no reason to part with the customer's token.
  if (error.code !== 'REMOTE_PROVIDER_UNAUTHORIZED') return error;
  return new CrossbookError('REMOTE_PROVIDER_ERROR', error.message, { remote: error.remote });
}

function readJson(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

const FINAL: ReadonlySet<string> = new Set(['BAD_REFRESH_TOKEN', 'BAD_HUB', 'invalid_grant']);
