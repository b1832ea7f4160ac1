import { costs } from '@crossbook/executor';
import {
  event,
  eventType,
  MAX_ENDPOINTS,
  MAX_REDELIVERED_IDS,
  webhookEndpoint,
} from '../../domain/event.ts';
import { DEFAULT_PAGE_SIZE } from '../../domain/page.ts';
import { LIST_COST } from '../../domain/records/record-search.ts';
import {
  boolean,
  date,
  field,
  id,
  int,
  listOf,
  moment,
  nullable,
  string,
} from '../../domain/shape.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listEvents,
  listWebhookEndpoints,
  MAX_EVENTS,
  redeliverEvents,
  rotateWebhookSecret,
  sendTestEvent,
  updateWebhookEndpoint,
} from '../../usecases/manage-webhooks.ts';
import { builder, tagged } from '../define/builder.ts';
import { objectOf } from '../define/from-shape.ts';
import { defineMutation } from '../define/mutation.ts';
import { connectionOf, pageSizeOf } from './pagination.ts';

builder.queryField('events', (t) =>
  t.field({
    ...tagged('api-key'),
    type: connectionOf(objectOf(event), {
      one: 'An event',
      description: 'A page of events, newest first.',
      cursorsFor: '`after`',
    }),
    description: 'Events of the last 30 days, newest first. Requires an API key.',
    args: {
      customerId: t.arg.id({ description: 'Only events of this customer, by your own id.' }),
      first: t.arg.int({
        description: `Number of events on the page, at most ${MAX_EVENTS}. Default ${DEFAULT_PAGE_SIZE}.`,
      }),
      after: t.arg.string({ description: 'Cursor of the last event on the previous page.' }),
    },
    ...costs({ weight: LIST_COST, pageSize: (args) => pageSizeOf(args, DEFAULT_PAGE_SIZE) }),
    resolve: (_root, { customerId, first, after }, context) =>
      listEvents(context, { customerId, size: first, cursor: after }),
  }),
);

builder.queryField('webhookEndpoints', (t) =>
  t.field({
    ...tagged('api-key'),
    type: [objectOf(webhookEndpoint)],
    description: `Your webhook endpoints, at most ${MAX_ENDPOINTS}. Requires an API key.`,
    ...costs({ weight: LIST_COST, items: MAX_ENDPOINTS }),
    resolve: (_root, _args, context) => listWebhookEndpoints(context),
  }),
);

const ENDPOINT = field(webhookEndpoint, 'The endpoint.');
const ENDPOINT_ID = field(id, 'The endpoint.');

defineMutation('createWebhookEndpoint', {
  description:
    'Creates a webhook endpoint, to which events are sent by Standard Webhooks. Requires an API key.',
  input: {
    argument: 'The endpoint.',
    description: 'A webhook endpoint to create.',
    fields: {
      url: field(
        string,
        'URL of the endpoint, `https:` at a public host, e.g. `https://app.example.com/webhooks/crossbook`.',
      ),
      eventTypes: nullable(listOf(eventType), 'Types of events to send. Default: all.'),
    },
  },
  resolve: ({ url, eventTypes }, context) =>
    createWebhookEndpoint(context, { url, eventTypes: eventTypes ?? [] }),
  payload: {
    description: 'The new endpoint and its secret.',
    fields: {
      endpoint: ENDPOINT,
      secret: field(
        string,
        'Secret to verify signatures with, `whsec_` and base64, returned only here.',
      ),
    },
  },
});

defineMutation('updateWebhookEndpoint', {
  description: 'Changes a webhook endpoint, or enables a disabled one. Requires an API key.',
  input: {
    argument: 'Changes of the endpoint.',
    description: 'Changes of a webhook endpoint. Absent fields are unchanged.',
    fields: {
      id: ENDPOINT_ID,
      url: nullable(string, 'New URL.'),
      eventTypes: nullable(listOf(eventType), 'Types of events to send. Empty: all.'),
      enabled: nullable(boolean, 'Whether events are sent. `false` also drops pending deliveries.'),
    },
  },
  async resolve({ id: endpointId, url, eventTypes, enabled }, context) {
    const change = {
      url: url ?? undefined,
      eventTypes: eventTypes ?? undefined,
      enabled: enabled ?? undefined,
    };
    return { endpoint: await updateWebhookEndpoint(context, { id: endpointId, ...change }) };
  },
  payload: { description: 'The updated endpoint.', fields: { endpoint: ENDPOINT } },
});

defineMutation('deleteWebhookEndpoint', {
  description: 'Deletes a webhook endpoint. Events are no longer sent to it. Requires an API key.',
  input: {
    argument: 'The endpoint.',
    description: 'Webhook endpoint to delete.',
    fields: { id: ENDPOINT_ID },
  },
  async resolve(endpoint, context) {
    await deleteWebhookEndpoint(context, endpoint.id);
    return { deletedEndpointId: endpoint.id };
  },
  payload: {
    description: 'Result of a deletion.',
    fields: { deletedEndpointId: field(id, 'Id of the deleted endpoint.') },
  },
});

defineMutation('rotateWebhookSecret', {
  description:
    'Creates a new secret for an endpoint; both secrets sign for 24 hours. Requires an API key.',
  input: {
    argument: 'The endpoint.',
    description: 'Webhook endpoint whose secret is rotated.',
    fields: { id: ENDPOINT_ID },
  },
  resolve: (endpoint, context) => rotateWebhookSecret(context, endpoint.id),
  payload: {
    description: 'The endpoint and its new secret. The previous secret also signs for 24 hours.',
    fields: { endpoint: ENDPOINT, secret: field(string, 'The new secret, returned only here.') },
  },
});

defineMutation('redeliverEvents', {
  description:
    'Sends events again, such as those missed while an endpoint was disabled. Requires an API key.',
  input: {
    argument: 'Events to send again.',
    description: 'Events to send again: either `eventIds` or `since`.',
    fields: {
      endpointId: field(id, 'Id of the endpoint to send them to.'),
      eventIds: nullable(listOf(id), `Ids of the events, at most ${MAX_REDELIVERED_IDS}.`),
      since: nullable(
        moment,
        'Time from which all events are sent again, regardless of the endpoint’s `eventTypes`.',
      ),
    },
  },
  resolve: ({ endpointId, ...redelivery }, context) =>
    redeliverEvents(context, { id: endpointId, ...redelivery }),
  payload: {
    description: 'Result of sending events again.',
    fields: {
      scheduled: field(int, 'Number of events that were scheduled.'),
      nextSince: nullable(
        date,
        'If there are more events, the `since` of the next request. Otherwise null.',
      ),
    },
  },
});

defineMutation('sendTestEvent', {
  description:
    'Sends an event of the type `WEBHOOK_TEST` to an endpoint, signed and retried like every event. Requires an API key.',
  input: {
    argument: 'The endpoint.',
    description: 'Webhook endpoint to test. It must be enabled; its `eventTypes` are ignored.',
    fields: { endpointId: field(id, 'Id of the endpoint to send the event to.') },
  },
  resolve: async ({ endpointId }, context) => ({
    event: await sendTestEvent(context, endpointId),
  }),
  payload: {
    description: 'The test event, which is queued.',
    fields: { event: field(event, 'The event. Its `id` is the header `webhook-id`.') },
  },
});
