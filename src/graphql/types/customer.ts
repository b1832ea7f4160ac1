import { type Customer, customer } from '../../domain/customer.ts';
import { findCustomer } from '../../usecases/find-customer.ts';
import { builder } from '../builder.ts';
import { exposeFields, registerObject } from '../from-shape.ts';
import './connected-provider.ts';
import { NodeInterface } from './node.ts';

export const CustomerType = registerObject(
  customer,
  builder.objectRef<Customer>('Customer').implement({
    description: customer.description,
    interfaces: [NodeInterface],
    directives: [
      { name: 'key', args: { fields: 'customerId' } },
      { name: 'key', args: { fields: 'id' } },
    ],
    fields: (t) => exposeFields(t, customer),
  }),
);

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
