import * as z from 'zod';
import {
  type EndpointWithSecret,
  EVENT_TYPES,
  event,
  MAX_REDELIVERED_IDS,
  MAX_WEBHOOK_URL_LENGTH,
  TEST_CUSTOMER_ID,
  type WebhookEndpoint,
  webhookEndpoint,
} from '../../domain/event.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  redeliverEvents,
  rotateWebhookSecret,
  sendTestEvent,
  updateWebhookEndpoint,
} from '../../usecases/manage-webhooks.ts';
import { defineOperation } from '../operation.ts';
import {
  EXAMPLE_MOMENT,
  enumInput,
  momentText,
  object,
  optional,
  text,
  toCamelCased,
  toSchema,
  toWire,
} from '../schemas.ts';
import { EXAMPLE_EVENT, eventSchema } from './events.ts';

const urlField = z
  .string()
  .max(MAX_WEBHOOK_URL_LENGTH)
  .meta({
    description: 'An https: URL at a public host. With the sandbox also http: on this machine.',
    examples: ['https://app.example.com/webhooks/crossbook'],
  });
const typesField = z
  .array(enumInput(EVENT_TYPES))
  .max(EVENT_TYPES.length)
  .describe('Types of events that are sent. Empty: all.');

const endpointPath = z.strictObject({
  id: text('Id of the endpoint.', '6d1f4b0e-9c0f-4a52-8f5e-0c6f3f1d2a10'),
});

const newEndpointSchema = object('request', 'NewWebhookEndpoint', 'A webhook endpoint to create.', {
  url: urlField,
  event_types: typesField.optional(),
});

const endpointChangeSchema = object(
  'request',
  'WebhookEndpointChange',
  'Changes of a webhook endpoint. Absent fields are unchanged.',
  {
    url: urlField.optional(),
    event_types: typesField.optional(),
    enabled: optional(
      z.boolean(),
      'Whether events are sent. `false` also drops pending deliveries.',
    ),
  },
);

const endpointSchema = toSchema(webhookEndpoint, 'response');

const endpointsSchema = object(
  'response',
  'WebhookEndpoints',
  'All endpoints of the application.',
  {
    records: z.array(endpointSchema).describe('The oldest first.'),
  },
);

const endpointWithSecretSchema = object(
  'response',
  'WebhookEndpointWithSecret',
  'An endpoint and its secret.',
  {
    endpoint: endpointSchema,
    secret: text(
      'Secret to verify signatures with, returned only here.',
      'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    ),
  },
);

const redeliverySchema = object('request', 'Redelivery', 'Events to send again.', {
  event_ids: optional(
    z.array(z.string()).max(MAX_REDELIVERED_IDS),
    'Ids of the events. Specify either these or `since`.',
  ),
  since: momentText(
    'Time from which all events are sent again, regardless of the endpoint’s `event_types`.',
  ).optional(),
});

const redeliveredSchema = object('response', 'Redelivered', 'Result of sending events again.', {
  scheduled: z.int().min(0).describe('Number of events that were scheduled.'),
  next_since: momentText('If there are more events, the `since` of the next request.').optional(),
});

function toSecretRecord({ endpoint, secret }: EndpointWithSecret) {
  return { endpoint: toEndpointRecord(endpoint), secret };
}

function toEndpointRecord(endpoint: WebhookEndpoint) {
  return toWire(webhookEndpoint, endpoint);
}

export const EXAMPLE_ENDPOINT = {
  id: '6d1f4b0e-9c0f-4a52-8f5e-0c6f3f1d2a10',
  url: 'https://app.example.com/webhooks/crossbook',
  event_types: ['connection.connected', 'connection.reauthorize'],
  enabled: true,
  created_at: EXAMPLE_MOMENT,
  updated_at: EXAMPLE_MOMENT,
};

const WITH_SECRET = {
  description: 'The endpoint and its secret, which is returned only here.',
  schema: endpointWithSecretSchema,
  example: { endpoint: EXAMPLE_ENDPOINT, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' },
};

export const webhookOperations = [
  defineOperation({
    id: 'listWebhookEndpoints',
    route: 'GET /webhook_endpoints',
    summary: 'List webhook endpoints',
    description: 'Your webhook endpoints.',
    input: {},
    response: {
      description: 'The endpoints.',
      schema: endpointsSchema,
      example: { records: [EXAMPLE_ENDPOINT] },
    },
    handle: async (context) => ({
      records: (await listWebhookEndpoints(context)).map(toEndpointRecord),
    }),
  }),
  defineOperation({
    id: 'createWebhookEndpoint',
    route: 'POST /webhook_endpoints',
    summary: 'Create a webhook endpoint',
    description: 'Creates an endpoint, to which events are sent by Standard Webhooks.',
    input: { body: newEndpointSchema },
    bodyExample: { url: EXAMPLE_ENDPOINT.url, event_types: EXAMPLE_ENDPOINT.event_types },
    response: { ...WITH_SECRET, status: 201 },
    errors: [409, 422],
    handle: async (context, { body: { url, event_types: eventTypes = [] } }) =>
      toSecretRecord(await createWebhookEndpoint(context, { url, eventTypes })),
  }),
  defineOperation({
    id: 'updateWebhookEndpoint',
    route: 'PATCH /webhook_endpoints/{id}',
    summary: 'Change a webhook endpoint',
    description: 'Absent fields are unchanged. `enabled` enables a disabled endpoint.',
    input: { path: endpointPath, body: endpointChangeSchema },
    bodyExample: { enabled: true },
    response: { description: 'The endpoint.', schema: endpointSchema, example: EXAMPLE_ENDPOINT },
    errors: [404, 422],
    handle: async (context, { path, body }) =>
      toEndpointRecord(await updateWebhookEndpoint(context, { ...path, ...toCamelCased(body) })),
  }),
  defineOperation({
    id: 'deleteWebhookEndpoint',
    route: 'DELETE /webhook_endpoints/{id}',
    summary: 'Delete a webhook endpoint',
    description: 'Events are no longer sent to it.',
    input: { path: endpointPath },
    response: { status: 204, description: 'The endpoint was deleted.' },
    errors: [404],
    handle: (context, { path }) => deleteWebhookEndpoint(context, path.id),
  }),
  defineOperation({
    id: 'rotateWebhookSecret',
    route: 'POST /webhook_endpoints/{id}/_rotate_secret',
    summary: 'Rotate a webhook secret',
    description: 'Creates a new secret. The previous one also signs for 24 hours.',
    input: { path: endpointPath },
    response: WITH_SECRET,
    errors: [404],
    handle: async (context, { path }) =>
      toSecretRecord(await rotateWebhookSecret(context, path.id)),
  }),
  defineOperation({
    id: 'redeliverEvents',
    route: 'POST /webhook_endpoints/{id}/_redeliver',
    summary: 'Send events again',
    description:
      'Sends events again, by their ids or all since a time, such as those missed while an endpoint was disabled.',
    input: { path: endpointPath, body: redeliverySchema },
    bodyExample: { since: EXAMPLE_MOMENT },
    response: {
      description: 'Number of events that were scheduled.',
      status: 202,
      schema: redeliveredSchema,
      example: { scheduled: 3 },
    },
    errors: [404, 409],
    async handle(context, { path, body }) {
      const request = { ...path, ...toCamelCased(body) };
      const { scheduled, nextSince } = await redeliverEvents(context, request);
      return { scheduled, next_since: nextSince ?? undefined };
    },
  }),
  defineOperation({
    id: 'sendTestEvent',
    route: 'POST /webhook_endpoints/{id}/_test',
    summary: 'Send a test event',
    description:
      'Sends an event of the type `webhook.test` to the endpoint, regardless of its types. It is signed and retried like every event.',
    input: { path: endpointPath },
    response: {
      description: 'The event, which is queued. Its `id` is the header `webhook-id`.',
      status: 202,
      schema: eventSchema,
      example: {
        id: EXAMPLE_EVENT.id,
        type: 'webhook.test',
        customer_id: TEST_CUSTOMER_ID,
        data: { endpoint_id: EXAMPLE_ENDPOINT.id },
        created_at: EXAMPLE_MOMENT,
      },
    },
    errors: [404, 409],
    handle: async (context, { path }) => toWire(event, await sendTestEvent(context, path.id)),
  }),
];
