import * as z from 'zod';
import { cancelConnectLink, createConnectLink, findConnectLink } from '../../usecases/connect-link.ts';
import { confirmConnectLink } from '../../usecases/open-connect-page.ts';
import { answerEmpty, jsonResponse } from '../answers.ts';
import { defineOperation } from '../operation.ts';
import {
  confirmationShape,
  connectLinkPath,
  connectLinkRequestShape,
  connectLinkShape,
  createdConnectLinkShape,
  EXAMPLE_CONNECT_LINK,
  EXAMPLE_CREATED_LINK,
  toConnectLinkRecord,
  toCreateLinkInput,
} from '../wire/connect-link.ts';
import { customerPath } from '../wire/customer.ts';

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
