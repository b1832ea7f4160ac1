import * as z from 'zod';
import {
  CrossbookError,
  ERROR_CODES,
  type ErrorCode,
  type ErrorFacts,
  toErrorBody,
} from '../../domain/errors.ts';
import { EVENT_TYPES, type EventType, eventType, TEST_CUSTOMER_ID } from '../../domain/event.ts';
import type { ResponseFacts } from '../operation.ts';
import type { GroupedOperation } from '../routes/all.ts';
import { EXAMPLE_EVENT, webhookBodySchema } from '../routes/events.ts';
import { EXAMPLE_ENDPOINT } from '../routes/webhook-endpoints.ts';
import { toSnakeCase } from '../schemas.ts';
import { errorsSchema, refTo, toComponentSchemas } from './components.ts';

/** Generates the OpenAPI document of these operations from their validation schemas. */
export function toOpenApi(
  operations: readonly GroupedOperation[],
  { version, url = '/' }: { readonly version: string; readonly url?: string },
) {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: toOperationObject(operation),
    };
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Crossbook',
      version,
      summary: 'One API over the CRMs of your customers.',
      description:
        'Search and change the contacts, companies and deals of your customers in their CRMs, and manage your customers and their connections. Every error has the same body.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url }],
    tags: [
      { name: 'contacts', description: 'People in your customers’ CRMs.' },
      { name: 'links', description: 'Links between records in your customers’ CRMs.' },
      { name: 'customers', description: 'Your customers and their connections to providers.' },
      { name: 'webhooks', description: 'Events, and the endpoints that they are sent to.' },
      {
        name: 'oauth_clients',
        description: 'OAuth clients (apps) that you have registered with providers.',
      },
    ],
    paths,
    // Requests that we send.
    webhooks: Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: toWebhook(type) }])),
    components: {
      schemas: toComponentSchemas(),
      responses: toComponentResponses(),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
  return withRestNames(document, new Set(operations.map(({ id }) => id)));
}

/** Descriptions are shared with GraphQL: names of fields in them get their names in REST. */
function withRestNames<Document>(document: Document, operationIds: ReadonlySet<string>): Document {
  const text = JSON.stringify(document, (key, value) =>
    key === 'description' && typeof value === 'string'
      ? value.replace(CAMEL_CASE, (quoted, name) =>
          operationIds.has(name) ? quoted : toSnakeCase(quoted),
        )
      : value,
  );
  return JSON.parse(text);
}

const CAMEL_CASE = /`([a-z]+(?:[A-Z][A-Za-z0-9]*)+)`/g;

const SECURITY_SCHEMES = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: 'The API key of an application.',
  },
  customerToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'A short-lived token of one customer. It reads that customer and their records, and writes only if it was issued with can_write.',
  },
};

function toOperationObject(operation: GroupedOperation): object {
  const { path, query, headers, body } = operation.input.shape;
  const { callers = ['apiKey'], response, notModified, errors = [] } = operation;
  const takesBody = body.def.type !== 'undefined';
  const statuses = [...ALWAYS, ...(takesBody ? WITH_BODY : []), ...errors];
  return {
    operationId: operation.id,
    tags: [operation.group],
    summary: operation.summary,
    description: operation.description,
    security: callers.map((caller) => ({ [caller]: [] })),
    parameters: [
      ...toParameters(path, 'path'),
      ...toParameters(headers, 'header'),
      ...toParameters(query, 'query'),
    ],
    ...(takesBody && {
      requestBody: {
        required: body.def.type !== 'optional',
        content: toContent(refTo('request', body), operation.bodyExample),
      },
    }),
    responses: {
      [response.status ?? 200]: toSuccess(response),
      ...(notModified !== undefined && { 304: { description: notModified } }),
      ...Object.fromEntries(
        statuses.map((status) => [status, { $ref: `#/components/responses/${toName(status)}` }]),
      ),
    },
  };
}

/** Error statuses of every operation, and of those with a body. */
const ALWAYS = [400, 401, 403, 429, 500, 503];
const WITH_BODY = [413, 415];

function toParameters({ shape }: z.ZodObject, place: 'path' | 'header' | 'query'): object[] {
  return Object.entries(shape).map(([name, field]) => {
    const { $schema, description, ...schema } = z.toJSONSchema(field, { io: 'input' });
    const required = !z.safeParse(field, undefined).success;
    return { name, in: place, required, description, schema };
  });
}

function toSuccess({ description, schema, example, headers = {} }: ResponseFacts) {
  const own = Object.entries(headers).map(([name, description]) => [
    name,
    { description, required: true, schema: { type: 'string' } },
  ]);
  return {
    description,
    headers: { ...Object.fromEntries(own), ...QUOTA_HEADERS },
    ...(schema && { content: toContent(refTo('response', schema), example) }),
  };
}

/** The rate limit headers of every authenticated response. */
const QUOTA_HEADERS = Object.fromEntries(
  [
    [
      'RateLimit',
      'Remaining requests (r) and seconds until the limit resets (t).',
      '"requests";r=5998;t=42',
    ],
    [
      'RateLimit-Policy',
      'Requests allowed (q) in a window of seconds (w).',
      '"requests";q=6000;w=60',
    ],
    ['RateLimit-Limit', 'Requests allowed a minute.', '6000'],
    ['RateLimit-Remaining', 'Remaining requests.', '5998'],
    ['RateLimit-Reset', 'Seconds until the limit resets.', '42'],
  ].map(([name, description, example]) => [
    name,
    { description, required: false, schema: { type: 'string' }, example },
  ]),
);

const CODES = Object.entries(ERROR_CODES) as [ErrorCode, ErrorFacts][];
/** The first error code of each status names its response. */
const FIRST_CODES = new Map(
  CODES.toReversed().map(([code, { status, when }]) => [status, { code, when }]),
);

/** `NOT_FOUND` becomes `NotFound`. */
function toName(status: number): string {
  const { code = '' } = FIRST_CODES.get(status) ?? {};
  return code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** One response per status with an example. */
function toComponentResponses(): Record<string, object> {
  const shown = CODES.filter(([, { example }]) => example !== undefined);
  return Object.fromEntries(
    shown.map(([code, facts]) => [toName(facts.status), toResponse(code, facts)]),
  );
}

function toResponse(code: ErrorCode, { status, example = '', retryAfterMs }: ErrorFacts): object {
  const error = new CrossbookError(code, example, { retryAfterMs });
  const body = {
    ...toErrorBody(error, status === 401 ? null : 'Demo'),
    id: '5b0e3f64-9c1f-4c53-8d6e-0a4d1f2b7c88',
  };
  const retryAfter = { description: 'Seconds to wait, if known.', schema: { type: 'integer' } };
  return {
    description: FIRST_CODES.get(status)?.when,
    ...(retryAfterMs !== undefined && {
      headers: { 'Retry-After': retryAfter, ...(status === 429 && QUOTA_HEADERS) },
    }),
    content: toContent(refTo('response', errorsSchema), { errors: [body] }),
  };
}

function toContent(schema: object, example: unknown): object {
  return { 'application/json': { schema, example } };
}

/** An entry of the `webhooks` section of OpenAPI 3.1. */
function toWebhook(type: EventType): object {
  const { customer_id, connection_id, sequence, data, created_at } = EXAMPLE_EVENT;
  const subject = type.startsWith('connection.') ? { connection_id, sequence, ...data } : {};
  const test = { customer_id: TEST_CUSTOMER_ID, endpoint_id: EXAMPLE_ENDPOINT.id };
  return {
    operationId: `on_${type.replace('.', '_')}`,
    tags: ['webhooks'],
    summary: eventType.words[type].replace(/\.$/, ''),
    description:
      'Verify it with the endpoint’s secret, as specified by Standard Webhooks, and respond with 2xx within 15 seconds.',
    parameters: Object.entries(WEBHOOK_HEADERS).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      description,
      schema: { type: 'string' },
    })),
    requestBody: {
      required: true,
      content: toContent(refTo('response', webhookBodySchema), {
        type,
        timestamp: created_at,
        data: type === 'webhook.test' ? test : { customer_id, ...subject },
      }),
    },
    responses: {
      '2XX': {
        description: 'The event was received. Any other response is retried for three days.',
      },
      410: { description: 'The endpoint is disabled.' },
    },
  };
}

const WEBHOOK_HEADERS = {
  'webhook-id': 'The event’s id: the same at each attempt.',
  'webhook-timestamp': 'When this attempt was made, in Unix seconds.',
  'webhook-signature':
    '`v1,` and base64 of HMAC-SHA-256 over `id.timestamp.body`; two while a secret is rotated.',
};
