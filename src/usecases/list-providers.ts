import type { Connection, StatusReason } from '../domain/connection.ts';
import type { Providers } from '../domain/provider.ts';

/** The capabilities of each provider, so that a UI can hide what would respond with NOT_IMPLEMENTED. */
export function listProviders({ providers }: { readonly providers: Providers }) {
  return [...providers.values()].map(({ name, category, contacts, authorization }) => ({
    name,
    category,
    canSearchContacts: contacts !== undefined,
    canConnect: authorization !== undefined,
    associatedObjects: contacts?.associatedObjects ?? [],
  }));
}

/** A connection to a provider that cannot be searched says so: its credentials are never tried. */
export function readStatusReason(
  providers: Providers,
  { providerName, status, statusReason }: Connection,
): StatusReason | null {
  const isUsed = providers.get(providerName)?.contacts !== undefined;
  return status === 'connected' && !isUsed ? 'not_searchable' : statusReason;
}

/** The required scopes that were not granted. Unknown, and so empty, for grants that did not come by a connect link. */
export function findMissingScopes(
  providers: Providers,
  { providerName, grantedScopes }: Pick<Connection, 'providerName' | 'grantedScopes'>,
): readonly string[] {
  if (grantedScopes.length === 0) return [];
  return providers.get(providerName)?.authorization?.findMissingScopes(grantedScopes) ?? [];
}
