import { event, eventType, MAX_ENDPOINTS, MAX_REDELIVERED_IDS, webhookEndpoint } from '../../domain/event.ts';
import { DEFAULT_PAGE_SIZE } from '../../domain/page.ts';
import { boolean, date, field, id, int, listOf, moment, nullable, string } from '../../domain/shape.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listEvents,
  listWebhookEndpoints,
  MAX_EVENTS,
  redeliverEvents,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from '../../usecases/manage-webhooks.ts';
import { builder, tagged } from '../builder.ts';
import { costs } from '../cost.ts';
import { objectOf } from '../from-shape.ts';
import { defineMutation } from '../mutation.ts';
import { connectionOf, pageSizeOf } from './pagination.ts';

/** One look into the database. */
const LIST_COST = 20;

builder.queryField('events', (t) =>
  t.field({
    ...tagged('api-key'),
    type: connectionOf(objectOf(event), {
      one: 'An event',
      description: 'One page of events, the newest first.',
      cursorsFor: '`after`',
    }),
    description: 'What has happened in the last 30 days, the newest first. It takes an API key.',
    args: {
      customerId: t.arg.id({ description: 'Events of this customer alone.' }),
      first: t.arg.int({
        description: `Events on the page, at most ${MAX_EVENTS}. Default ${DEFAULT_PAGE_SIZE}.`,
      }),
      after: t.arg.string({ description: 'The cursor of the last event that you have seen.' }),
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
    description: `Your servers that hear of events, at most ${MAX_ENDPOINTS}. It takes an API key.`,
    ...costs({ weight: LIST_COST, items: MAX_ENDPOINTS }),
    resolve: (_root, _args, context) => listWebhookEndpoints(context),
  }),
);

const ENDPOINT = field(webhookEndpoint, 'The endpoint.');
const ENDPOINT_ID = field(id, 'The endpoint.');

defineMutation('createWebhookEndpoint', {
  description: 'Events are sent there from now on, by Standard Webhooks. It takes an API key.',
  input: {
    argument: 'The endpoint.',
    description: 'A server of yours that wants to hear of events.',
    fields: {
      url: field(
        string,
        'An `https:` URL at a public host, e.g. `https://app.example.com/webhooks/crossbook`.',
      ),
      eventTypes: nullable(listOf(eventType), 'The types of events that are sent. Default: all.'),
    },
  },
  resolve: ({ url, eventTypes }, context) =>
    createWebhookEndpoint(context, { url, eventTypes: eventTypes ?? [] }),
  payload: {
    description: 'The endpoint, and its secret.',
    fields: {
      endpoint: ENDPOINT,
      secret: field(string, 'What it verifies signatures with: `whsec_` and base64. Shown this once.'),
    },
  },
});

defineMutation('updateWebhookEndpoint', {
  description: 'Changes an endpoint, or enables one that was disabled. It takes an API key.',
  input: {
    argument: 'What changes.',
    description: 'What changes of an endpoint. What is absent stays.',
    fields: {
      id: ENDPOINT_ID,
      url: nullable(string, 'Where events are sent from now on.'),
      eventTypes: nullable(listOf(eventType), 'The types that are sent. Empty: all.'),
      enabled: nullable(boolean, 'False: nothing is sent, and what waits is forgotten.'),
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
  payload: { description: 'The endpoint as it is now.', fields: { endpoint: ENDPOINT } },
});

defineMutation('deleteWebhookEndpoint', {
  description: 'Nothing is sent there any more. It takes an API key.',
  input: {
    argument: 'The endpoint.',
    description: 'Which endpoint is deleted.',
    fields: { id: ENDPOINT_ID },
  },
  async resolve(endpoint, context) {
    await deleteWebhookEndpoint(context, endpoint.id);
    return { deletedEndpointId: endpoint.id };
  },
  payload: {
    description: 'What was deleted.',
    fields: { deletedEndpointId: field(id, 'The id of the endpoint that is gone.') },
  },
});

defineMutation('rotateWebhookSecret', {
  description: 'Gives an endpoint a new secret; both sign for 24 hours. It takes an API key.',
  input: {
    argument: 'The endpoint.',
    description: 'Whose secret is rotated.',
    fields: { id: ENDPOINT_ID },
  },
  resolve: (endpoint, context) => rotateWebhookSecret(context, endpoint.id),
  payload: {
    description: 'The endpoint, and its new secret. The one before signs as well for 24 hours.',
    fields: { endpoint: ENDPOINT, secret: field(string, 'The new secret. Shown this once.') },
  },
});

defineMutation('redeliverEvents', {
  description: 'Sends events once more: what was missed while an endpoint was disabled. It takes an API key.',
  input: {
    argument: 'Which events.',
    description: 'Which events are sent once more: either `eventIds` or `since`.',
    fields: {
      endpointId: field(id, 'The endpoint that they are sent to.'),
      eventIds: nullable(listOf(id), `These events, at most ${MAX_REDELIVERED_IDS}.`),
      since: nullable(moment, 'All events from then on, whatever types the endpoint is sent.'),
    },
  },
  resolve: ({ endpointId, ...wanted }, context) => redeliverEvents(context, { id: endpointId, ...wanted }),
  payload: {
    description: 'What is sent once more.',
    fields: {
      scheduled: field(int, 'Events that are on their way.'),
      nextSince: nullable(date, 'There were more: ask again with this as `since`. Null: these were all.'),
    },
  },
});
