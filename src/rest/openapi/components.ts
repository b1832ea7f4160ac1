import * as z from 'zod';
import {
  connectedAccount,
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
import { toSchema, type WireDirection } from '../from-shape.ts';
import {
  confirmationShape,
  connectLinkRequestShape,
  connectLinkShape,
  createdConnectLinkShape,
} from '../routes/connect-links.ts';
import { tokenRequestShape, tokenShape } from '../routes/customer-tokens.ts';
import { eventPageShape, eventPaginationShape, eventShape, webhookBodyShape } from '../routes/events.ts';
import { oauthClientInputShape, oauthClientShape } from '../routes/oauth-clients.ts';
import {
  endpointChangeShape,
  endpointShape,
  endpointsShape,
  endpointWithSecretShape,
  newEndpointShape,
  redeliveredShape,
  redeliveryShape,
} from '../routes/webhook-endpoints.ts';
import {
  addressShape,
  associationsShape,
  contactPageShape,
  contactSearchShape,
  contactShape,
  emailAddressShape,
  paginationShape,
  phoneNumberShape,
} from '../wire/contact.ts';
import {
  connectionShape,
  customerPageShape,
  customerPaginationShape,
  customerShape,
  customerUpsertShape,
  disconnectionShape,
} from '../wire/customer.ts';
import { errorShape, errorsShape } from '../wire/error.ts';

/** What is asked with: absent fields that have a default may be absent. */
const REQUEST_SCHEMAS = toRegistry({
  ContactSearch: contactSearchShape,
  CustomerUpsert: customerUpsertShape,
  TokenRequest: tokenRequestShape,
  ConnectLinkRequest: connectLinkRequestShape,
  Confirmation: confirmationShape,
  NewWebhookEndpoint: newEndpointShape,
  WebhookEndpointChange: endpointChangeShape,
  Redelivery: redeliveryShape,
  OAuthClientInput: oauthClientInputShape,
  ConnectionUpsert: toSchema(connectionUpsert, 'asked'),
  Credentials: toSchema(credentialsShape, 'asked'),
  ...toConfigurations('asked', 'Input'),
});

/** What is answered with: every field that has a default is there. */
const RESPONSE_SCHEMAS = toRegistry({
  ContactPage: contactPageShape,
  Pagination: paginationShape,
  Contact: contactShape,
  Address: addressShape,
  EmailAddress: emailAddressShape,
  PhoneNumber: phoneNumberShape,
  Associations: associationsShape,
  CustomerPage: customerPageShape,
  CustomerPagination: customerPaginationShape,
  Customer: customerShape,
  Token: tokenShape,
  ConnectLink: connectLinkShape,
  CreatedConnectLink: createdConnectLinkShape,
  WebhookEndpoint: endpointShape,
  WebhookEndpoints: endpointsShape,
  WebhookEndpointWithSecret: endpointWithSecretShape,
  Redelivered: redeliveredShape,
  Event: eventShape,
  EventPage: eventPageShape,
  EventPagination: eventPaginationShape,
  WebhookBody: webhookBodyShape,
  OAuthClient: oauthClientShape,
  Connection: connectionShape,
  Disconnection: disconnectionShape,
  ConnectedAccount: toSchema(connectedAccount, 'answered'),
  ...toConfigurations('answered', ''),
  Error: errorShape,
  Errors: errorsShape,
});

/** What a connection is configured with is the same in both directions. */
function toConfigurations(direction: WireDirection, suffix: string): Record<string, z.ZodType> {
  const declared = [
    ...[schemaMappingsConfig, objectFieldMappings, entityMapping, connectionSyncConfig],
    ...[destinationConfig, syncedObject, fieldMapping],
  ];
  return Object.fromEntries(declared.map((type) => [`${type.name}${suffix}`, toSchema(type, direction)]));
}

/** The named schemas of the document. */
export function toComponentSchemas(): Record<string, object> {
  return { ...toJsonSchemas(REQUEST_SCHEMAS, 'input'), ...toJsonSchemas(RESPONSE_SCHEMAS, 'output') };
}

/** A schema that has no name yet is named after its operation. */
export function refToAsked(shape: z.ZodType, operationId: string): object {
  return toRef(REQUEST_SCHEMAS, shape, `${toTypeName(operationId)}Request`);
}

export function refToAnswered(shape: z.ZodType, operationId = ''): object {
  return toRef(RESPONSE_SCHEMAS, shape, `${toTypeName(operationId)}Response`);
}

function toRef(registry: Registry, shape: z.ZodType, name: string): object {
  const entry = registry.get(shape) ?? { id: name };
  registry.add(shape, entry);
  return { $ref: toUri(entry.id) };
}

function toTypeName(operationId: string): string {
  return operationId.slice(0, 1).toUpperCase() + operationId.slice(1);
}

function toJsonSchemas(registry: Registry, io: 'input' | 'output'): Record<string, object> {
  const { schemas } = z.toJSONSchema(registry, {
    io,
    uri: toUri,
    // Generators of clients take a field that has a default for one that must be sent.
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
