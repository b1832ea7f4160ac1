import * as z from 'zod';
import {
  CONNECT_MODES,
  connectLink,
  DEFAULT_LINK_SECONDS,
  MAX_LINK_SECONDS,
  MIN_LINK_SECONDS,
} from '../../domain/connect-link.ts';
import {
  EXAMPLE_PROVIDERS,
  EXAMPLE_URLS,
  PROVIDER_NAMES,
  providerName,
} from '../../domain/provider-names.ts';
import { ACCESS_LEVELS } from '../../domain/record-access.ts';
import { RECORD_TYPES } from '../../domain/records/record-type.ts';
import { field, id, listOf, nullable, shape, uuid } from '../../domain/shape.ts';
import {
  cancelConnectLink,
  confirmConnectLink,
  createConnectLink,
  createMappingLink,
  findConnectLink,
} from '../../usecases/connect-link.ts';
import { defineOperation } from '../operation.ts';
import {
  COMPONENTS,
  EXAMPLE_MOMENT,
  enumInput,
  object,
  optional,
  text,
  toCamelCased,
  toSchema,
  toWire,
} from '../schemas.ts';
import { CONNECTION_PATH, connectionPath } from './connections.ts';
import { customerPath } from './customers.ts';

const connectLinkPath = customerPath.extend({
  id: text('Id of the connect link.', undefined, 'uuid'),
});

const modeInput = enumInput(
  CONNECT_MODES,
  'How the browser returns. Default: `redirect`.',
).optional();
const lifetimeInput = optional(
  z.int().min(MIN_LINK_SECONDS).max(MAX_LINK_SECONDS),
  `Lifetime of the link, from 30 seconds to a day. Default: ${DEFAULT_LINK_SECONDS} seconds.`,
);

export const connectLinkRequestSchema = object(
  'request',
  'ConnectLinkRequest',
  'A connect link to create.',
  {
    providers: z
      .array(enumInput(PROVIDER_NAMES))
      .min(1)
      .describe('Providers that the customer may connect. With several, the customer chooses one.'),
    return_url: text(
      'URL of your page to which the browser returns. Its origin must be registered for the application. `connect_link_id`, `status`, `error` and `code` are added to its query, `status` and `error` in upper case.',
      'https://app.example.com/connected',
    ),
    mode: modeInput,
    confirm: optional(
      z.boolean(),
      'Whether the connection must be confirmed with a one-time code. Default: true; false is for links sent by mail.',
    ),
    expires_in_seconds: lifetimeInput,
    login_url: text(
      'Login URL of this customer at the provider, for a link to one provider. Default: the page asks for it.',
      EXAMPLE_URLS.instance,
    ).optional(),
    records: optional(
      z.array(enumInput(RECORD_TYPES)).min(1),
      'Types of records to ask for. A customer who is connected already keeps what the connection allows: the link extends it. Default: contact.',
    ),
    access: enumInput(
      ACCESS_LEVELS,
      'Access to these records to ask for. Default: `read`.',
    ).optional(),
    optional_scopes: optional(
      z.array(z.string()),
      'OAuth scopes to request in addition to the required ones.',
    ),
    allow_account_change: optional(
      z.boolean(),
      'Whether another account may replace the connected one. Default: false.',
    ),
    map_fields: optional(
      z.boolean(),
      'Whether the customer matches your custom fields with those of the CRM after consent. Default: false.',
    ),
  },
);

const mappingLinkRequestSchema = object(
  'request',
  'MappingLinkRequest',
  'A link to map fields, to create.',
  {
    return_url: text(
      'URL of your page to which the browser returns. Its origin must be registered for the application. `connect_link_id` and `status` are added to its query.',
      'https://app.example.com/fields',
    ),
    mode: modeInput,
    expires_in_seconds: lifetimeInput,
  },
);

/** A link as GraphQL has it, and what is behind GraphQL's fields `id` and `connection`. */
const connectLinkRecord = shape('ConnectLink', connectLink.description, {
  id: field(uuid, 'Id of the connect link.'),
  customerId: field(id, 'The application’s own id of the customer.', { example: 'customer-1' }),
  providers: field(listOf(providerName), 'Providers that the customer may connect.'),
  ...connectLink.fields,
  providerName: nullable(providerName, 'What was chosen.'),
  connectionId: nullable(uuid, 'Id of the connection, once the link is `completed`.'),
});
const connectLinkSchema = toSchema(connectLinkRecord, 'response').register(COMPONENTS.response, {
  id: connectLinkRecord.name,
});

const createdConnectLinkSchema = object(
  'response',
  'CreatedConnectLink',
  'A new connect link with its URL.',
  {
    ...connectLinkSchema.shape,
    url: text(
      'URL to which you send the customer, returned only here. Anyone who has it can use it.',
      undefined,
      'uri',
    ),
  },
);

const confirmationSchema = object(
  'request',
  'Confirmation',
  'The one-time code of a connect link.',
  {
    code: text('One-time code from the query of `return_url` or the popup’s message.'),
  },
);

const EXAMPLE_CONNECT_LINK = {
  purpose: 'connect',
  id: '0d9c2f7e-6c1f-4a35-9f0e-3a1c5b7d9e11',
  customer_id: 'customer-1',
  providers: [EXAMPLE_PROVIDERS.first, EXAMPLE_PROVIDERS.second],
  status: 'pending',
  records: ['contact'],
  access: 'read',
  created_at: EXAMPLE_MOMENT,
  expires_at: '2025-03-01T12:15:00.000Z',
};

const PATH = '/customers/{customer_id}/connect_links';
const CONNECT_LINK = { schema: connectLinkSchema, example: EXAMPLE_CONNECT_LINK };

export const connectLinkOperations = [
  defineOperation({
    id: 'createConnectLink',
    route: `POST ${PATH}`,
    summary: 'Create a connect link',
    description:
      'Creates a link with which a customer connects a CRM, on pages of Crossbook and of the vendor: you need no OAuth code of your own.',
    input: { path: customerPath, body: connectLinkRequestSchema },
    bodyExample: {
      providers: [EXAMPLE_PROVIDERS.first, EXAMPLE_PROVIDERS.second],
      return_url: 'http://localhost:3000/connected',
    },
    response: {
      status: 201,
      description: 'The link and its URL, which is returned only here.',
      schema: createdConnectLinkSchema,
      example: {
        ...EXAMPLE_CONNECT_LINK,
        url: 'https://crossbook.example/connect/v2.k1.MGQ5YzJm.c2lnbmF0dXJl',
      },
    },
    errors: [404, 422, 501],
    async handle(context, { path, body }) {
      const { link, url } = await createConnectLink(context, toCamelCased({ ...path, ...body }));
      return { ...toWire(connectLinkRecord, link), url };
    },
  }),
  defineOperation({
    id: 'createMappingLink',
    route: `POST ${CONNECTION_PATH}/mapping_links`,
    summary: 'Create a link to map fields',
    description:
      'Creates a link with which a customer matches your custom fields with those of a CRM that is connected already. It is read and canceled like a connect link.',
    input: { path: connectionPath, body: mappingLinkRequestSchema },
    bodyExample: { return_url: 'http://localhost:3000/fields' },
    response: {
      status: 201,
      description: 'The link and its URL, which is returned only here.',
      schema: createdConnectLinkSchema,
      example: {
        ...EXAMPLE_CONNECT_LINK,
        purpose: 'map_fields',
        providers: [EXAMPLE_PROVIDERS.first],
        provider_name: EXAMPLE_PROVIDERS.first,
        url: 'https://crossbook.example/connect/v2.k1.MGQ5YzJm.c2lnbmF0dXJl',
      },
    },
    errors: [404, 422, 501],
    async handle(context, { path, body }) {
      const { provider_name: provider, ...customer } = path;
      const request = { ...toCamelCased({ ...customer, ...body }), provider };
      const { link, url } = await createMappingLink(context, request);
      return { ...toWire(connectLinkRecord, link), url };
    },
  }),
  defineOperation({
    id: 'getConnectLink',
    route: `GET ${PATH}/{id}`,
    summary: 'Read a connect link',
    description: 'How far the customer has come with a link.',
    callers: ['apiKey', 'customerToken'],
    input: { path: connectLinkPath },
    response: { ...CONNECT_LINK, description: 'The link.' },
    errors: [404],
    handle: async (context, { path }) =>
      toWire(connectLinkRecord, await findConnectLink(context, toCamelCased(path))),
  }),
  defineOperation({
    id: 'cancelConnectLink',
    route: `DELETE ${PATH}/{id}`,
    summary: 'Cancel a connect link',
    description: 'Withdraws a link that has not ended yet.',
    input: { path: connectLinkPath },
    response: { status: 204, description: 'The link was canceled.' },
    errors: [404, 409],
    async handle(context, { path }) {
      await cancelConnectLink(context, toCamelCased(path));
    },
  }),
  defineOperation({
    id: 'confirmConnectLink',
    route: `POST ${PATH}/{id}/_confirm`,
    summary: 'Confirm a connect link',
    description:
      'Redeems the one-time code that the browser brought back, which creates the connection. Call it in the session of the user for whom the link was created, within ten minutes.',
    input: { path: connectLinkPath, body: confirmationSchema },
    bodyExample: { code: 'the-code-of-the-return-url' },
    response: { ...CONNECT_LINK, description: 'The link, now `completed`.' },
    errors: [404, 409],
    async handle(context, { path, body }) {
      const { link } = await confirmConnectLink(context, toCamelCased({ ...path, ...body }));
      return toWire(connectLinkRecord, link);
    },
  }),
];
