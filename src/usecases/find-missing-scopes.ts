import type { Connection } from '../domain/connection.ts';
import type { Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';

/** What contacts need and the customer did not grant. Nothing is known of a grant that no link has brought. */
export function findMissingScopes(
  providers: ReadonlyMap<ProviderName, Pick<Provider, 'authorization'>>,
  { providerName, grantedScopes }: Pick<Connection, 'providerName' | 'grantedScopes'>,
): readonly string[] {
  if (grantedScopes.length === 0) return [];
  return providers.get(providerName)?.authorization?.findMissingScopes(grantedScopes) ?? [];
}
