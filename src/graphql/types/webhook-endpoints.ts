import { MAX_ENDPOINTS, MAX_REDELIVERED_IDS, type WebhookEndpoint } from '../../domain/event.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  redeliverEvents,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from '../../usecases/manage-webhooks.ts';
import { builder, tagged } from '../builder.ts';
import { costs } from '../cost.ts';
import { defineMutation } from '../mutation.ts';
import { EventTypeEnum } from './event-connection.ts';

const WebhookEndpointType = builder.objectRef<WebhookEndpoint>('WebhookEndpoint').implement({
  description: 'A server of yours that hears of events, by Standard Webhooks.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The endpoint’s id.' }),
    url: t.exposeString('url', { description: 'Where events are sent.' }),
    eventTypes: t.field({
      type: [EventTypeEnum],
      description: 'The types of events that are sent. Empty: all.',
      ...costs({ items: 8 }),
      resolve: ({ eventTypes }) => eventTypes,
    }),
    enabled: t.exposeBoolean('enabled', {
      description:
        'False: nothing is sent. It was switched off by you, by its answer 410, or after three days of failures.',
    }),
    lastFailure: t.exposeString('lastFailure', {
      nullable: true,
      description: 'What went wrong last, e.g. `HTTP 503`. It stays when all is well again.',
    }),
    lastFailureAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When that was.',
      resolve: ({ lastFailureAt }) => lastFailureAt?.toISOString() ?? null,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was created.',
      resolve: ({ createdAt }) => createdAt.toISOString(),
    }),
    updatedAt: t.field({
      type: 'DateTime',
      description: 'When it was changed last.',
      resolve: ({ updatedAt }) => updatedAt.toISOString(),
    }),
  }),
});

builder.queryField('webhookEndpoints', (t) =>
  t.field({
    ...tagged('api-key'),
    type: [WebhookEndpointType],
    description: `Your servers that hear of events, at most ${MAX_ENDPOINTS}. It takes an API key.`,
    ...costs({ weight: 20, items: MAX_ENDPOINTS }),
    resolve: (_root, _args, context) => listWebhookEndpoints(context),
  }),
);

defineMutation('createWebhookEndpoint', {
  description: 'Events are sent there from now on, by Standard Webhooks. It takes an API key.',
  input: {
    argument: 'The endpoint.',
    description: 'A server of yours that wants to hear of events.',
    fields: (t) => ({
      url: t.string({
        required: true,
        description: 'An `https:` URL at a public host, e.g. `https://app.example.com/webhooks/crossbook`.',
      }),
      eventTypes: t.field({
        type: [EventTypeEnum],
        description: 'The types of events that are sent. Default: all.',
      }),
    }),
  },
  resolve: ({ url, eventTypes }, context) =>
    createWebhookEndpoint(context, { url, eventTypes: eventTypes ?? [] }),
  payload: {
    description: 'The endpoint, and its secret.',
    fields: (t) => ({
      endpoint: t.expose('endpoint', { type: WebhookEndpointType, description: 'The endpoint.' }),
      secret: t.exposeString('secret', {
        description: 'What it verifies signatures with: `whsec_` and base64. Shown this once.',
      }),
    }),
  },
});

defineMutation('updateWebhookEndpoint', {
  description: 'Changes an endpoint, or enables one that was disabled. It takes an API key.',
  input: {
    argument: 'What changes.',
    description: 'What changes of an endpoint. What is absent stays.',
    fields: (t) => ({
      id: t.id({ required: true, description: 'The endpoint.' }),
      url: t.string({ description: 'Where events are sent from now on.' }),
      eventTypes: t.field({ type: [EventTypeEnum], description: 'The types that are sent. Empty: all.' }),
      enabled: t.boolean({ description: 'False: nothing is sent, and what waits is forgotten.' }),
    }),
  },
  async resolve({ id, url, eventTypes, enabled }, context) {
    const change = {
      url: url ?? undefined,
      eventTypes: eventTypes ?? undefined,
      enabled: enabled ?? undefined,
    };
    return { endpoint: await updateWebhookEndpoint(context, { id, ...change }) };
  },
  payload: {
    description: 'The endpoint as it is now.',
    fields: (t) => ({
      endpoint: t.expose('endpoint', { type: WebhookEndpointType, description: 'The endpoint.' }),
    }),
  },
});

defineMutation('deleteWebhookEndpoint', {
  description: 'Nothing is sent there any more. It takes an API key.',
  input: {
    argument: 'The endpoint.',
    description: 'Which endpoint is deleted.',
    fields: (t) => ({ id: t.id({ required: true, description: 'The endpoint.' }) }),
  },
  async resolve({ id }, context) {
    await deleteWebhookEndpoint(context, id);
    return { id };
  },
  payload: {
    description: 'What was deleted.',
    fields: (t) => ({
      deletedEndpointId: t.exposeID('id', { description: 'The id of the endpoint that is gone.' }),
    }),
  },
});

defineMutation('rotateWebhookSecret', {
  description: 'Gives an endpoint a new secret; both sign for 24 hours. It takes an API key.',
  input: {
    argument: 'The endpoint.',
    description: 'Whose secret is rotated.',
    fields: (t) => ({ id: t.id({ required: true, description: 'The endpoint.' }) }),
  },
  resolve: ({ id }, context) => rotateWebhookSecret(context, id),
  payload: {
    description: 'The endpoint, and its new secret. The one before signs as well for 24 hours.',
    fields: (t) => ({
      endpoint: t.expose('endpoint', { type: WebhookEndpointType, description: 'The endpoint.' }),
      secret: t.exposeString('secret', { description: 'The new secret. Shown this once.' }),
    }),
  },
});

defineMutation('redeliverEvents', {
  description: 'Sends events once more: what was missed while an endpoint was disabled. It takes an API key.',
  input: {
    argument: 'Which events.',
    description: 'Which events are sent once more: either `eventIds` or `since`.',
    fields: (t) => ({
      endpointId: t.id({ required: true, description: 'The endpoint that they are sent to.' }),
      eventIds: t.idList({ description: `These events, at most ${MAX_REDELIVERED_IDS}.` }),
      since: t.field({
        type: 'DateTime',
        description: 'All events from then on, whatever types the endpoint is sent.',
      }),
    }),
  },
  resolve: ({ endpointId: id, eventIds, since }, context) =>
    redeliverEvents(context, { id, eventIds, since }),
  payload: {
    description: 'What is sent once more.',
    fields: (t) => ({
      scheduled: t.exposeInt('scheduled', { description: 'Events that are on their way.' }),
      nextSince: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'There were more: ask again with this as `since`. Null: these were all.',
        resolve: ({ nextSince }) => nextSince?.toISOString() ?? null,
      }),
    }),
  },
});
