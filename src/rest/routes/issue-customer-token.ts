import * as z from 'zod';
import { issueCustomerToken } from '../../usecases/issue-customer-token.ts';
import { jsonResponse } from '../answers.ts';
import { defineOperation } from '../operation.ts';
import { customerPath } from '../wire/customer.ts';
import { EXAMPLE_TOKEN, tokenRequestShape, tokenShape } from '../wire/customer-token.ts';

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
