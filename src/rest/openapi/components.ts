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
import type { Type } from '../../domain/shape.ts';
import {
  confirmationSchema,
  connectLinkRequestSchema,
  connectLinkSchema,
  createdConnectLinkSchema,
} from '../routes/connect-links.ts';
import { disconnectionSchema } from '../routes/connections.ts';
import { tokenRequestSchema, tokenSchema } from '../routes/customer-tokens.ts';
import { customerPageSchema, customerPaginationSchema } from '../routes/customers.ts';
import { eventPageSchema, eventPaginationSchema, eventSchema, webhookBodySchema } from '../routes/events.ts';
import { oauthClientInputSchema, oauthClientSchema } from '../routes/oauth-clients.ts';
import {
  associationsSchema,
  contactPageSchema,
  contactSchema,
  contactSearchSchema,
  paginationSchema,
} from '../routes/search-contacts.ts';
import {
  endpointChangeSchema,
  endpointSchema,
  endpointsSchema,
  endpointWithSecretSchema,
  newEndpointSchema,
  redeliveredSchema,
  redeliverySchema,
} from '../routes/webhook-endpoints.ts';
import { enumText, object, optional, text, toSchema, type WireDirection } from '../schemas.ts';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

const errorSchema = object('One error.', {
  id: text('Id of this error instance, also in the log. Quote it to support.'),
  code: enumText(CODES, 'What went wrong.'),
  problem_type: enumText(CODES, 'The same as `code`.'),
  status: text('HTTP status, as a string.', '404'),
  title: text('Short summary of the error.'),
  detail: text('Detailed description of the error.'),
  meta: object('Additional metadata about the error.', {
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
  }),
});

export const errorsSchema = object('The body of every error response.', {
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

/** Request schemas: fields with a default are optional. */
const REQUEST_SCHEMAS = toRegistry({
  ContactSearch: contactSearchSchema,
  CustomerUpsert: toSchema(customerUpsert, 'request'),
  TokenRequest: tokenRequestSchema,
  ConnectLinkRequest: connectLinkRequestSchema,
  Confirmation: confirmationSchema,
  NewWebhookEndpoint: newEndpointSchema,
  WebhookEndpointChange: endpointChangeSchema,
  Redelivery: redeliverySchema,
  OAuthClientInput: oauthClientInputSchema,
  ConnectionUpsert: toSchema(connectionUpsert, 'request'),
  ...toSchemas([credentialsShape], 'request'),
  ...toSchemas(CONFIGURATIONS, 'request', 'Input'),
});

/** Response schemas: fields with a default are always present. */
const RESPONSE_SCHEMAS = toRegistry({
  ContactPage: contactPageSchema,
  Pagination: paginationSchema,
  Contact: contactSchema,
  ...toSchemas([address, emailAddress, phoneNumber], 'response'),
  Associations: associationsSchema,
  CustomerPage: customerPageSchema,
  CustomerPagination: customerPaginationSchema,
  ...toSchemas([customer], 'response'),
  Token: tokenSchema,
  ConnectLink: connectLinkSchema,
  CreatedConnectLink: createdConnectLinkSchema,
  WebhookEndpoint: endpointSchema,
  WebhookEndpoints: endpointsSchema,
  WebhookEndpointWithSecret: endpointWithSecretSchema,
  Redelivered: redeliveredSchema,
  Event: eventSchema,
  EventPage: eventPageSchema,
  EventPagination: eventPaginationSchema,
  WebhookBody: webhookBodySchema,
  OAuthClient: oauthClientSchema,
  ...toSchemas([connection], 'response'),
  Disconnection: disconnectionSchema,
  ...toSchemas([connectedAccount, ...CONFIGURATIONS], 'response'),
  Error: errorSchema,
  Errors: errorsSchema,
});

/** Registers declared types under their names. */
function toSchemas(types: readonly Declared[], direction: WireDirection, suffix = '') {
  const named = types.map((type) => [`${type.name}${suffix}`, toSchema(type, direction)] as const);
  return Object.fromEntries(named);
}

type Declared = Extract<Type, { readonly name: string }>;

/** All named schemas of the document. */
export function toComponentSchemas(): Record<string, object> {
  return { ...toJsonSchemas(REQUEST_SCHEMAS, 'input'), ...toJsonSchemas(RESPONSE_SCHEMAS, 'output') };
}

/**
 * References a request schema; unnamed ones are named after their operation. Optional bodies are described as
 * present.
 */
export function refToRequest(schema: z.core.$ZodType, operationId: string): object {
  const present = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  return toRef(REQUEST_SCHEMAS, present, `${operationId}Request`);
}

export function refToResponse(schema: z.core.$ZodType, operationId = ''): object {
  return toRef(RESPONSE_SCHEMAS, schema, `${operationId}Response`);
}

function toRef(registry: Registry, schema: z.core.$ZodType, name: string): object {
  const entry = registry.get(schema) ?? { id: name.replace(/^./, (letter) => letter.toUpperCase()) };
  registry.add(schema, entry);
  return { $ref: toUri(entry.id) };
}

function toJsonSchemas(registry: Registry, io: 'input' | 'output'): Record<string, object> {
  const { schemas } = z.toJSONSchema(registry, {
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

function toRegistry(shapes: Readonly<Record<string, z.ZodType>>): Registry {
  const registry: Registry = z.registry<{ id: string }>();
  for (const [id, shape] of Object.entries(shapes)) registry.add(shape, { id });
  return registry;
}

type Registry = z.core.$ZodRegistry<{ id: string }>;
