import * as z from 'zod';
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
import { address, emailAddress, phoneNumber } from '../../domain/contact.ts';
import { customer, customerUpsert } from '../../domain/customer.ts';
import { ERROR_CODES, type ErrorCode } from '../../domain/errors.ts';
import { event, webhookEndpoint } from '../../domain/event.ts';
import type { Type } from '../../domain/shape.ts';
import {
  COMPONENTS,
  enumText,
  object,
  optional,
  text,
  toSchema,
  type WireDirection,
} from '../schemas.ts';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

const errorSchema = object('response', 'Error', 'One error.', {
  id: text('Id of this error instance, also in the log. Quote it to support.'),
  // The only enumerations in upper case: the specification writes them so.
  code: z.enum(CODES).describe('What went wrong.'),
  problem_type: z.enum(CODES).describe('The same as `code`.'),
  status: text('HTTP status, as a string.', '404'),
  title: text('Short summary of the error.'),
  detail: text('Detailed description of the error.'),
  meta: z
    .strictObject({
      origin: enumText(['remote-provider', 'crossbook'], 'Origin of the error.'),
      application_name: optional(z.string(), 'Name of the calling application, if it is known.'),
      cause: optional(
        z.strictObject({
          code: z.int().describe('HTTP status of the provider’s response.'),
          body: z.unknown().describe('Body of the provider’s response, truncated if it is long.'),
          headers: z
            .record(z.string(), z.string())
            .describe('Headers of the provider’s response, without secrets.'),
        }),
        'The provider’s response, if there was one.',
      ),
      retryable: z.boolean().describe('Whether the same request may succeed later.'),
      retry_after_ms: optional(z.number().min(0), 'Time to wait before a retry, in milliseconds.'),
    })
    .describe('Additional metadata about the error.'),
});

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
register([customerUpsert, credentialsShape], 'request');
register(CONFIGURATIONS, 'request', 'Input');
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
