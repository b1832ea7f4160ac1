import type { Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { RemovedConnection, Revocation } from '../domain/tenant.ts';

/** Ends at the provider what a removed connection lived on, where nothing else lives on it. Never rejects. */
export async function revokeRemoved(
  { providers, revokeGrant, onRevoked }: RevokeDeps,
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
      // The call is in the metrics with its reason. The connection is gone all the same.
      return 'FAILED';
    }
  };
  const revocation = await revoke();
  onRevoked(providerName, revocation);
  return revocation;
}

export interface RevokeDeps {
  readonly providers: ReadonlyMap<ProviderName, Provider>;
  /** False: the provider says that the grant goes on. Rejects where that is unknown. */
  revokeGrant(grant: {
    readonly provider: Provider;
    readonly applicationId: string;
    readonly connectionId: string;
    readonly oauthClientId: string;
    readonly instanceUrl: string | null;
    readonly refreshToken: string;
  }): Promise<boolean>;
  /** Told of every removal: for the metrics. */
  onRevoked(provider: ProviderName, revocation: Revocation): void;
}
