import type { Connection } from '../domain/connection.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { type FindCustomerDeps, findCustomer } from './find-customer.ts';

/** A customer's connection to one provider. */
export async function findCustomerConnection(
  deps: FindCustomerDeps,
  customerId: string,
  provider: ProviderName,
): Promise<Connection> {
  const customer = await findCustomer(deps, customerId);
  const connection = customer.connections.find(({ providerName }) => providerName === provider);
  if (connection) return connection;
  throw new CrossbookError(
    'NOT_FOUND',
    `There is no customer ${JSON.stringify(customerId)} with a connection to ${provider}.`,
  );
}
