import * as z from 'zod';
import { event } from '../../domain/event.ts';
import { DEFAULT_PAGE_SIZE } from '../../domain/page.ts';
import { EXAMPLE_PROVIDERS } from '../../domain/provider-names.ts';
import { LIST_COST } from '../../domain/records/record-search.ts';
import { listEvents, MAX_EVENTS } from '../../usecases/manage-webhooks.ts';
import { defineOperation } from '../operation.ts';
import {
  EXAMPLE_MOMENT,
  nextCursor,
  object,
  pageQuery,
  text,
  toPageCursors,
  toSchema,
  toWire,
} from '../schemas.ts';

export const eventSchema = toSchema(event, 'response');

const eventPageSchema = object(
  'response',
  'EventPage',
  'A page of the events of the last thirty days.',
  {
    pagination: object('response', 'EventPagination', 'Cursors of the adjacent pages.', {
      next: nextCursor,
    }),
    records: z.array(eventSchema).describe('The newest first.'),
  },
);

export const webhookBodySchema = object('response', 'WebhookBody', 'The body of a webhook.', {
  type: eventSchema.shape['type'],
  timestamp: eventSchema.shape['created_at'],
  data: eventSchema
    .pick({ customer_id: true, connection_id: true, sequence: true })
    .loose()
    .describe('With what its type adds.'),
});

export const EXAMPLE_EVENT = {
  id: '0f4f3a1c-6b0c-4f0a-9d53-2a6c4d6b8e11',
  type: 'connection.reauthorize',
  customer_id: 'customer-1',
  connection_id: 'b3c1a3de-0d7f-4a10-8a3e-6f5a2b9c7d01',
  sequence: 2,
  data: {
    provider_name: EXAMPLE_PROVIDERS.first,
    status: 'reauthorize',
    status_reason: 'refresh_token_refused',
  },
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
    return { pagination: { next }, records: page.items.map((one) => toWire(event, one)) };
  },
});

/** The same cost as in GraphQL. */
const VALUES_PER_EVENT = 10;
