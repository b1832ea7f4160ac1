import { connection } from '../../domain/connection.ts';
import { EXAMPLE_PROVIDERS, PROVIDER_NAMES } from '../../domain/provider-names.ts';
import { field, shape } from '../../domain/shape.ts';
import { revocation } from '../../domain/tenant.ts';
import { disconnectProvider } from '../../usecases/change-customers.ts';
import { findCustomerConnection } from '../../usecases/find-customer.ts';
import { defineOperation } from '../operation.ts';
import { COMPONENTS, enumInput, toSchema, toWire } from '../schemas.ts';
import { customerPath, EXAMPLE_CONNECTION, toWireConnection } from './customers.ts';

const disconnection = shape('Disconnection', 'A removed connection.', {
  revocation: field(
    revocation,
    'Result of revoking the grant at the provider. `shared`: another connection uses it, so it was not revoked. `failed`: the provider could not be reached or refused. `not_supported`: it cannot be revoked, or came by an upsert and is yours to revoke.',
  ),
});

const disconnectionSchema = toSchema(disconnection, 'response').register(COMPONENTS.response, {
  id: disconnection.name,
});

export const CONNECTION_PATH = '/customers/{customer_id}/connections/{provider_name}';
export const connectionPath = customerPath.extend({
  provider_name: enumInput(PROVIDER_NAMES, 'The provider.', EXAMPLE_PROVIDERS.first),
});
const input = { path: connectionPath };

export const connectionOperations = [
  defineOperation({
    id: 'getConnection',
    route: `GET ${CONNECTION_PATH}`,
    summary: 'Read a connection',
    description: 'A customer’s connection to one provider, with its status and the reason.',
    callers: ['apiKey', 'customerToken'],
    input,
    response: {
      description: 'The connection.',
      schema: toSchema(connection, 'response'),
      example: EXAMPLE_CONNECTION,
    },
    errors: [404],
    async handle(context, { path }) {
      const found = await findCustomerConnection(context, path.customer_id, path.provider_name);
      return toWire(connection, toWireConnection(found, context.providers));
    },
  }),
  defineOperation({
    id: 'disconnectProvider',
    route: `DELETE ${CONNECTION_PATH}`,
    summary: 'Disconnect a provider',
    description:
      'Deletes a connection with its configuration, credentials and cached contacts, and revokes at the provider what a connect link was granted. Responds after two to three seconds; from then on no server returns any of its data.',
    input,
    response: {
      description: 'The connection was deleted.',
      schema: disconnectionSchema,
      example: { revocation: 'revoked' },
    },
    errors: [404],
    async handle(context, { path }) {
      const target = { customerId: path.customer_id, provider: path.provider_name };
      return toWire(disconnection, await disconnectProvider(context, target));
    },
  }),
];
