import type { Connection } from '../../src/domain/connection.ts';
import { PROVIDER_CATEGORIES, type ProviderName } from '../../src/domain/provider-names.ts';

/** A connection with default values, except for the patch. */
export function createConnection(
  providerName: ProviderName,
  patch: Partial<Connection> = {},
): Connection {
  return {
    id: '6f0f6b54-2f0e-4d7c-9d3f-1f5d6a1c0b01',
    applicationId: '6f0f6b54-2f0e-4d7c-9d3f-1f5d6a1c0b02',
    customerId: 'acme',
    providerId: '6f0f6b54-2f0e-4d7c-9d3f-1f5d6a1c0b03',
    providerName,
    category: PROVIDER_CATEGORIES[providerName],
    instanceUrl: null,
    schemaMappingsConfig: null,
    entityMappings: null,
    connectionSyncConfig: null,
    status: 'connected',
    statusReason: null,
    statusChangedAt: '2026-01-31T09:30:00.000Z',
    account: null,
    grantedScopes: [],
    readableRecords: ['CONTACT'],
    writableRecords: [],
    credentialsVersion: 1,
    ...patch,
  };
}
