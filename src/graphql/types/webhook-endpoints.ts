import { MAX_ENDPOINTS, MAX_REDELIVERED_IDS, type WebhookEndpoint } from '../../domain/webhook.ts';
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
import { EventTypeEnum } from './event-connection.ts';

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

const MUTATION_ID = { description: 'Comes back in the answer, as it is.' };
const ECHO = { nullable: true, description: 'What the input said, as it is.' } as const;

const CreateInput = builder.inputType('CreateWebhookEndpointInput', {
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
    clientMutationId: t.string(MUTATION_ID),
  }),
});

const UpdateInput = builder.inputType('UpdateWebhookEndpointInput', {
  description: 'What changes of an endpoint. What is absent stays.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The endpoint.' }),
    url: t.string({ description: 'Where events are sent from now on.' }),
    eventTypes: t.field({ type: [EventTypeEnum], description: 'The types that are sent. Empty: all.' }),
    enabled: t.boolean({ description: 'False: nothing is sent, and what waits is forgotten.' }),
    clientMutationId: t.string(MUTATION_ID),
  }),
});

const RotateInput = builder.inputType('RotateWebhookSecretInput', {
  description: 'Whose secret is rotated.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The endpoint.' }),
    clientMutationId: t.string(MUTATION_ID),
  }),
});

const DeleteInput = builder.inputType('DeleteWebhookEndpointInput', {
  description: 'Which endpoint is deleted.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'The endpoint.' }),
    clientMutationId: t.string(MUTATION_ID),
  }),
});

const RedeliverInput = builder.inputType('RedeliverEventsInput', {
  description: 'Which events are sent once more: either `eventIds` or `since`.',
  fields: (t) => ({
    endpointId: t.id({ required: true, description: 'The endpoint that they are sent to.' }),
    eventIds: t.idList({ description: `These events, at most ${MAX_REDELIVERED_IDS}.` }),
    since: t.field({
      type: 'DateTime',
      description: 'All events from then on, whatever types the endpoint is sent.',
    }),
    clientMutationId: t.string(MUTATION_ID),
  }),
});

const CreatePayload = builder.objectRef<WithSecret>('CreateWebhookEndpointPayload').implement({
  description: 'The endpoint, and its secret.',
  fields: (t) => ({
    endpoint: t.expose('endpoint', { type: WebhookEndpointType, description: 'The endpoint.' }),
    secret: t.exposeString('secret', {
      description: 'What it verifies signatures with: `whsec_` and base64. Shown this once.',
    }),
    clientMutationId: t.exposeString('clientMutationId', ECHO),
  }),
});

const RotatePayload = builder.objectRef<WithSecret>('RotateWebhookSecretPayload').implement({
  description: 'The endpoint, and its new secret. The one before signs as well for 24 hours.',
  fields: (t) => ({
    endpoint: t.expose('endpoint', { type: WebhookEndpointType, description: 'The endpoint.' }),
    secret: t.exposeString('secret', { description: 'The new secret. Shown this once.' }),
    clientMutationId: t.exposeString('clientMutationId', ECHO),
  }),
});

const UpdatePayload = builder
  .objectRef<Echoed & { endpoint: WebhookEndpoint }>('UpdateWebhookEndpointPayload')
  .implement({
    description: 'The endpoint as it is now.',
    fields: (t) => ({
      endpoint: t.expose('endpoint', { type: WebhookEndpointType, description: 'The endpoint.' }),
      clientMutationId: t.exposeString('clientMutationId', ECHO),
    }),
  });

const DeletePayload = builder.objectRef<Echoed & { id: string }>('DeleteWebhookEndpointPayload').implement({
  description: 'What was deleted.',
  fields: (t) => ({
    deletedEndpointId: t.exposeID('id', { description: 'The id of the endpoint that is gone.' }),
    clientMutationId: t.exposeString('clientMutationId', ECHO),
  }),
});

const RedeliverPayload = builder.objectRef<RedeliverAnswer>('RedeliverEventsPayload').implement({
  description: 'What is sent once more.',
  fields: (t) => ({
    scheduled: t.exposeInt('scheduled', { description: 'Events that are on their way.' }),
    nextSince: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'There were more: ask again with this as `since`. Null: these were all.',
      resolve: ({ nextSince }) => nextSince?.toISOString() ?? null,
    }),
    clientMutationId: t.exposeString('clientMutationId', ECHO),
  }),
});

builder.mutationField('createWebhookEndpoint', (t) =>
  t.field({
    ...tagged('api-key'),
    type: CreatePayload,
    nullable: true,
    description: 'Events are sent there from now on, by Standard Webhooks. It takes an API key.',
    args: { input: t.arg({ type: CreateInput, required: true, description: 'The endpoint.' }) },
    async resolve(_root, { input }, context) {
      const wanted = { url: input.url, eventTypes: input.eventTypes ?? [] };
      return { ...(await createWebhookEndpoint(context, wanted)), ...echo(input) };
    },
  }),
);

builder.mutationField('updateWebhookEndpoint', (t) =>
  t.field({
    ...tagged('api-key'),
    type: UpdatePayload,
    nullable: true,
    description: 'Changes an endpoint, or enables one that was disabled. It takes an API key.',
    args: { input: t.arg({ type: UpdateInput, required: true, description: 'What changes.' }) },
    async resolve(_root, { input }, context) {
      const { id, url, eventTypes, enabled } = input;
      const change = {
        ...{ id, url: url ?? undefined, eventTypes: eventTypes ?? undefined },
        enabled: enabled ?? undefined,
      };
      return { endpoint: await updateWebhookEndpoint(context, change), ...echo(input) };
    },
  }),
);

builder.mutationField('deleteWebhookEndpoint', (t) =>
  t.field({
    ...tagged('api-key'),
    type: DeletePayload,
    nullable: true,
    description: 'Nothing is sent there any more. It takes an API key.',
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'The endpoint.' }) },
    async resolve(_root, { input }, context) {
      await deleteWebhookEndpoint(context, input.id);
      return { id: input.id, ...echo(input) };
    },
  }),
);

builder.mutationField('rotateWebhookSecret', (t) =>
  t.field({
    ...tagged('api-key'),
    type: RotatePayload,
    nullable: true,
    description: 'Gives an endpoint a new secret; both sign for 24 hours. It takes an API key.',
    args: { input: t.arg({ type: RotateInput, required: true, description: 'The endpoint.' }) },
    async resolve(_root, { input }, context) {
      return { ...(await rotateWebhookSecret(context, input.id)), ...echo(input) };
    },
  }),
);

builder.mutationField('redeliverEvents', (t) =>
  t.field({
    ...tagged('api-key'),
    type: RedeliverPayload,
    nullable: true,
    description:
      'Sends events once more: what was missed while an endpoint was disabled. It takes an API key.',
    args: { input: t.arg({ type: RedeliverInput, required: true, description: 'Which events.' }) },
    async resolve(_root, { input }, context) {
      const { endpointId: id, eventIds, since } = input;
      return { ...(await redeliverEvents(context, { id, eventIds, since })), ...echo(input) };
    },
  }),
);

function echo({ clientMutationId }: { readonly clientMutationId?: string | null | undefined }): Echoed {
  return { clientMutationId: clientMutationId ?? null };
}

interface Echoed {
  readonly clientMutationId: string | null;
}

interface WithSecret extends Echoed {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

interface RedeliverAnswer extends Echoed {
  readonly scheduled: number;
  readonly nextSince: Date | null;
}
