import type { ContactAccess, OAuthClient } from '../../domain/provider.ts';
import type { ProviderName } from '../../domain/provider-names.ts';
import type { RefreshedCredentials, StoredCredentials } from '../../domain/tenant.ts';
import { codeOf } from '../failures.ts';
import type { OutboundDeps } from '../outbound.ts';
import { createConnectionSecrets, createRedactor, secretsOf } from '../redaction/redactor.ts';
import { callTokenEndpoint, type EndpointDeps, refreshToken, resolveOrigin } from './token-endpoint.ts';
import { createTokens } from './tokens.ts';

/** One connection's tokens, and the redactor that knows all of its secrets before one of them is sent. */
export function createConnectionTokens(deps: ConnectionTokensDeps) {
  const { access, provider, applicationId, clock, sandboxOrigins, sandboxAddresses } = deps;
  const hosts = deps.providers.get(provider)?.instanceHosts ?? [];
  const secrets = createConnectionSecrets(access.publicPrefix);
  const toError = createRedactor(secrets.list);
  /** The generation of the credentials whose client's secret is known to the redactor. */
  let learnt: number | undefined;
  const tokens = createTokens({
    clock,
    refresh,
    onStored: learnSecrets,
    originOf: (url) =>
      resolveOrigin(url, { hosts, sandboxOrigins, originOf: (instance) => access.origin(instance) }),
  });
  return { tokens, toError };

  async function refresh(stored: StoredCredentials): Promise<RefreshedCredentials> {
    await learnSecrets(stored);
    const about = { provider, hosts, sandboxOrigins, sandboxAddresses, refresh: access.refresh };
    return refreshToken(
      {
        ...{ ...about, findClient, wall: clock.wall, toError },
        ask: (origin, request) => callTokenEndpoint(deps, { origin, request }),
      },
      stored,
    ).catch((error: unknown) => {
      // The consent holds: the installation's operator, or the customer's administrator, has to let this client in.
      if (codeOf(error) === 'REMOTE_PROVIDER_FORBIDDEN') deps.onRestricted?.(provider);
      throw error;
    });
  }

  async function findClient(origin: string, clientId: string | null): Promise<OAuthClient | undefined> {
    const client = await deps.findOAuthClient({ applicationId, provider, origin, clientId });
    if (client) secrets.add(client.clientSecret);
    return client;
  }

  /** The client's secret too: another process may have sent it, and the provider may show it here. */
  async function learnSecrets(stored: StoredCredentials): Promise<void> {
    secrets.add(...secretsOf(stored.credentials));
    if (learnt === stored.generation) return;
    const origin = findTokenOrigin(stored.instanceUrl);
    if (origin !== undefined) await findClient(origin, stored.oauthClientId);
    learnt = stored.generation;
  }

  /** Undefined: without a token endpoint the client's secret is never sent. */
  function findTokenOrigin(instance: string | null): string | undefined {
    try {
      return resolveOrigin(instance, { hosts, sandboxOrigins, originOf: access.refresh.origin });
    } catch {
      return undefined;
    }
  }
}

interface ConnectionTokensDeps extends OutboundDeps, EndpointDeps {
  readonly provider: ProviderName;
  readonly applicationId: string;
  readonly access: Pick<ContactAccess, 'publicPrefix' | 'origin' | 'refresh'>;
}
