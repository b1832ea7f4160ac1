import type { OAuth2Credentials } from './connection.ts';
import type { ProviderResponse, RemoteRequest } from './remote.ts';

/** An OAuth client registered with a provider. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A client as HTTP Basic has it in a header. */
export function toBasicCredentials({ clientId, clientSecret }: OAuthClient): string {
  return Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
}

/** The client of an `Authorization` header with HTTP Basic. Undefined: the header has none. */
export function readBasicCredentials(header: string | null): OAuthClient | undefined {
  const [, encoded = ''] = /^Basic +(\S+)$/i.exec(header ?? '') ?? [];
  const [, clientId, clientSecret] =
    /^([^:]+):(.+)$/.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  if (clientId === undefined || clientSecret === undefined) return undefined;
  return { clientId, clientSecret };
}

/** An endpoint that receives refresh tokens, to refresh or revoke. */
export interface RefreshTokenEndpoint {
  /** The endpoint's origin, the only one that receives refresh tokens. */
  origin(instanceUrl: string | null): string | undefined;
  /** An alternative origin where the first one has moved; a redirect itself is never followed. */
  movedOrigin?(instanceUrl: string | null): string | undefined;
  toRequest(options: {
    readonly client: OAuthClient;
    readonly refreshToken: string;
  }): RemoteRequest;
}

export interface TokenRefresh extends RefreshTokenEndpoint {
  /** Throws a RemoteFailure: REMOTE_PROVIDER_UNAUTHORIZED where the refresh token is permanently rejected. */
  readAnswer(answer: ProviderResponse, now: Date): RefreshedToken;
}

export interface RefreshedToken extends Omit<OAuth2Credentials, 'type'> {
  /** Present if the response names the instance's current URL. */
  readonly instanceUrl: string | undefined;
}
