import type { Connection, StatusReason } from '../domain/connection.ts';
import type { Providers, RecordAccess } from '../domain/provider.ts';
import { type Capability, recordType } from '../domain/records/record-type.ts';
import { wordsOf } from '../domain/shape.ts';

/** The capabilities of each provider, so that a UI can hide what would respond with NOT_IMPLEMENTED. */
export function listProviders({ providers }: { readonly providers: Providers }) {
  return [...providers.values()].map(({ name, category, crm, authorization }) => ({
    name,
    category,
    canConnect: authorization !== undefined,
    associatedObjects: crm?.records.CONTACT.associatedObjects ?? [],
    capabilities: crm ? listCapabilities(crm.records) : [],
  }));
}

function listCapabilities(records: RecordAccess): readonly Capability[] {
  return wordsOf(recordType).flatMap((record) => {
    const declared = records[record];
    if (!declared) return [];
    const filters = Object.entries(declared.filters).map(([name, { isExact }]) => ({
      name,
      isExact,
    }));
    return [
      { record, filters, canList: 'all' in declared.filters, canWrite: false, canUpsert: false },
    ];
  });
}

/** A connection that cannot be searched says so: its credentials are never tried. */
export function readStatusReason(
  providers: Providers,
  { providerName, status, statusReason, instanceUrl }: Connection,
): StatusReason | null {
  if (status !== 'connected') return statusReason;
  const crm = providers.get(providerName)?.crm;
  if (!crm) return 'not_searchable';
  const isComplete = instanceUrl !== null || crm.origin(null) !== undefined;
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
