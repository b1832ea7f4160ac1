import * as z from 'zod';
import { DEFAULT_TOKEN_SECONDS, MAX_TOKEN_SECONDS } from '../../domain/caller.ts';
import { EXAMPLE_PROVIDERS, PROVIDER_NAMES } from '../../domain/provider-names.ts';
import { issueCustomerToken } from '../../usecases/change-customers.ts';
import { defineOperation } from '../operation.ts';
import { enumInput, object, optional, text, toCamelCased } from '../schemas.ts';
import { customerPath } from './customers.ts';

const tokenRequestSchema = object('request', 'TokenRequest', 'Lifetime and scope of the token.', {
  expires_in_seconds: optional(
    z.int().min(1).max(MAX_TOKEN_SECONDS),
    `Lifetime of the token, at most a day. Default: ${DEFAULT_TOKEN_SECONDS} seconds.`,
  ),
  providers: optional(
    z.array(enumInput(PROVIDER_NAMES)),
    'Providers that the token may search. Default: all of the customer’s.',
  ),
  can_list: optional(
    z.boolean(),
    'Whether the token may list contacts that it does not know yet: by all, modified_since, name_prefix and custom_field. Default: false.',
  ),
  can_write: optional(
    z.boolean(),
    'Whether the token may create and change records, where the connection may. Default: false.',
  ),
});

const tokenSchema = object('response', 'Token', 'A token of one customer, returned only here.', {
  token: text(
    'Token for the header Authorization, after "Bearer ".',
    'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl',
  ),
  expires_at: text('Time at which the token expires.', undefined, 'date-time'),
});

export const issueCustomerTokenOperation = defineOperation({
  id: 'issueCustomerToken',
  route: 'POST /customers/{customer_id}/tokens',
  summary: 'Issue a customer token',
  description:
    'Issues a short-lived token for the frontend of one customer. It reads that customer and their records, and writes only with `can_write`.',
  input: { path: customerPath, body: tokenRequestSchema.optional() },
  bodyExample: { expires_in_seconds: 3600, providers: [EXAMPLE_PROVIDERS.first] },
  response: {
    description: 'The token.',
    schema: tokenSchema,
    example: {
      token: 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl',
      expires_at: '2025-03-01T13:00:00.000Z',
    },
  },
  errors: [404],
  async handle(context, { path, body = {} }) {
    const request = toCamelCased({ ...path, ...body });
    const { token, expiresAt } = await issueCustomerToken(context, request);
    return { token, expires_at: expiresAt };
  },
});
