import type { WebhookEndpoint } from '../../domain/webhook.ts';
import { MAX_ENDPOINTS } from '../../domain/webhook.ts';
import { listWebhookEndpoints } from '../../usecases/manage-webhooks.ts';
import { builder, tagged } from '../builder.ts';
import { costs } from '../cost.ts';
import { EventTypeEnum } from './event.ts';

export const WebhookEndpointType = builder.objectRef<WebhookEndpoint>('WebhookEndpoint').implement({
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
