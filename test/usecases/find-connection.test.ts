import { expect, test } from 'vitest';
import type { Caller } from '../../src/domain/caller.ts';
import type { Customer } from '../../src/domain/customer.ts';
import { findConnection } from '../../src/usecases/find-customer.ts';
import { createConnection } from '../support/connection.ts';

const CONNECTION = createConnection('hubspot');
const { id, applicationId, customerId } = CONNECTION;
const CUSTOMER: Customer = {
  applicationId,
  customerId,
  name: 'Acme',
  email: 'it@acme.example',
  version: 1,
  connections: [createConnection('slack', { id: 'another' }), CONNECTION],
};

function find(connectionId: string, token?: string) {
  const application = { id: applicationId, name: 'Acme' };
  const caller = { application, ...(token && { customer: { customerId: token } }) } as Caller;
  const loaded: string[] = [];
  const found = findConnection(
    {
      requireCaller: () => caller,
      loadCustomerIdOf: async (asked) => (asked === id ? customerId : undefined),
      loadCustomer: async (asked) => {
        loaded.push(asked);
        return asked === customerId ? CUSTOMER : undefined;
      },
      withSpan: (_name, work) => work(),
    },
    connectionId,
    false,
  );
  return found.then((connection) => ({ connection, loaded }));
}

test('a connection is found by its id, for its application and for its customer’s token', async () => {
  expect((await find(id)).connection).toBe(CONNECTION);
  expect((await find(id, customerId)).connection).toBe(CONNECTION);
});

test('an unknown connection is not found, nor is that of another customer by a token, without a read', async () => {
  expect(await find('unknown')).toEqual({ connection: undefined, loaded: [] });
  expect(await find(id, 'somebody-else')).toEqual({ connection: undefined, loaded: [] });
});
