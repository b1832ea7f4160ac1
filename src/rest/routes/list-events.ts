import * as z from 'zod';
import { DEFAULT_PAGE_SIZE } from '../../domain/page.ts';
import { listEvents, MAX_EVENTS } from '../../usecases/manage-webhooks.ts';
import { jsonResponse } from '../answers.ts';
import { defineOperation } from '../operation.ts';
import { EXAMPLE_EVENT, eventPageShape, toEventPage } from '../wire/event.ts';
import { text } from '../wire/fields.ts';

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
