import * as z from 'zod';
import {
  CONNECT_FAILURES,
  CONNECT_LINK_STATUSES,
  CONNECT_MODES,
  type ConnectLink,
  DEFAULT_LINK_SECONDS,
  MAX_LINK_SECONDS,
  MIN_LINK_SECONDS,
} from '../../domain/connect-link.ts';
import { PROVIDER_NAMES } from '../../domain/provider-names.ts';
import {
  type CreateLinkInput,
  cancelConnectLink,
  createConnectLink,
  findConnectLink,
} from '../../usecases/connect-link.ts';
import { confirmConnectLink } from '../../usecases/open-connect-page.ts';
import { defineOperation } from '../operation.ts';
import { answerEmpty, jsonResponse } from '../responses.ts';
import { customerPath } from '../wire/customer.ts';
import { enumText, text, uuidText } from '../wire/fields.ts';

const connectLinkPath = customerPath.extend({ id: uuidText('Id of the connect link.') });

export const connectLinkRequestShape = z
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
    confirm: z
      .boolean()
      .optional()
      .describe(
        'Is the connection only made when you have redeemed a one-time code? True where it is absent; false is for links that are sent by mail.',
      ),
    expires_in_seconds: z
      .int()
      .min(MIN_LINK_SECONDS)
      .max(MAX_LINK_SECONDS)
      .optional()
      .describe(
        `For how long it can be followed, from 30 seconds to a day; ${DEFAULT_LINK_SECONDS} seconds where it is absent.`,
      ),
    login_url: text(
      'Where this customer logs in at the provider, where you know it. For a link to one provider.',
      'https://acme.my.salesforce.com',
    ).optional(),
    optional_scopes: z
      .array(z.string())
      .optional()
      .describe('Scopes of the provider that are asked for beside those that are needed.'),
    allow_account_change: z
      .boolean()
      .optional()
      .describe('May another account be connected in place of the one that is? False where it is absent.'),
  })
  .describe('What may be connected by a link, and where it leads back to.');

export const connectLinkShape = z
  .strictObject({
    id: uuidText('Id of the connect link.'),
    customer_id: text('The application’s own id of the customer.', 'customer-1'),
    providers: z.array(z.enum(PROVIDER_NAMES)).describe('What the customer may connect.'),
    status: enumText(CONNECT_LINK_STATUSES, 'How far it has come.'),
    failure: enumText(CONNECT_FAILURES, 'Why it ended without a connection.').optional(),
    provider_name: enumText(PROVIDER_NAMES, 'What was chosen.').optional(),
    connection_id: uuidText('Id of the connection, once it is COMPLETED.').optional(),
    created_at: z.string().meta({ description: 'When it was made.', format: 'date-time' }),
    expires_at: z.string().meta({ description: 'Until when it can be followed.', format: 'date-time' }),
  })
  .describe('A link by which one customer connects one CRM, once.');

export const createdConnectLinkShape = connectLinkShape
  .extend({
    url: z.string().meta({
      description: 'Where to send the customer, shown this once. Whoever has it can use it.',
      format: 'uri',
    }),
  })
  .describe('A new connect link, with its URL.');

export const confirmationShape = z
  .strictObject({
    code: text('The one-time code that came with `return_url` or the window’s message.'),
  })
  .describe('The proof that the person who agreed is the one whom you sent.');

function toCreateLinkInput(
  customerId: string,
  body: z.output<typeof connectLinkRequestShape>,
): CreateLinkInput {
  return {
    customerId,
    providers: body.providers,
    returnUrl: body.return_url,
    mode: body.mode,
    confirm: body.confirm,
    expiresInSeconds: body.expires_in_seconds,
    loginUrl: body.login_url,
    optionalScopes: body.optional_scopes,
    allowAccountChange: body.allow_account_change,
  };
}

function toConnectLinkRecord(link: ConnectLink): z.output<typeof connectLinkShape> {
  return {
    id: link.id,
    customer_id: link.customerId,
    providers: [...link.providers],
    status: link.status,
    failure: link.failure ?? undefined,
    provider_name: link.providerName ?? undefined,
    connection_id: link.connectionId ?? undefined,
    created_at: link.createdAt.toISOString(),
    expires_at: link.expiresAt.toISOString(),
  };
}

const EXAMPLE_CONNECT_LINK: z.output<typeof connectLinkShape> = {
  id: '0d9c2f7e-6c1f-4a35-9f0e-3a1c5b7d9e11',
  customer_id: 'customer-1',
  providers: ['hubspot', 'salesforce'],
  status: 'PENDING',
  created_at: '2025-03-01T12:00:00.000Z',
  expires_at: '2025-03-01T12:15:00.000Z',
};

const EXAMPLE_CREATED_LINK: z.output<typeof createdConnectLinkShape> = {
  ...EXAMPLE_CONNECT_LINK,
  url: 'https://crossbook.example/connect/v2.k1.MGQ5YzJm.c2lnbmF0dXJl',
};

const PATH = '/customers/{customer_id}/connect_links';

export const createConnectLinkOperation = defineOperation({
  id: 'createConnectLink',
  method: 'POST',
  path: PATH,
  group: 'customers',
  summary: 'Make a connect link',
  description:
    'A link by which a customer connects a CRM, on pages of Crossbook and of the vendor: you need no OAuth code of your own.',
  callers: ['apiKey'],
  input: z.object({
    path: customerPath,
    query: z.strictObject({}),
    headers: z.object({}),
    body: connectLinkRequestShape,
  }),
  bodyExample: { providers: ['hubspot', 'salesforce'], return_url: 'http://localhost:3000/connected' },
  answer: {
    status: 201,
    description: 'The link, with its URL, which is shown this once.',
    shape: createdConnectLinkShape,
    example: EXAMPLE_CREATED_LINK,
    headers: {},
  },
  refusals: [400, 401, 403, 404, 413, 415, 422, 429, 500, 501, 503],

  async handle(context, { path, body }) {
    const { link, url } = await createConnectLink(context, toCreateLinkInput(path.customer_id, body));
    return jsonResponse({ ...toConnectLinkRecord(link), url }, {}, { status: 201 });
  },
});

export const getConnectLink = defineOperation({
  id: 'getConnectLink',
  method: 'GET',
  path: `${PATH}/{id}`,
  group: 'customers',
  summary: 'Read a connect link',
  description: 'How far the customer has come with a link.',
  callers: ['apiKey', 'customerToken'],
  input: z.object({
    path: connectLinkPath,
    query: z.strictObject({}),
    headers: z.object({}),
    body: z.undefined(),
  }),
  answer: { description: 'The link.', shape: connectLinkShape, example: EXAMPLE_CONNECT_LINK, headers: {} },
  refusals: [400, 401, 403, 404, 429, 500, 503],

  async handle(context, { path }) {
    const link = await findConnectLink(context, { id: path.id, customerId: path.customer_id });
    return jsonResponse(toConnectLinkRecord(link));
  },
});

export const cancelConnectLinkOperation = defineOperation({
  id: 'cancelConnectLink',
  method: 'DELETE',
  path: `${PATH}/{id}`,
  group: 'customers',
  summary: 'Cancel a connect link',
  description: 'Withdraws a link that has not ended yet.',
  callers: ['apiKey'],
  input: z.object({
    path: connectLinkPath,
    query: z.strictObject({}),
    headers: z.object({}),
    body: z.undefined(),
  }),
  emptyAnswers: { 204: 'The link leads nowhere any more.' },
  refusals: [400, 401, 403, 404, 409, 429, 500, 503],

  async handle(context, { path }) {
    await cancelConnectLink(context, { id: path.id, customerId: path.customer_id });
    return answerEmpty();
  },
});

export const confirmConnectLinkOperation = defineOperation({
  id: 'confirmConnectLink',
  method: 'POST',
  path: `${PATH}/{id}/_confirm`,
  group: 'customers',
  summary: 'Confirm a connect link',
  description:
    'Redeems the one-time code that the customer’s browser brought back: only now the connection is there. Call it in the session of the person who asked for the link, within ten minutes.',
  callers: ['apiKey'],
  input: z.object({
    path: connectLinkPath,
    query: z.strictObject({}),
    headers: z.object({}),
    body: confirmationShape,
  }),
  bodyExample: { code: 'the-code-of-the-return-url' },
  answer: {
    description: 'The link, which is COMPLETED now.',
    shape: connectLinkShape,
    example: EXAMPLE_CONNECT_LINK,
    headers: {},
  },
  refusals: [400, 401, 403, 404, 409, 413, 415, 429, 500, 503],

  async handle(context, { path, body }) {
    const request = { id: path.id, customerId: path.customer_id, code: body.code };
    const { link } = await confirmConnectLink(context, request);
    return jsonResponse(toConnectLinkRecord(link));
  },
});
