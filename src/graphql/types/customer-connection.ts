import './provider.ts';
import { connectionStatus } from '../../domain/connection.ts';
import { type Customer, type CustomerPage, customer } from '../../domain/customer.ts';
import { DEFAULT_PAGE_SIZE } from '../../domain/page.ts';
import { findCustomer, listCustomers, MAX_LISTED_IDS } from '../../usecases/find-customer.ts';
import { builder, tagged } from '../builder.ts';
import { costs } from '../cost.ts';
import { enumOf, exposeFields, registerObject } from '../from-shape.ts';
import { NodeInterface } from './node.ts';
import { PageInfoType, readPageInput, toPageFacts } from './page-info.ts';
import { ProviderNameEnum } from './provider.ts';

const CustomerFilterInput = builder.inputType('CustomerFilter', {
  description: 'Which customers: all that is given must hold.',
  fields: (t) => ({
    customerIds: t.idList({ description: `Your own ids of customers, at most ${MAX_LISTED_IDS}.` }),
    email: t.string({ description: 'The customer’s email address, compared without case.' }),
    provider: t.field({ type: ProviderNameEnum, description: 'Customers with a connection to this tool.' }),
    status: t.field({
      type: enumOf(connectionStatus),
      description: 'Customers with a connection in this status; with `provider`, that very connection.',
    }),
  }),
});

const CustomerEdgeType = builder.objectRef<CustomerEdge>('CustomerEdge').implement({
  description: 'A customer, and where it stands in the list.',
  fields: (t) => ({
    node: t.expose('node', { type: CustomerType, description: 'The customer.' }),
    cursor: t.string({
      description: 'The customer’s place in this list, for `after` and `before`.',
      resolve: ({ page, node }) => page.cursorOf(node),
    }),
  }),
});

const CustomerConnectionType = builder.objectRef<CustomerPage>('CustomerConnection').implement({
  description: 'One page of your customers, in the order of their ids.',
  fields: (t) => ({
    edges: t.field({
      type: [CustomerEdgeType],
      description: 'The customers of the page, each with its cursor.',
      ...costs({ paged: true }),
      resolve: (page) => page.customers.map((node) => ({ page, node })),
    }),
    nodes: t.field({
      type: [CustomerType],
      description: 'The customers of the page, without their cursors.',
      ...costs({ paged: true }),
      resolve: ({ customers }) => customers,
    }),
    pageInfo: t.field({
      type: PageInfoType,
      description: 'Where the page lies in the list.',
      resolve: (page) => toPageFacts(page, page.customers),
    }),
  }),
});

builder.queryField('customers', (t) =>
  t.field({
    ...tagged('api-key'),
    type: CustomerConnectionType,
    description: 'Your customers, each with its connections. It takes an API key.',
    args: {
      filter: t.arg({ type: CustomerFilterInput, description: 'Default: all of them.' }),
      first: t.arg.int({
        description: 'How many customers from the start, or from `after`: 0 to 1,000. Default 100.',
      }),
      after: t.arg.string({ description: 'A cursor: the page starts behind it.' }),
      last: t.arg.int({ description: 'How many customers up to the end, or up to `before`: 0 to 1,000.' }),
      before: t.arg.string({ description: 'A cursor: the page ends in front of it.' }),
    },
    ...costs({
      weight: LIST_COST,
      pageSize({ first, last }) {
        const given = first ?? last;
        return typeof given === 'number' ? given : DEFAULT_PAGE_SIZE;
      },
    }),
    resolve: (_root, { filter, ...args }, context) =>
      listCustomers(context, {
        filter: {
          customerIds: filter?.customerIds ?? undefined,
          email: filter?.email ?? undefined,
          provider: filter?.provider ?? undefined,
          status: filter?.status ?? undefined,
        },
        page: readPageInput(args),
      }),
  }),
);

/** Three statements, and no call to a provider. */
const LIST_COST = 20;

interface CustomerEdge {
  readonly page: CustomerPage;
  readonly node: Customer;
}

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
