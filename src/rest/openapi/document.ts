import * as z from 'zod';
import type { Operation, ResponseSpec } from '../operation.ts';
import { refToAnswered, refToAsked, toComponentSchemas } from './components.ts';
import { QUOTA_HEADERS } from './quota.ts';
import { refToRefusal, toComponentResponses } from './refusals.ts';
import { toWebhooks } from './webhooks.ts';

/** The OpenAPI document of exactly these operations, out of the schemas that check their requests. */
export function toOpenApi(operations: readonly Operation[], version: string) {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: toOperationObject(operation),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Crossbook',
      version,
      summary: 'One API over the CRMs of your customers.',
      description:
        'Search the contacts of your customers in their CRMs, and manage your customers and their connections. Every error has the same body.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'contacts', description: 'People in your customers’ CRMs.' },
      { name: 'customers', description: 'Your customers and their connections to providers.' },
      { name: 'webhooks', description: 'What has happened, and where you hear of it.' },
      { name: 'oauth_clients', description: 'The apps that you have registered with providers.' },
    ],
    paths,
    webhooks: toWebhooks(),
    components: {
      schemas: toComponentSchemas(),
      responses: toComponentResponses(),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const SECURITY_SCHEMES = {
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'The API key of an application.' },
  customerToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'A short-lived token of one customer: it reads that customer and its contacts, nothing else.',
  },
};

function toOperationObject(operation: Operation): object {
  const { path, query, headers, body } = operation.input.shape;
  return {
    operationId: operation.id,
    tags: [operation.group],
    summary: operation.summary,
    description: operation.description,
    security: operation.callers.map((caller) => ({ [caller]: [] })),
    parameters: [
      ...toParameters(path, 'path'),
      ...toParameters(headers, 'header'),
      ...toParameters(query, 'query'),
    ],
    ...(body.def.type !== 'undefined' && {
      requestBody: {
        required: body.def.type !== 'optional',
        content: {
          'application/json': {
            schema: refToAsked(unwrapOptional(body), operation.id),
            example: operation.bodyExample,
          },
        },
      },
    }),
    responses: toResponses(operation),
  };
}

/** A body that may be absent is described as it is where it is there. */
function unwrapOptional(body: z.ZodType): z.ZodType {
  return body instanceof z.ZodOptional ? (body.unwrap() as z.ZodType) : body;
}

function toParameters({ shape }: z.ZodObject, place: 'path' | 'header' | 'query'): object[] {
  return Object.entries(shape).map(([name, field]) => {
    const { $schema, description, ...schema } = z.toJSONSchema(field as z.ZodType, { io: 'input' });
    const required = !(field as z.ZodType).safeParse(undefined).success;
    return { name, in: place, required, description, schema };
  });
}

function toResponses({ id, answer, emptyAnswers = {}, refusals }: Operation): Record<number, object> {
  return {
    ...(answer && { [answer.status ?? 200]: toAnswer(answer, id) }),
    ...Object.fromEntries(
      Object.entries(emptyAnswers).map(([status, description]) => [
        status,
        // What is done is counted as well.
        Number(status) < 300 ? { description, headers: QUOTA_HEADERS } : { description },
      ]),
    ),
    ...Object.fromEntries(refusals.map((status) => [status, refToRefusal(status)])),
  };
}

function toAnswer(answer: ResponseSpec, operationId: string): object {
  const headers = Object.entries(answer.headers).map(([name, description]) => [
    name,
    { description, required: true, schema: { type: 'string' } },
  ]);
  return {
    description: answer.description,
    headers: { ...Object.fromEntries(headers), ...QUOTA_HEADERS },
    content: {
      'application/json': { schema: refToAnswered(answer.shape, operationId), example: answer.example },
    },
  };
}

export type OpenApiDocument = ReturnType<typeof toOpenApi>;
