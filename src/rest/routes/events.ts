import * as z from 'zod';
import { EVENT_TYPES, type Event } from '../../domain/event.ts';
import { DEFAULT_PAGE_SIZE } from '../../domain/page.ts';
import { type EventPage, listEvents, MAX_EVENTS } from '../../usecases/manage-webhooks.ts';
import { defineOperation } from '../operation.ts';
import { jsonResponse } from '../responses.ts';
import { enumText, momentText, optionalText, text, uuidText } from '../wire/fields.ts';

const typeField = enumText(EVENT_TYPES, 'What has happened.', 'connection.reauthorize');
const dataField = z
  .record(z.string(), z.unknown())
  .describe('Of a connection: `provider_name`, `status`, `status_reason`. Of a customer: `version`.');

export const eventShape = z
  .strictObject({
    id: uuidText('The event’s id: the header webhook-id where it is sent.'),
    type: typeField,
    customer_id: text('The application’s own id of the customer.', 'customer-1'),
    connection_id: optionalText('The connection that it is about.'),
    sequence: z.int().optional().describe('Grows by one with every event of one connection.'),
    data: dataField,
    created_at: momentText('When it happened.'),
  })
  .describe('Something that has happened.');

export const eventPaginationShape = z
  .strictObject({
    next: z.string().nullable().describe('Cursor of the next page; null where there is none.'),
  })
  .describe('Where this page lies in the list.');

export const eventPageShape = z
  .strictObject({
    pagination: eventPaginationShape,
    records: z.array(eventShape).describe('The newest first.'),
  })
  .describe('One page of the events of the last thirty days.');

export const webhookBodyShape = z
  .strictObject({
    type: typeField,
    timestamp: momentText('When it happened.'),
    data: z
      .looseObject({
        customer_id: text('The application’s own id of the customer.', 'customer-1'),
        connection_id: optionalText('The connection that it is about.'),
        sequence: z.int().optional().describe('Grows by one with every event of one connection.'),
      })
      .describe('With what its type adds.'),
  })
  .describe('The body of a webhook.');

function toEventRecord(event: Event): z.output<typeof eventShape> {
  return {
    id: event.id,
    type: event.type,
    customer_id: event.customerId,
    connection_id: event.connectionId ?? undefined,
    sequence: event.sequence ?? undefined,
    data: event.data,
    created_at: event.createdAt.toISOString(),
  };
}

function toEventPage({ events, hasNextPage, cursorOf }: EventPage): z.output<typeof eventPageShape> {
  const last = events.at(-1);
  return {
    pagination: { next: hasNextPage && last ? cursorOf(last) : null },
    records: events.map(toEventRecord),
  };
}

export const EXAMPLE_EVENT: z.output<typeof eventShape> = {
  id: '0f4f3a1c-6b0c-4f0a-9d53-2a6c4d6b8e11',
  type: 'connection.reauthorize',
  customer_id: 'customer-1',
  connection_id: 'b3c1a3de-0d7f-4a10-8a3e-6f5a2b9c7d01',
  sequence: 2,
  data: { provider_name: 'hubspot', status: 'reauthorize', status_reason: 'refresh_token_refused' },
  created_at: '2025-03-01T12:00:00.000Z',
};

export const listEventsOperation = defineOperation({
  id: 'listEvents',
  method: 'GET',
  path: '/events',
  group: 'webhooks',
  summary: 'List events',
  description: 'What has happened in the last thirty days, the newest first.',
  callers: ['apiKey'],
  input: z.object({
    path: z.strictObject({}),
    query: z.strictObject({
      customer_id: text('Of this customer alone.').optional(),
      page_size: z
        .int()
        .min(0)
        .max(MAX_EVENTS)
        .optional()
        .describe(`Events on a page, at most ${MAX_EVENTS}; ${DEFAULT_PAGE_SIZE} where it is absent.`),
      cursor: z.string().min(1).optional().describe('A page’s `next`, unchanged, with the same query.'),
    }),
    headers: z.object({}),
    body: z.undefined(),
  }),
  answer: {
    description: 'One page of events.',
    shape: eventPageShape,
    example: { pagination: { next: null }, records: [EXAMPLE_EVENT] },
    headers: {},
  },
  refusals: [400, 401, 403, 429, 500, 503],

  async handle(context, { query }) {
    const size = query.page_size ?? DEFAULT_PAGE_SIZE;
    const charged = context.charge(LIST_COST + size * VALUES_PER_EVENT);
    if (charged) await charged;
    const page = await listEvents(context, { customerId: query.customer_id, size, cursor: query.cursor });
    return jsonResponse(toEventPage(page), {}, { allowance: context.allowance });
  },
});

/** As GraphQL counts the same. */
const LIST_COST = 20;
const VALUES_PER_EVENT = 10;
