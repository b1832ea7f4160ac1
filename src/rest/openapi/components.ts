import * as z from 'zod';
import { branding, brandingChange } from '../../domain/branding.ts';
import {
  connectedAccount,
  connection,
  connectionSyncConfig,
  connectionUpsert,
  credentialsShape,
  destinationConfig,
  entityMapping,
  fieldMapping,
  objectFieldMappings,
  schemaMappingsConfig,
  syncedObject,
} from '../../domain/connection.ts';
import { customFieldMapping, givenFieldMapping } from '../../domain/custom-field.ts';
import {
  customField,
  customFieldSource,
  customFields,
  mappingProblem,
  providerField,
  providerFieldChoice,
} from '../../domain/custom-fields.ts';
import { customer, customerUpsert } from '../../domain/customer.ts';
import { event, webhookEndpoint } from '../../domain/event.ts';
import { WRITABLE_RECORDS } from '../../domain/records/catalogue.ts';
import { address, emailAddress, phoneNumber } from '../../domain/records/contact.ts';
import { money } from '../../domain/records/money.ts';
import {
  write,
  writeProblem,
  writeRecord,
  writeResult,
  writtenRecord,
} from '../../domain/records/write.ts';
import type { Type } from '../../domain/shape.ts';
import {
  incompleteRecord,
  incompleteRecords,
  postgresSyncDestination,
  postgresSyncDestinationInput,
  sync,
  syncConfiguration,
  syncDestination,
  syncError,
  syncProgress,
  syncRun,
} from '../../domain/sync.ts';
import { writableField } from '../../domain/writing.ts';
import { errorSchema } from '../error-schema.ts';
import { COMPONENTS, object, toSchema, type WireDirection } from '../schemas.ts';

export const errorsSchema = object('response', 'Errors', 'The body of every error response.', {
  errors: z.array(errorSchema).describe('What went wrong.'),
});

/** Connection settings have the same schema in both directions. */
const CONFIGURATIONS: readonly Declared[] = [
  schemaMappingsConfig,
  objectFieldMappings,
  entityMapping,
  connectionSyncConfig,
  destinationConfig,
  syncedObject,
  fieldMapping,
];

COMPONENTS.request.add(toSchema(connectionUpsert, 'request'), { id: 'ConnectionUpsert' });
register([customerUpsert, credentialsShape, brandingChange], 'request');
register(
  [
    ...CONFIGURATIONS,
    givenFieldMapping,
    postgresSyncDestinationInput,
    address,
    emailAddress,
    phoneNumber,
    money,
    ...WRITABLE_RECORDS.flatMap(({ changes, items }) => [changes, ...items.values()]),
  ],
  'request',
  'Input',
);
register(
  [
    address,
    emailAddress,
    phoneNumber,
    customer,
    connection,
    connectedAccount,
    event,
    webhookEndpoint,
    branding,
    customFields,
    customField,
    customFieldSource,
    customFieldMapping,
    mappingProblem,
    providerField,
    providerFieldChoice,
    syncDestination,
    postgresSyncDestination,
    syncConfiguration,
    sync,
    syncRun,
    syncError,
    syncProgress,
    incompleteRecords,
    incompleteRecord,
    write,
    writeResult,
    writeProblem,
    writeRecord,
    writtenRecord,
    writableField,
    ...CONFIGURATIONS,
  ],
  'response',
);

/** Registers declared types under their names. */
function register(types: readonly Declared[], direction: WireDirection, suffix = ''): void {
  for (const type of types)
    COMPONENTS[direction].add(toSchema(type, direction), { id: `${type.name}${suffix}` });
}

type Declared = Extract<Type, { readonly name: string }>;

/** All named schemas of the document. */
export function toComponentSchemas(): Record<string, object> {
  return { ...toJsonSchemas('request', 'input'), ...toJsonSchemas('response', 'output') };
}

/** References a named schema. Optional bodies are described as present. */
export function refTo(direction: WireDirection, schema: z.core.$ZodType): object {
  const present = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  return { $ref: toUri(`${COMPONENTS[direction].get(present)?.id}`) };
}

function toJsonSchemas(direction: WireDirection, io: 'input' | 'output'): Record<string, object> {
  const { schemas } = z.toJSONSchema(COMPONENTS[direction], {
    io,
    uri: toUri,
    // Removes defaults, because client generators treat such fields as required.
    override: ({ jsonSchema }) => {
      delete jsonSchema.default;
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [name, schema]),
  );
}

function toUri(id: string): string {
  return `#/components/schemas/${id}`;
}
