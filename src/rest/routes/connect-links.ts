import * as z from 'zod';
import {
  CONNECT_FAILURES,
  CONNECT_LINK_STATUSES,
  CONNECT_MODES,
  DEFAULT_LINK_SECONDS,
  MAX_LINK_SECONDS,
  MIN_LINK_SECONDS,
} from '../../domain/connect-link.ts';
import { PROVIDER_NAMES } from '../../domain/provider-names.ts';
import {
  cancelConnectLink,
  confirmConnectLink,
  createConnectLink,
  findConnectLink,
} from '../../usecases/connect-link.ts';

import { defineOperation } from '../operation.ts';
import { EXAMPLE_MOMENT, enumText, optional, recordWriter, text, toCamelCased } from '../schemas.ts';
import { customerPath } from './customers.ts';

const connectLinkPath = customerPath.extend({ id: text('Id of the connect link.', undefined, 'uuid') });

export const connectLinkRequestSchema = z
  .strictObject({
    providers: z
      .array(z.enum(PROVIDER_NAMES))
      .min(1)
      .describe('What the customer may connect: with several, they choose one.'),
    return_url: text(
      'The page of yours that the customer comes back to. Its origin has to be one of the application’s. `connect_link_id`, `status`, `error` and `code` are added to its query.',
      'https://app.example.com/connected',
    ),
    mode: enumText(CONNECT_MODES, 'How the customer comes back; REDIRECT where it is absent.').optional(),
    confirm: optional(
      z.boolean(),
      'Is the connection only made when you have redeemed a one-time code? True where it is absent; false is for links that are sent by mail.',
    ),
    expires_in_seconds: optional(
      z.int().min(MIN_LINK_SECONDS).max(MAX_LINK_SECONDS),
      `For how long it can be followed, from 30 seconds to a day; ${DEFAULT_LINK_SECONDS} seconds where it is absent.`,
    ),
    login_url: text(
      'Where this customer logs in at the provider, where you know it. For a link to one provider.',
      'https://acme.my.salesforce.com',
    ).optional(),
    optional_scopes: optional(
      z.array(z.string()),
      'Scopes of the provider that are asked for beside those that are needed.',
    ),
    allow_account_change: optional(
      z.boolean(),
      'May another account be connected in place of the one that is? False where it is absent.',
    ),
  })
  .describe('What may be connected by a link, and where it leads back to.');

export const connectLinkSchema = z
  .strictObject({
    id: text('Id of the connect link.', undefined, 'uuid'),
    customer_id: text('The application’s own id of the customer.', 'customer-1'),
    providers: z.array(z.enum(PROVIDER_NAMES)).describe('What the customer may connect.'),
    status: enumText(CONNECT_LINK_STATUSES, 'How far it has come.'),
    failure: enumText(CONNECT_FAILURES, 'Why it ended without a connection.').optional(),
    provider_name: enumText(PROVIDER_NAMES, 'What was chosen.').optional(),
    connection_id: text('Id of the connection, once it is COMPLETED.', undefined, 'uuid').optional(),
    created_at: text('When it was made.', undefined, 'date-time'),
    expires_at: text('Until when it can be followed.', undefined, 'date-time'),
  })
  .describe('A link by which one customer connects one CRM, once.');

export const createdConnectLinkSchema = connectLinkSchema
  .extend({
    url: text('Where to send the customer, shown this once. Whoever has it can use it.', undefined, 'uri'),
  })
  .describe('A new connect link, with its URL.');

export const confirmationSchema = z
  .strictObject({
    code: text('The one-time code that came with `return_url` or the window’s message.'),
  })
  .describe('The proof that the person who agreed is the one whom you sent.');

const toConnectLinkRecord = recordWriter(connectLinkSchema);

const EXAMPLE_CONNECT_LINK = {
  id: '0d9c2f7e-6c1f-4a35-9f0e-3a1c5b7d9e11',
  customer_id: 'customer-1',
  providers: ['hubspot', 'salesforce'],
  status: 'PENDING',
  created_at: EXAMPLE_MOMENT,
  expires_at: '2025-03-01T12:15:00.000Z',
};

const PATH = '/customers/{customer_id}/connect_links';
const CONNECT_LINK = { schema: connectLinkSchema, example: EXAMPLE_CONNECT_LINK };

export const connectLinkOperations = [
  defineOperation({
    id: 'createConnectLink',
    route: `POST ${PATH}`,
    summary: 'Make a connect link',
    description:
      'A link by which a customer connects a CRM, on pages of Crossbook and of the vendor: you need no OAuth code of your own.',
    input: { path: customerPath, body: connectLinkRequestSchema },
    bodyExample: { providers: ['hubspot', 'salesforce'], return_url: 'http://localhost:3000/connected' },
    response: {
      status: 201,
      description: 'The link, with its URL, which is shown this once.',
      schema: createdConnectLinkSchema,
      example: {
        ...EXAMPLE_CONNECT_LINK,
        url: 'https://crossbook.example/connect/v2.k1.MGQ5YzJm.c2lnbmF0dXJl',
      },
    },
    errors: [404, 422, 501],
    async handle(context, { path, body }) {
      const { link, url } = await createConnectLink(context, toCamelCased({ ...path, ...body }));
      return { ...toConnectLinkRecord(link), url };
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
      toConnectLinkRecord(await findConnectLink(context, toCamelCased(path))),
  }),
  defineOperation({
    id: 'cancelConnectLink',
    route: `DELETE ${PATH}/{id}`,
    summary: 'Cancel a connect link',
    description: 'Withdraws a link that has not ended yet.',
    input: { path: connectLinkPath },
    response: { status: 204, description: 'The link leads nowhere any more.' },
    errors: [404, 409],
    async handle(context, { path }) {
      await cancelConnectLink(context, toCamelCased(path));
      return undefined;
    },
  }),
  defineOperation({
    id: 'confirmConnectLink',
    route: `POST ${PATH}/{id}/_confirm`,
    summary: 'Confirm a connect link',
    description:
      'Redeems the one-time code that the customer’s browser brought back: only now the connection is there. Call it in the session of the person who asked for the link, within ten minutes.',
    input: { path: connectLinkPath, body: confirmationSchema },
    bodyExample: { code: 'the-code-of-the-return-url' },
    response: { ...CONNECT_LINK, description: 'The link, which is COMPLETED now.' },
    errors: [404, 409],
    async handle(context, { path, body }) {
      const { link } = await confirmConnectLink(context, toCamelCased({ ...path, ...body }));
      return toConnectLinkRecord(link);
    },
  }),
];
