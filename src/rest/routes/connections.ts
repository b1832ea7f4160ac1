import * as z from 'zod';
import { PROVIDER_NAMES } from '../../domain/provider-names.ts';
import { findCustomerConnection } from '../../usecases/find-customer.ts';
import { disconnectProvider } from '../../usecases/remove-customer.ts';
import { defineOperation } from '../operation.ts';
import { jsonResponse } from '../responses.ts';
import { connectionShape, customerPath, disconnectionShape, toConnectionRecord } from '../wire/customer.ts';
import { EXAMPLE_CONNECTION } from '../wire/examples.ts';
import { enumText } from '../wire/fields.ts';

const ONE_CONNECTION = z.object({
  path: customerPath.extend({ provider_name: enumText(PROVIDER_NAMES, 'The provider.', 'hubspot') }),
  query: z.strictObject({}),
  headers: z.object({}),
  body: z.undefined(),
});

export const getConnection = defineOperation({
  id: 'getConnection',
  method: 'GET',
  path: '/customers/{customer_id}/connections/{provider_name}',
  group: 'customers',
  summary: 'Read a connection',
  description: 'A customer’s connection to one provider: can it be used, and if not, why?',
  callers: ['apiKey', 'customerToken'],
  input: ONE_CONNECTION,
  answer: {
    description: 'The connection.',
    shape: connectionShape,
    example: EXAMPLE_CONNECTION,
    headers: {},
  },
  refusals: [400, 401, 403, 404, 429, 500, 503],

  async handle(context, { path }) {
    const connection = await findCustomerConnection(context, path.customer_id, path.provider_name);
    return jsonResponse(toConnectionRecord(connection, context.providers), {}, context);
  },
});

export const disconnectProviderOperation = defineOperation({
  id: 'disconnectProvider',
  method: 'DELETE',
  path: '/customers/{customer_id}/connections/{provider_name}',
  group: 'customers',
  summary: 'Disconnect a provider',
  description:
    'Removes a connection with its configuration, credentials and cached contacts, and revokes at the provider what a connect link was granted. It takes two to three seconds: then no server answers with anything of it.',
  callers: ['apiKey'],
  input: ONE_CONNECTION,
  answer: {
    description: 'The connection is removed.',
    shape: disconnectionShape,
    example: { revocation: 'REVOKED' },
    headers: {},
  },
  refusals: [400, 401, 403, 404, 429, 500, 503],

  async handle(context, { path }) {
    const { revocation } = await disconnectProvider(context, {
      customerId: path.customer_id,
      provider: path.provider_name,
    });
    return jsonResponse({ revocation });
  },
});
