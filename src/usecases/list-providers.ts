import type { Connection } from '../domain/connection.ts';
import type { Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';

/** What each provider can do for us: a UI hides what would answer NOT_IMPLEMENTED. */
export function listProviders(deps: ProviderDeps) {
  return [...deps.providers.values()].map(({ name, category, contacts }) => ({
    name,
    category,
    canSearchContacts: contacts !== undefined,
    associatedObjects: contacts?.associatedObjects ?? [],
  }));
}

/** What contacts need and the customer did not grant. Nothing is known of a grant that no link has brought. */
export function findMissingScopes(
  providers: ReadonlyMap<ProviderName, Pick<Provider, 'authorization'>>,
  { providerName, grantedScopes }: Pick<Connection, 'providerName' | 'grantedScopes'>,
): readonly string[] {
  if (grantedScopes.length === 0) return [];
  return providers.get(providerName)?.authorization?.findMissingScopes(grantedScopes) ?? [];
}

interface ProviderDeps {
  readonly providers: ReadonlyMap<ProviderName, Provider>;
}
