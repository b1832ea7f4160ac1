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

/** A connection that cannot be searched says so: its credentials are never tried. */
export function readStatusReason(
  providers: Providers,
  { providerName, status, statusReason, instanceUrl }: Connection,
): StatusReason | null {
  if (status !== 'connected') return statusReason;
  const contacts = providers.get(providerName)?.contacts;
  if (!contacts) return 'not_searchable';
  const isComplete = instanceUrl !== null || contacts.origin(null) !== undefined;
  return isComplete ? statusReason : 'no_instance_url';
}

/** The required scopes that were not granted. Unknown, and so empty, for grants that did not come by a connect link. */
export function findMissingScopes(
  providers: Providers,
  { providerName, grantedScopes }: Pick<Connection, 'providerName' | 'grantedScopes'>,
): readonly string[] {
  if (grantedScopes.length === 0) return [];
  return providers.get(providerName)?.authorization?.findMissingScopes(grantedScopes) ?? [];
}
