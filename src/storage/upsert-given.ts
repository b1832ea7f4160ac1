import { randomUUID } from 'node:crypto';
import type { ConnectionUpsert, CustomerUpsert } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Sealer } from '../domain/sealer.ts';
import { isStorable, isStorableJson } from '../lib/is-storable.ts';
import { uuidV5 } from '../lib/uuid-v5.ts';
import { sealCredentials } from './credential-seal.ts';
import { unstorable } from './engine/failures.ts';

/** An upsert as the statement reads it. What cannot be stored is refused here, before it could disturb others. */
export function toGiven(scope: Scope, upsert: CustomerUpsert): GivenUpsert {
  const { customerId, name, email, expectedVersion, connections = [] } = upsert;
  if (![customerId, name, email].every(isStorable)) throw unstorable();
  const customer = { customer_id: customerId, name, email, expected_version: expectedVersion };
  return {
    applicationId: scope.applicationId,
    customerId,
    customer: JSON.stringify(customer),
    entries: connections.length > 0 ? toEntries(scope, customerId, connections) : undefined,
  };
}

function toEntries(scope: Scope, customerId: string, connections: readonly ConnectionUpsert[]): string {
  if (new Set(connections.map(({ providerName }) => providerName)).size < connections.length) {
    throw new CrossbookError('UNPROCESSABLE_ENTITY', 'A provider is named twice.');
  }
  const entries = connections.map(
    (connection) => `"${connection.providerName}":${JSON.stringify(toEntry(scope, customerId, connection))}`,
  );
  const json = `{${entries.join(',')}}`;
  if (!isStorableJson(json)) throw unstorable();
  return json;
}

/** JSON leaves out what is undefined and keeps what is null: just the difference between untouched and cleared. */
function toEntry({ applicationId, sealer }: Scope, customerId: string, connection: ConnectionUpsert) {
  const { providerName, credentials } = connection;
  const place = { applicationId, customerId, providerName };
  const { sealed, keyId } = credentials
    ? sealCredentials(sealer, place, credentials)
    : { sealed: credentials, keyId: undefined };
  return {
    id: randomUUID(),
    // Of the event, should it be one.
    eventId: credentials === undefined ? undefined : randomUUID(),
    providerId: uuidV5(applicationId, providerName),
    instanceUrl: connection.instanceUrl,
    schemaMappingsConfig: connection.schemaMappingsConfig,
    entityMappings: connection.entityMappings,
    connectionSyncConfig: connection.connectionSyncConfig,
    sealed,
    keyId,
  };
}

export interface GivenUpsert {
  readonly applicationId: string;
  readonly customerId: string;
  /** JSON, for the list of customers. */
  readonly customer: string;
  /** JSON: what is given of each provider. Undefined where no connection is named. */
  readonly entries: string | undefined;
}

interface Scope {
  readonly applicationId: string;
  readonly sealer: Sealer;
}
