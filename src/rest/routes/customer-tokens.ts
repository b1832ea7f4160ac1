import * as z from 'zod';
import { DEFAULT_TOKEN_SECONDS, MAX_TOKEN_SECONDS } from '../../domain/caller.ts';
import { PROVIDER_NAMES } from '../../domain/provider-names.ts';
import { issueCustomerToken } from '../../usecases/issue-customer-token.ts';
import { defineOperation } from '../operation.ts';
import { jsonResponse } from '../responses.ts';
import { customerPath } from '../wire/customer.ts';
import { text } from '../wire/fields.ts';

export const tokenRequestShape = z
  .strictObject({
    expires_in_seconds: z
      .int()
      .min(1)
      .max(MAX_TOKEN_SECONDS)
      .optional()
      .describe(
        `How long the token lives, at most a day; ${DEFAULT_TOKEN_SECONDS} seconds where it is absent.`,
      ),
    providers: z
      .array(z.enum(PROVIDER_NAMES))
      .optional()
      .describe('The only providers that the token may search. Absent: all of the customer’s.'),
  })
  .describe('How far a token reaches.');

export const tokenShape = z
  .strictObject({
    token: text('For the header Authorization, behind "Bearer ".', 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl'),
    expires_at: z.string().meta({ description: 'When the token ends.', format: 'date-time' }),
  })
  .describe('A token of one customer, shown this once.');

const EXAMPLE_TOKEN: z.output<typeof tokenShape> = {
  token: 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl',
  expires_at: '2025-03-01T13:00:00.000Z',
};

export const issueCustomerTokenOperation = defineOperation({
  id: 'issueCustomerToken',
  method: 'POST',
  path: '/customers/{customer_id}/tokens',
  group: 'customers',
  summary: 'Issue a customer token',
  description:
    'A short-lived token for the frontend of one customer: it reads that customer and its contacts, nothing else.',
  callers: ['apiKey'],
  input: z.object({
    path: customerPath,
    query: z.strictObject({}),
    headers: z.object({}),
    body: tokenRequestShape.optional(),
  }),
  bodyExample: { expires_in_seconds: 3600, providers: ['hubspot'] },
  answer: {
    description: 'The token.',
    shape: tokenShape,
    example: EXAMPLE_TOKEN,
    headers: {},
  },
  refusals: [400, 401, 403, 404, 413, 415, 429, 500, 503],

  async handle(context, { path, body }) {
    const { token, expiresAt } = await issueCustomerToken(context, {
      customerId: path.customer_id,
      expiresInSeconds: body?.expires_in_seconds,
      providers: body?.providers,
    });
    return jsonResponse({ token, expires_at: expiresAt });
  },
});
