import type {
  ConnectionSyncConfig,
  Credentials,
  DestinationConfig,
  EntityMapping,
  SchemaMappingsConfig,
} from '../../domain/connection.ts';
import type { ConnectionUpsert, CustomerUpsert } from '../../domain/customer.ts';
import type { ConnectionInput } from './connection-input.ts';
import type { ConnectionSyncConfigInput } from './connection-sync-input.ts';
import type { CredentialsInput } from './credentials-input.ts';

/** From the input's optional fields to the domain's: absent and null are kept apart where they mean different things. */
export function toCustomerUpsert(input: CustomerInput): CustomerUpsert {
  return {
    customerId: input.customerId,
    name: input.name,
    email: input.email,
    expectedVersion: input.expectedVersion ?? undefined,
    connections: input.connections?.map(toConnectionUpsert),
  };
}

function toConnectionUpsert(input: Shape<typeof ConnectionInput>): ConnectionUpsert {
  const { schemaMappingsConfig, entityMappings, connectionSyncConfig, credentials } = input;
  return {
    providerName: input.providerName,
    instanceUrl: input.instanceUrl,
    schemaMappingsConfig: ifGiven(schemaMappingsConfig, toSchemaMappings),
    entityMappings: ifGiven(entityMappings, (mappings) => mappings.map(toEntityMapping)),
    connectionSyncConfig: ifGiven(connectionSyncConfig, toSyncConfig),
    credentials: ifGiven(credentials, toCredentials),
  };
}

function toSchemaMappings(input: Given<'schemaMappingsConfig'>): SchemaMappingsConfig {
  const toObject = ({ object, fieldMappings }: NonNullable<(typeof input)['commonObjects']>[number]) => ({
    object: object ?? null,
    fieldMappings,
  });
  return {
    commonObjects: input.commonObjects?.map(toObject) ?? null,
    standardObjects: input.standardObjects?.map(toObject) ?? null,
  };
}

function toEntityMapping(input: Given<'entityMappings'>[number]): EntityMapping {
  return {
    entityId: input.entityId ?? null,
    object: input.object ? { type: input.object.type, name: input.object.name ?? null } : null,
    fieldMappings: input.fieldMappings ?? [],
  };
}

function toSyncConfig(input: Shape<typeof ConnectionSyncConfigInput>): ConnectionSyncConfig {
  const toSynced = ({ object, table }: { object: string; table?: string | null | undefined }) => ({
    object,
    table: table ?? null,
  });
  return {
    destinationConfig: input.destinationConfig ? toDestination(input.destinationConfig) : null,
    standardObjects: input.standardObjects?.map(toSynced) ?? null,
    customObjects: input.customObjects?.map(toSynced) ?? null,
  };
}

function toDestination(
  input: NonNullable<Shape<typeof ConnectionSyncConfigInput>['destinationConfig']>,
): DestinationConfig {
  return input.postgres
    ? { type: 'postgres', schema: input.postgres.schema ?? null }
    : { type: 'bigquery', dataset: input.bigquery?.dataset ?? null };
}

function toCredentials({ oauth2, token }: Shape<typeof CredentialsInput>): Credentials {
  if (!oauth2) return { type: 'token', value: token?.value ?? '' };
  const { accessToken, refreshToken = null, expiresAt = null } = oauth2;
  return { type: 'oauth2', accessToken, refreshToken, expiresAt };
}

/** Null clears and absence leaves alone: neither may become the other. */
function ifGiven<From, To>(
  value: From | null | undefined,
  convert: (given: From) => To,
): To | null | undefined {
  return value === null || value === undefined ? (value as null | undefined) : convert(value);
}

type Shape<Input extends { $inferInput: unknown }> = Input['$inferInput'];

type Given<Field extends keyof Shape<typeof ConnectionInput>> = NonNullable<
  Shape<typeof ConnectionInput>[Field]
>;

interface CustomerInput {
  readonly customerId: string;
  readonly name: string;
  readonly email: string;
  readonly expectedVersion?: number | null | undefined;
  readonly connections?: readonly Shape<typeof ConnectionInput>[] | null | undefined;
}
