import type { Customer } from '../../domain/customer.ts';
import { findCustomer } from '../../usecases/find-customer.ts';
import { builder } from '../builder.ts';
import { costs } from '../cost.ts';
import { ConnectedProviderType } from './connected-provider.ts';
import { NodeInterface } from './node.ts';

export const CustomerType = builder.objectRef<Customer>('Customer').implement({
  description: 'One of your application’s own customers.',
  interfaces: [NodeInterface],
  directives: [
    { name: 'key', args: { fields: 'customerId' } },
    { name: 'key', args: { fields: 'id' } },
  ],
  fields: (t) => ({
    applicationId: t.exposeID('applicationId', {
      description: 'The application that the customer belongs to: yours.',
    }),
    customerId: t.exposeID('customerId', { description: 'Your own id of the customer.' }),
    name: t.exposeString('name', { description: 'The customer’s name.' }),
    email: t.exposeString('email', { description: 'The customer’s email address.' }),
    version: t.exposeInt('version', {
      description:
        'Starts at 1 and grows with every upsert. Give it as `expectedVersion` to change only what you have seen.',
    }),
    connections: t.expose('connections', {
      type: [ConnectedProviderType],
      description: 'The tools that the customer has connected.',
      ...costs({ items: 18 }),
    }),
  }),
});

builder.queryField('customer', (t) =>
  t.field({
    type: CustomerType,
    nullable: true,
    description: 'One customer with its connections.',
    args: {
      customerId: t.arg.id({
        description:
          'The customer, by your own id. Default: the header x-customer-id, or the token’s customer.',
      }),
    },
    resolve: (_root, { customerId }, context) => findCustomer(context, customerId),
  }),
);
