import type { Connection, StatusReason } from '../domain/connection.ts';
import type { Providers, RecordAccess } from '../domain/provider.ts';
import type { ScopeRules } from '../domain/record-access.ts';
import { type Capability, RECORD_TYPES } from '../domain/records/record-type.ts';

/** The capabilities of each provider, so that a UI can hide what would respond with NOT_IMPLEMENTED. */
export function listProviders({ providers }: { readonly providers: Providers }) {
  return [...providers.values()].map(({ name, category, crm, authorization }) => ({
    name,
    category,
    canConnect: authorization !== undefined,
    grantableAccess: authorization ? listGrantable(authorization) : [],
    associatedObjects: crm?.records.CONTACT.associatedObjects ?? [],
    capabilities: crm ? listCapabilities(crm.records) : [],
  }));
}

function listGrantable({ recordScopes }: ScopeRules) {
  return RECORD_TYPES.flatMap((record) => {
    const scopes = recordScopes[record];
    return scopes ? [{ record, readScopes: scopes.read, writeScopes: scopes.write }] : [];
  });
}

function listCapabilities(records: RecordAccess): readonly Capability[] {
  return RECORD_TYPES.flatMap((record) => {
    const declared = records[record];
    if (!declared) return [];
    const filters = Object.entries(declared.filters).map(([name, { isExact, most }]) => ({
      name,
      isExact,
      maxValues: most ?? null,
    }));
    return [
      {
        record,
        filters,
        canList: 'all' in declared.filters,
        canPageBackward: declared.isForwardOnly !== true,
        canCount: declared.isUncounted !== true,
        canWrite: declared.writes !== undefined,
        canUpsert: declared.writes?.canUpsert ?? false,
        isUpsertConsistent:
          declared.writes?.canUpsert === true && declared.writes.findsByIndex !== true,
        maxUpserts: declared.writes?.mostUpserts ?? null,
      },
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
