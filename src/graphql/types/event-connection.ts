import { type Event, eventType } from '../../domain/event.ts';
import { DEFAULT_PAGE_SIZE } from '../../domain/page.ts';
import { type EventPage, listEvents, MAX_EVENTS } from '../../usecases/manage-webhooks.ts';
import { builder, tagged } from '../builder.ts';
import { costs } from '../cost.ts';
import { enumOf } from '../from-shape.ts';
import { PageInfoType, toPageFacts } from './page-info.ts';

/** One look into the database. */
const LIST_COST = 20;

const EventEdgeType = builder.objectRef<EventEdge>('EventEdge').implement({
  description: 'An event, and where it stands in the list.',
  fields: (t) => ({
    node: t.expose('node', { type: EventRecordType, description: 'The event.' }),
    cursor: t.string({
      description: 'The event’s place in this list, for `after`.',
      resolve: ({ page, node }) => page.cursorOf(node),
    }),
  }),
});

const EventConnectionType = builder.objectRef<EventPage>('EventConnection').implement({
  description: 'One page of events, the newest first.',
  fields: (t) => ({
    edges: t.field({
      type: [EventEdgeType],
      description: 'The events of the page, each with its cursor.',
      ...costs({ paged: true }),
      resolve: (page) => page.events.map((node) => ({ page, node })),
    }),
    nodes: t.field({
      type: [EventRecordType],
      description: 'The events of the page, without their cursors.',
      ...costs({ paged: true }),
      resolve: ({ events }) => events,
    }),
    pageInfo: t.field({
      type: PageInfoType,
      description: 'Where the page lies in the list.',
      resolve: (page) => toPageFacts(page, page.events),
    }),
  }),
});

builder.queryField('events', (t) =>
  t.field({
    ...tagged('api-key'),
    type: EventConnectionType,
    description: 'What has happened in the last 30 days, the newest first. It takes an API key.',
    args: {
      customerId: t.arg.id({ description: 'Events of this customer alone.' }),
      first: t.arg.int({
        description: `Events on the page, at most ${MAX_EVENTS}. Default ${DEFAULT_PAGE_SIZE}.`,
      }),
      after: t.arg.string({ description: 'The cursor of the last event that you have seen.' }),
    },
    ...costs({
      weight: LIST_COST,
      pageSize: ({ first }) => (typeof first === 'number' ? first : DEFAULT_PAGE_SIZE),
    }),
    resolve: (_root, { customerId, first, after }, context) =>
      listEvents(context, { customerId, size: first, cursor: after }),
  }),
);

interface EventEdge {
  readonly page: EventPage;
  readonly node: Event;
}

export const EventTypeEnum = enumOf(eventType);

const EventRecordType = builder.objectRef<Event>('Event').implement({
  description: 'Something that has happened. It is kept for 30 days, and sent to your webhook endpoints.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The event’s id: the header `webhook-id` where it is sent.' }),
    type: t.expose('type', { type: EventTypeEnum, description: 'What has happened.' }),
    customerId: t.exposeID('customerId', { description: 'Your own id of the customer that it is about.' }),
    connectionId: t.exposeID('connectionId', {
      nullable: true,
      description: 'The connection that it is about. Null where it is about none.',
    }),
    sequence: t.exposeInt('sequence', {
      nullable: true,
      description: 'Grows by one with every event of one connection. Null where it is about none.',
    }),
    data: t.expose('data', {
      type: 'JSON',
      description: 'What its type adds, as it is sent: `provider_name`, `status`, `version` and the like.',
      ...costs({ weight: 8 }),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it happened.',
      resolve: ({ createdAt }) => createdAt.toISOString(),
    }),
  }),
});
