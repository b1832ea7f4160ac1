import * as z from 'zod';
import { type Connection, connection, connectionStatus } from '../../domain/connection.ts';
import { type Customer, customer } from '../../domain/customer.ts';
import { PROVIDER_NAMES } from '../../domain/provider-names.ts';
import { LIST_COST, VALUES_PER_CUSTOMER } from '../../domain/records/record-search.ts';
import { recordType } from '../../domain/records/record-type.ts';
import { boolean, field, listOf, wordsOf } from '../../domain/shape.ts';
import type { RequestContext } from '../../request/context.ts';
import { findCustomer, listCustomers } from '../../usecases/find-customer.ts';
import { readStatusReason } from '../../usecases/list-providers.ts';
import { findMissingScopes, readGrantedAccess } from '../../usecases/record-access.ts';
import { type JsonSchema, pickFields, toObjectSchema, toRecord } from '../schemas.ts';
import {
  customerArgument,
  defineTool,
  providerEnum,
  READ_ONLY,
  toOutputSchema,
  UNTRUSTED,
} from './tool.ts';

/** What an agent needs to know of a connection: without ids of ours, and without configuration. */
const connectionFields = {
  ...pickFields(connection.fields, [
    'providerName',
    'category',
    'status',
    'statusReason',
    'statusChangedAt',
    'account',
    'missingScopes',
  ]),
  canRead: field(listOf(recordType), 'Types of records that may be read.'),
  canWrite: field(listOf(recordType), 'Types of records that may be changed.'),
  canSearchContacts: field(boolean, 'Whether contacts of the provider can be searched.'),
};

const connectionsSchema: JsonSchema = {
  type: 'array',
  description: 'The connections of the customer.',
  items: toObjectSchema(connectionFields, connection.description),
};

function toConnectionRecord(context: RequestContext, one: Connection) {
  const { providers } = context;
  const granted = readGrantedAccess(providers.get(one.providerName), one);
  return toRecord(connectionFields, {
    ...one,
    statusReason: readStatusReason(providers, one),
    missingScopes: findMissingScopes(providers, one),
    canRead: granted.flatMap(({ record, canRead }) => (canRead ? [record] : [])),
    canWrite: granted.flatMap(({ record, canWrite }) => (canWrite ? [record] : [])),
    canSearchContacts: providers.get(one.providerName)?.crm !== undefined,
  });
}

export const listConnectionsTool = defineTool({
  name: 'list_connections',
  title: 'List connections',
  description: `Lists the CRMs and other tools that the customer has connected, with the status of each. A connection with the status reauthorize has to be connected again. ${UNTRUSTED}`,
  annotations: READ_ONLY,
  input: z.strictObject({ ...customerArgument }),
  output: toOutputSchema({ connections: connectionsSchema }),
  async run(context, { customerId }) {
    const { connections } = await findCustomer(context, customerId, false);
    const lines = connections.map(({ providerName, status }) => `${providerName}: ${status}`);
    return {
      structured: { connections: connections.map((one) => toConnectionRecord(context, one)) },
      text: lines.join('\n') || 'The customer has connected nothing.',
    };
  },
});

const MAX_CUSTOMERS = 50;
const DEFAULT_CUSTOMERS = 20;

const customerFields = pickFields(customer.fields, ['customerId', 'name', 'email']);

export const listCustomersTool = defineTool({
  name: 'list_customers',
  title: 'List customers',
  description:
    'Lists the customers of the application with their connections, sorted by id. All conditions must match. Other tools take the customerId.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  needsKey: true,
  input: z.strictObject({
    email: z
      .string()
      .optional()
      .describe('Email address of the customer, compared case-insensitively.'),
    provider: providerEnum(PROVIDER_NAMES)
      .optional()
      .describe('Provider to which the customer has a connection.'),
    status: z
      .enum(wordsOf(connectionStatus))
      .optional()
      .describe('Status of a connection of the customer; with provider, of the connection to it.'),
    first: z
      .int()
      .min(0)
      .max(MAX_CUSTOMERS)
      .default(DEFAULT_CUSTOMERS)
      .describe(`Customers, at most ${MAX_CUSTOMERS}. Default: ${DEFAULT_CUSTOMERS}.`),
    after: z
      .string()
      .optional()
      .describe('To continue: `next` of an earlier result, unchanged, with the same conditions.'),
  }),
  output: toOutputSchema({
    customers: {
      type: 'array',
      description: 'Customers, sorted by id.',
      items: withConnections(toObjectSchema(customerFields, customer.description)),
    },
    next: {
      anyOf: [{ type: 'string' }, { type: 'null' }],
      description: 'Pass it as `after` for more customers. Null: there are no more.',
    },
  }),
  async run(context, { first, after, ...filter }, charge) {
    await charge(LIST_COST + first * VALUES_PER_CUSTOMER);
    const page = await listCustomers(context, {
      filter,
      page: { size: first, cursor: after, direction: 'forward' },
      withConfigurations: false,
    });
    const { items, hasNextPage } = page;
    return {
      structured: {
        customers: items.map((one) => toCustomerRecord(context, one)),
        next: hasNextPage ? page.cursorOf(items.at(-1), 'forward') : null,
      },
      text: `${items.length === 1 ? '1 customer' : `${items.length} customers`} in structuredContent${hasNextPage ? '; there are more' : ''}.`,
    };
  },
});

function withConnections(schema: JsonSchema): JsonSchema {
  return {
    ...schema,
    properties: { ...(schema['properties'] as object), connections: connectionsSchema },
    required: [...Object.keys(customerFields), 'connections'],
  };
}

function toCustomerRecord(context: RequestContext, one: Customer) {
  return {
    ...toRecord(customerFields, one),
    connections: one.connections.map((each) => toConnectionRecord(context, each)),
  };
}
