import type { RefreshedToken, TokenRefresh } from '../../domain/provider.ts';
import type { ProviderResponse } from '../../domain/remote.ts';
import { RemoteFailure } from '../../domain/remote-failure.ts';
import { parseJson } from '../../lib/parse-json.ts';
import { toFailure } from './call.ts';
import { API_ORIGIN, PATHS } from './paths.ts';
import { wireProblem, wireToken, wireTokenProblem } from './wire.ts';

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
  readAnswer: readToken,
};

/** Not any 401: a proxy in between may say that as well, and means itself. */
export function isTokenRefused({ status, body }: ProviderResponse): boolean {
  return status === 401 && REFUSED.has(wireProblem.parse(parseJson(body)).category);
}

/** Of a refresh and of an exchange. */
export function readToken(answer: ProviderResponse, now: Date): RefreshedToken {
  const json = parseJson(answer.body);
  if (answer.status !== 200) throw toRefusal(answer, json);
  const token = wireToken.safeParse(json);
  if (!token.success) {
    throw new RemoteFailure(
      'REMOTE_PROVIDER_BAD_RESPONSE',
      'HubSpot answered a token request with no token.',
      // Whatever it is, a token that nobody knows yet may be in it.
      { ...answer, body: '[withheld]' },
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
function toRefusal(answer: ProviderResponse, json: unknown): RemoteFailure {
  const problem = wireTokenProblem.parse(json);
  if (answer.status < 500 && isFinal(problem)) {
    return new RemoteFailure('REMOTE_PROVIDER_UNAUTHORIZED', 'HubSpot refused the refresh token.', answer);
  }
  const failure = toFailure(answer, { message: problem.message ?? problem.error_description });
  // The endpoint says 401 to a wrong client, which is no reason to part with the customer's token.
  if (failure.code !== 'REMOTE_PROVIDER_UNAUTHORIZED') return failure;
  return new RemoteFailure('REMOTE_PROVIDER_ERROR', failure.message, answer);
}

/** A status that is not known says less than the OAuth error beside it. */
function isFinal({ status, error }: { status?: unknown; error?: unknown }): boolean {
  return FINAL.has(status) || (error === 'invalid_grant' && !OF_THE_CLIENT.has(status));
}

const REFUSED: ReadonlySet<unknown> = new Set(['INVALID_AUTHENTICATION', 'EXPIRED_AUTHENTICATION']);

const FINAL: ReadonlySet<unknown> = new Set(['BAD_REFRESH_TOKEN', 'BAD_HUB']);

/** The installation's own OAuth client is set up wrongly: no customer's consent is over for it. */
const OF_THE_CLIENT: ReadonlySet<unknown> = new Set([
  'BAD_CLIENT_ID',
  'BAD_CLIENT_SECRET',
  'BAD_REDIRECT_URI',
]);
