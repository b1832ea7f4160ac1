import * as z from 'zod';
import {
  type EndpointWithSecret,
  EVENT_TYPES,
  MAX_REDELIVERED_IDS,
  MAX_WEBHOOK_URL_LENGTH,
  type Redelivered,
  type WebhookEndpoint,
} from '../../domain/event.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  redeliverEvents,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from '../../usecases/manage-webhooks.ts';
import { defineOperation } from '../operation.ts';
import { jsonResponse } from '../responses.ts';
import { momentText, optionalMoment, optionalText, text, uuidText } from '../wire/fields.ts';

const urlField = z
  .string()
  .max(MAX_WEBHOOK_URL_LENGTH)
  .meta({
    description: 'An https: URL at a public host. With the sandbox also http: on this machine.',
    examples: ['https://app.example.com/webhooks/crossbook'],
  });
const typesField = z
  .array(z.enum(EVENT_TYPES))
  .max(EVENT_TYPES.length)
  .describe('The types of events that are sent. Empty: all.');

const endpointPath = z.strictObject({
  id: text('The endpoint’s id.', '6d1f4b0e-9c0f-4a52-8f5e-0c6f3f1d2a10'),
});

export const newEndpointShape = z
  .strictObject({ url: urlField, event_types: typesField.optional() })
  .describe('A server of yours that wants to hear of events.');

export const endpointChangeShape = z
  .strictObject({
    url: urlField.optional(),
    event_types: typesField.optional(),
    enabled: z.boolean().optional().describe('False: nothing is sent, and what waits is forgotten.'),
  })
  .describe('What changes. What is absent stays.');

export const endpointShape = z
  .strictObject({
    id: uuidText('The endpoint’s id.'),
    url: text('Where events are sent.', 'https://app.example.com/webhooks/crossbook'),
    event_types: z.array(z.enum(EVENT_TYPES)).describe('The types that are sent. Empty: all.'),
    enabled: z
      .boolean()
      .describe('False: switched off by you, by its answer 410, or after three days of failures.'),
    last_failure: optionalText('What went wrong last.', 'HTTP 503'),
    last_failure_at: optionalMoment('When that was.'),
    created_at: momentText('When it was created.'),
    updated_at: momentText('When it was changed last.'),
  })
  .describe('A server of yours that hears of events.');

export const endpointsShape = z
  .strictObject({ records: z.array(endpointShape).describe('The oldest first.') })
  .describe('All endpoints of the application.');

export const endpointWithSecretShape = z
  .strictObject({
    endpoint: endpointShape,
    secret: text(
      'What it verifies signatures with. Shown this once.',
      'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    ),
  })
  .describe('An endpoint and its secret.');

export const redeliveryShape = z
  .strictObject({
    event_ids: z
      .array(z.string())
      .max(MAX_REDELIVERED_IDS)
      .optional()
      .describe('These events. Either these, or `since`.'),
    since: momentText('All events from then on, whatever types the endpoint is sent.').optional(),
  })
  .describe('Which events are sent once more.');

export const redeliveredShape = z
  .strictObject({
    scheduled: z.int().min(0).describe('Events that are on their way.'),
    next_since: optionalMoment('There were more: ask again with this as `since`.'),
  })
  .describe('What is sent once more.');

function toEndpointRecord(endpoint: WebhookEndpoint): z.output<typeof endpointShape> {
  return {
    id: endpoint.id,
    url: endpoint.url,
    event_types: [...endpoint.eventTypes],
    enabled: endpoint.enabled,
    last_failure: endpoint.lastFailure ?? undefined,
    last_failure_at: endpoint.lastFailureAt?.toISOString(),
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
  };
}

function toSecretRecord({ endpoint, secret }: EndpointWithSecret) {
  return { endpoint: toEndpointRecord(endpoint), secret };
}

function toRedeliveredRecord({ scheduled, nextSince }: Redelivered): z.output<typeof redeliveredShape> {
  return { scheduled, next_since: nextSince?.toISOString() };
}

const EXAMPLE_ENDPOINT: z.output<typeof endpointShape> = {
  id: '6d1f4b0e-9c0f-4a52-8f5e-0c6f3f1d2a10',
  url: 'https://app.example.com/webhooks/crossbook',
  event_types: ['connection.connected', 'connection.reauthorize'],
  enabled: true,
  created_at: '2025-03-01T12:00:00.000Z',
  updated_at: '2025-03-01T12:00:00.000Z',
};

const EXAMPLE_SECRET = {
  endpoint: EXAMPLE_ENDPOINT,
  secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
};

const NOTHING = {
  path: z.strictObject({}),
  query: z.strictObject({}),
  headers: z.object({}),
  body: z.undefined(),
};
const COMMON = { group: 'webhooks', callers: ['apiKey'] } as const;
const CREATED = {
  description: 'The endpoint, and its secret: shown this once.',
  shape: endpointWithSecretShape,
  example: EXAMPLE_SECRET,
  headers: {},
};
const ENDPOINT = {
  description: 'The endpoint.',
  shape: endpointShape,
  example: EXAMPLE_ENDPOINT,
  headers: {},
};

export const webhookOperations = [
  defineOperation({
    ...COMMON,
    id: 'listWebhookEndpoints',
    method: 'GET',
    path: '/webhook_endpoints',
    summary: 'List webhook endpoints',
    description: 'Your servers that hear of events.',
    input: z.object(NOTHING),
    answer: {
      description: 'The endpoints.',
      shape: endpointsShape,
      example: { records: [EXAMPLE_ENDPOINT] },
      headers: {},
    },
    refusals: [400, 401, 403, 429, 500, 503],
    async handle(context) {
      return jsonResponse({ records: (await listWebhookEndpoints(context)).map(toEndpointRecord) });
    },
  }),
  defineOperation({
    ...COMMON,
    id: 'createWebhookEndpoint',
    method: 'POST',
    path: '/webhook_endpoints',
    summary: 'Create a webhook endpoint',
    description: 'Events are sent there from now on, by Standard Webhooks.',
    input: z.object({ ...NOTHING, body: newEndpointShape }),
    bodyExample: { url: EXAMPLE_ENDPOINT.url, event_types: EXAMPLE_ENDPOINT.event_types },
    answer: { ...CREATED, status: 201 },
    refusals: [400, 401, 403, 409, 413, 415, 422, 429, 500, 503],
    async handle(context, { body }) {
      const wanted = { url: body.url, eventTypes: body.event_types ?? [] };
      return jsonResponse(toSecretRecord(await createWebhookEndpoint(context, wanted)), {}, { status: 201 });
    },
  }),
  defineOperation({
    ...COMMON,
    id: 'updateWebhookEndpoint',
    method: 'PATCH',
    path: '/webhook_endpoints/{id}',
    summary: 'Change a webhook endpoint',
    description: 'What is absent stays. One that was disabled is enabled with `enabled`.',
    input: z.object({ ...NOTHING, path: endpointPath, body: endpointChangeShape }),
    bodyExample: { enabled: true },
    answer: ENDPOINT,
    refusals: [400, 401, 403, 404, 413, 415, 422, 429, 500, 503],
    async handle(context, { path, body }) {
      const change = { id: path.id, url: body.url, eventTypes: body.event_types, enabled: body.enabled };
      return jsonResponse(toEndpointRecord(await updateWebhookEndpoint(context, change)));
    },
  }),
  defineOperation({
    ...COMMON,
    id: 'deleteWebhookEndpoint',
    method: 'DELETE',
    path: '/webhook_endpoints/{id}',
    summary: 'Delete a webhook endpoint',
    description: 'Nothing is sent there any more.',
    input: z.object({ ...NOTHING, path: endpointPath }),
    emptyAnswers: { 204: 'It is gone.' },
    refusals: [400, 401, 403, 404, 429, 500, 503],
    async handle(context, { path }) {
      await deleteWebhookEndpoint(context, path.id);
      return { status: 204, headers: { 'cache-control': 'no-store' }, body: null };
    },
  }),
  defineOperation({
    ...COMMON,
    id: 'rotateWebhookSecret',
    method: 'POST',
    path: '/webhook_endpoints/{id}/_rotate_secret',
    summary: 'Rotate a webhook secret',
    description: 'The endpoint gets a new secret. The one before signs as well for 24 hours.',
    input: z.object({ ...NOTHING, path: endpointPath }),
    answer: CREATED,
    refusals: [400, 401, 403, 404, 429, 500, 503],
    async handle(context, { path }) {
      return jsonResponse(toSecretRecord(await rotateWebhookSecret(context, path.id)));
    },
  }),
  defineOperation({
    ...COMMON,
    id: 'redeliverEvents',
    method: 'POST',
    path: '/webhook_endpoints/{id}/_redeliver',
    summary: 'Send events once more',
    description: 'Events by their ids, or all since a time: what was missed while an endpoint was disabled.',
    input: z.object({ ...NOTHING, path: endpointPath, body: redeliveryShape }),
    bodyExample: { since: '2025-03-01T12:00:00.000Z' },
    answer: {
      description: 'How many are on their way.',
      status: 202,
      shape: redeliveredShape,
      example: { scheduled: 3 },
      headers: {},
    },
    refusals: [400, 401, 403, 404, 409, 413, 415, 429, 500, 503],
    async handle(context, { path, body }) {
      const request = { id: path.id, eventIds: body.event_ids, since: body.since };
      return jsonResponse(toRedeliveredRecord(await redeliverEvents(context, request)), {}, { status: 202 });
    },
  }),
];
