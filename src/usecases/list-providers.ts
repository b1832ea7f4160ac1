import type { Connection } from '../domain/connection.ts';
import type { Providers } from '../domain/provider.ts';

/** The capabilities of each provider, so that a UI can hide what would respond with NOT_IMPLEMENTED. */
export function listProviders({ providers }: { readonly providers: Providers }) {
  return [...providers.values()].map(({ name, category, contacts }) => ({
    name,
    category,
    canSearchContacts: contacts !== undefined,
    associatedObjects: contacts?.associatedObjects ?? [],
  }));
}

/** The required scopes that were not granted. Unknown, and so empty, for grants that did not come by a connect link. */
export function findMissingScopes(
  providers: Providers,
  { providerName, grantedScopes }: Pick<Connection, 'providerName' | 'grantedScopes'>,
): readonly string[] {
  if (grantedScopes.length === 0) return [];
  return providers.get(providerName)?.authorization?.findMissingScopes(grantedScopes) ?? [];
}
