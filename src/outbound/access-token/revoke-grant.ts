import type { Revocation } from '../../domain/authorization.ts';
import { CrossbookError } from '../../domain/errors.ts';
import type { OAuthClient } from '../../domain/provider.ts';
import type { ProviderResponse, RemoteRequest } from '../../domain/remote.ts';
import { createRedactor } from '../redaction/redactor.ts';
import { callAtOrigin } from './call-token-endpoint.ts';

/** Ends a grant at the provider. False: it says that the grant goes on. Rejects where nobody knows; the error may be logged. */
export async function revokeGrant(
  deps: RevokeDeps,
  { instanceUrl, refreshToken }: GivenGrant,
): Promise<boolean> {
  const { revocation } = deps;
  const secrets = [refreshToken];
  const { toError } = createRedactor(() => secrets);
  try {
    const answer = await callAtOrigin(revocation, { ...deps, instanceUrl }, async (origin) => {
      const client = await deps.findClient(origin);
      if (!client) throw noClient();
      secrets.push(client.clientSecret);
      return deps.ask(origin, revocation.toRequest({ client, refreshToken }));
    });
    return revocation.isRevoked(answer);
  } catch (thrown) {
    throw toError(thrown);
  }
}

function noClient(): CrossbookError {
  return new CrossbookError(
    'UNPROCESSABLE_ENTITY',
    'The OAuth client that the grant was given to is not set up here, so that it cannot be revoked.',
  );
}

export interface RevokeDeps {
  readonly revocation: Revocation;
  readonly hosts: readonly RegExp[];
  readonly sandboxOrigins: readonly string[];
  /** The client that the grant was given to. */
  findClient(origin: string): Promise<OAuthClient | undefined>;
  ask(origin: string, request: RemoteRequest): Promise<ProviderResponse>;
}

export interface GivenGrant {
  readonly instanceUrl: string | null;
  readonly refreshToken: string;
}
