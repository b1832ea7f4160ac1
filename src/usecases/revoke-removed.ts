import type { Provider, Providers } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { RemovedConnection, RemovedGrant, Revocation } from '../domain/tenant.ts';

/** Revokes the grant of a removed connection at the provider, unless another connection uses it. Never rejects. */
export async function revokeRemoved(
  { providers, revokeGrant, onRevoked }: RevocationDeps,
  { connection, grant }: RemovedConnection,
): Promise<Revocation> {
  const { id: connectionId, applicationId, providerName } = connection;
  const provider = providers.get(providerName);
  const revoke = async (): Promise<Revocation> => {
    if (!grant || !provider?.authorization?.revocation) return 'NOT_SUPPORTED';
    if (grant.isShared) return 'SHARED';
    try {
      const isRevoked = await revokeGrant({ provider, applicationId, connectionId, ...grant });
      return isRevoked ? 'REVOKED' : 'FAILED';
    } catch {
      // The metrics have the failed call and its reason. The connection is removed all the same.
      return 'FAILED';
    }
  };
  const revocation = await revoke();
  onRevoked(providerName, revocation);
  return revocation;
}

interface RevocationDeps {
  readonly providers: Providers;
  /** False: the provider reports that the grant is still valid. Rejects if that is unknown. */
  revokeGrant(grant: GrantToRevoke): Promise<boolean>;
  onRevoked(provider: ProviderName, outcome: Revocation): void;
}

interface GrantToRevoke extends RemovedGrant {
  readonly provider: Provider;
  readonly applicationId: string;
  readonly connectionId: string;
}
