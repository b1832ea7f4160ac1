import * as z from 'zod';
import { EVENT_TYPES } from '../../domain/event.ts';
import {
  type EndpointWithSecret,
  MAX_REDELIVERED_IDS,
  MAX_WEBHOOK_URL_LENGTH,
  type Redelivered,
  type WebhookEndpoint,
} from '../../domain/webhook.ts';
import { moment, optionalMoment, optionalText, text, uuid } from './fields.ts';

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

export const endpointPath = z.strictObject({
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
    id: uuid('The endpoint’s id.'),
    url: text('Where events are sent.', 'https://app.example.com/webhooks/crossbook'),
    event_types: z.array(z.enum(EVENT_TYPES)).describe('The types that are sent. Empty: all.'),
    enabled: z
      .boolean()
      .describe('False: switched off by you, by its answer 410, or after three days of failures.'),
    last_failure: optionalText('What went wrong last.', 'HTTP 503'),
    last_failure_at: optionalMoment('When that was.'),
    created_at: moment('When it was created.'),
    updated_at: moment('When it was changed last.'),
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
    since: moment('All events from then on, whatever types the endpoint is sent.').optional(),
  })
  .describe('Which events are sent once more.');

export const redeliveredShape = z
  .strictObject({
    scheduled: z.int().min(0).describe('Events that are on their way.'),
    next_since: optionalMoment('There were more: ask again with this as `since`.'),
  })
  .describe('What is sent once more.');

export function toEndpointRecord(endpoint: WebhookEndpoint): z.output<typeof endpointShape> {
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

export function toSecretRecord({ endpoint, secret }: EndpointWithSecret) {
  return { endpoint: toEndpointRecord(endpoint), secret };
}

export function toRedeliveredRecord({
  scheduled,
  nextSince,
}: Redelivered): z.output<typeof redeliveredShape> {
  return { scheduled, next_since: nextSince?.toISOString() };
}

export const EXAMPLE_ENDPOINT: z.output<typeof endpointShape> = {
  id: '6d1f4b0e-9c0f-4a52-8f5e-0c6f3f1d2a10',
  url: 'https://app.example.com/webhooks/crossbook',
  event_types: ['connection.connected', 'connection.reauthorize'],
  enabled: true,
  created_at: '2025-03-01T12:00:00.000Z',
  updated_at: '2025-03-01T12:00:00.000Z',
};

export const EXAMPLE_SECRET = {
  endpoint: EXAMPLE_ENDPOINT,
  secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
};
