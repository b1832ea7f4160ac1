import * as z from 'zod';
import { EVENT_TYPES } from '../../domain/event.ts';
import { DEFAULT_PAGE_SIZE } from '../../domain/page.ts';
import { listEvents, MAX_EVENTS } from '../../usecases/manage-webhooks.ts';
import { defineOperation } from '../operation.ts';
import {
  EXAMPLE_MOMENT,
  enumText,
  momentText,
  nextCursor,
  object,
  optional,
  pageQuery,
  recordWriter,
  text,
  toPageCursors,
} from '../schemas.ts';

const typeField = enumText(EVENT_TYPES, 'Type of event.', 'connection.reauthorize');
const subjectFields = {
  customer_id: text('The application’s own id of the customer.', 'customer-1'),
  connection_id: text('Id of the connection.').optional(),
  sequence: optional(z.int(), 'Sequence number, which increases by one with every event of a connection.'),
};

const eventSchema = object('response', 'Event', 'An event.', {
  id: text('Id of the event, also the header webhook-id.', undefined, 'uuid'),
  type: typeField,
  ...subjectFields,
  data: z
    .record(z.string(), z.unknown())
    .describe('Of a connection: `provider_name`, `status`, `status_reason`. Of a customer: `version`.'),
  created_at: momentText('Time of the event.'),
});

const eventPageSchema = object('response', 'EventPage', 'A page of the events of the last thirty days.', {
  pagination: object('response', 'EventPagination', 'Cursors of the adjacent pages.', { next: nextCursor }),
  records: z.array(eventSchema).describe('The newest first.'),
});

export const webhookBodySchema = object('response', 'WebhookBody', 'The body of a webhook.', {
  type: typeField,
  timestamp: momentText('Time of the event.'),
  data: z.looseObject(subjectFields).describe('With what its type adds.'),
});

const toEventRecord = recordWriter(eventSchema);

export const EXAMPLE_EVENT = {
  id: '0f4f3a1c-6b0c-4f0a-9d53-2a6c4d6b8e11',
  type: 'connection.reauthorize',
  customer_id: 'customer-1',
  connection_id: 'b3c1a3de-0d7f-4a10-8a3e-6f5a2b9c7d01',
  sequence: 2,
  data: { provider_name: 'hubspot', status: 'reauthorize', status_reason: 'refresh_token_refused' },
  created_at: EXAMPLE_MOMENT,
};

export const listEventsOperation = defineOperation({
  id: 'listEvents',
  route: 'GET /events',
  summary: 'List events',
  description: 'Events of the last thirty days, newest first.',
  input: {
    query: z.strictObject({
      customer_id: text('Only events of this customer.').optional(),
      ...pageQuery({
        of: 'Events',
        most: MAX_EVENTS,
        cursor: 'A page’s `next`, unchanged, with the same query.',
      }),
    }),
  },
  response: {
    description: 'A page of events.',
    schema: eventPageSchema,
    example: { pagination: { next: null }, records: [EXAMPLE_EVENT] },
  },
  async handle(context, { query }) {
    const { customer_id: customerId, page_size: size = DEFAULT_PAGE_SIZE, cursor } = query;
    await context.charge(LIST_COST + size * VALUES_PER_EVENT);
    const page = await listEvents(context, { customerId, size, cursor });
    const { next } = toPageCursors(page);
    return { pagination: { next }, records: page.items.map(toEventRecord) };
  },
});

/** The same costs as in GraphQL. */
const LIST_COST = 20;
const VALUES_PER_EVENT = 10;
