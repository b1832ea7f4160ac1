import { type Event, eventType } from '../../domain/event.ts';
import { builder } from '../builder.ts';
import { costs } from '../cost.ts';
import { enumOf } from '../from-shape.ts';

export const EventTypeEnum = enumOf(eventType);

export const EventRecordType = builder.objectRef<Event>('Event').implement({
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
