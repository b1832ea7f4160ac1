import * as z from 'zod';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  redeliverEvents,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from '../../usecases/manage-webhooks.ts';
import { jsonResponse } from '../answers.ts';
import { defineOperation } from '../operation.ts';
import {
  EXAMPLE_ENDPOINT,
  EXAMPLE_SECRET,
  endpointChangeShape,
  endpointPath,
  endpointShape,
  endpointsShape,
  endpointWithSecretShape,
  newEndpointShape,
  redeliveredShape,
  redeliveryShape,
  toEndpointRecord,
  toRedeliveredRecord,
  toSecretRecord,
} from '../wire/webhook.ts';

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
