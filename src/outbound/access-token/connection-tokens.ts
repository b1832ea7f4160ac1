import type { RefreshedCredentials, StoredCredentials } from '../../domain/credentials.ts';
import type { ContactAccess, OAuthClient } from '../../domain/provider.ts';
import { codeOf } from '../failures.ts';
import { createConnectionSecrets, createRedactor, secretsOf } from '../redaction/redactor.ts';
import {
  callTokenEndpoint,
  type EndpointDeps,
  type RefreshDeps,
  refreshToken,
  resolveOrigin,
} from './token-endpoint.ts';
import { createTokens, type Tokens } from './tokens.ts';

/** One connection's tokens, and the redactor that knows all of its secrets before one of them is sent. */
export function createConnectionTokens(deps: ConnectionTokensDeps): ConnectionTokens {
  const { access, clock, provider, hosts, sandboxOrigins, sandboxAddresses } = deps;
  const secrets = createConnectionSecrets(access.publicPrefix);
  const { toError } = createRedactor(secrets.list);
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
    const { refresh } = access;
    const about = {
      provider,
      findClient,
      hosts,
      sandboxOrigins,
      sandboxAddresses,
      refresh,
      wall: clock.wall,
    };
    return refreshToken(
      { ...about, toError, ask: (origin, request) => callTokenEndpoint(deps, { origin, request }) },
      stored,
    ).catch((error: unknown) => {
      // The consent holds: the installation's operator, or the customer's administrator, has to let this client in.
      if (codeOf(error) === 'REMOTE_PROVIDER_FORBIDDEN') deps.onRestricted?.();
      throw error;
    });
  }

  async function findClient(origin: string, clientId: string | null): Promise<OAuthClient | undefined> {
    const client = await deps.findClient(origin, clientId);
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

interface ConnectionTokens {
  readonly tokens: Tokens;
  /** What was thrown on the way to the provider and back, as it may be shown. */
  readonly toError: (thrown: unknown) => unknown;
}

interface ConnectionTokensDeps
  extends EndpointDeps,
    Pick<RefreshDeps, 'provider' | 'findClient' | 'hosts' | 'sandboxOrigins' | 'sandboxAddresses'> {
  readonly access: Pick<ContactAccess, 'publicPrefix' | 'origin' | 'refresh'>;
  /** The provider does not refresh for this installation, or not now. */
  readonly onRestricted?: (() => void) | undefined;
}
