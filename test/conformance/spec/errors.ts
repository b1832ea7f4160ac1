import { type Expected, fault, graphql, type Row, rest, row } from '../row.ts';

const OPENAPI = rest('GET /openapi.json');
const SEARCH = [400, 401, 403, 404, 409, 422, 499, 500, 501];
const UPSERT = [400, 401, 403, 404, 409, 422, 500, 501];
const LABELS: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  409: 'Conflict',
  422: 'Unprocessable entity',
  499: 'Remote provider error',
  500: 'Internal server error',
  501: 'Not implemented',
};

const BY_EMAIL = { filter: { email: 'ada@example.com' } };
const CUSTOMER = { customer_id: 'errors', name: 'E', email: 'e@example.com' };
const FAILING = [
  fault('hubspot', { kind: 'answer', status: 418, body: { message: 'a teapot' } }),
  rest('POST /contacts/_search', BY_EMAIL),
];
const FAILING_FIELD = [
  fault('hubspot', { kind: 'answer', status: 418, body: { message: 'a teapot' } }),
  graphql('{ searchContacts(filter: { email: "ada@example.com" }) { totalCount } }'),
];
const TEXT = (value: unknown) => typeof value === 'string' && value !== '';

/** The fields of an error, and their values. */
const FIELDS: readonly (readonly [string, Expected])[] = [
  ['id', TEXT],
  ['code', /^REMOTE_PROVIDER_ERROR$/],
  ['problem_type', /^REMOTE_PROVIDER_ERROR$/],
  ['status', '499'],
  ['title', TEXT],
  ['detail', /teapot/],
  ['meta', (meta: unknown) => typeof meta === 'object'],
];
const META: readonly (readonly [string, Expected])[] = [
  ['cause.code', 418],
  ['cause.body', { message: 'a teapot' }],
  ['cause.headers', { 'content-type': /json/ }],
  ['origin', 'remote-provider'],
  ['application_name', 'Demo application'],
];

export const ERROR_ROWS: readonly Row[] = [
  ...SEARCH.map((status) =>
    row(
      '7',
      `${status} is documented for the search`,
      OPENAPI,
      listed('/contacts/_search', 'post', status),
    ),
  ),
  ...UPSERT.map((status) =>
    row(
      '7',
      `${status} is documented for the upsert`,
      OPENAPI,
      listed('/customers', 'put', status),
    ),
  ),
  row(
    '7',
    '499 is not documented for the upsert',
    OPENAPI,
    listed('/customers', 'put', 499, false),
  ),
  ...SEARCH.map((status) =>
    row('7', `${status} is ${LABELS[status]}`, OPENAPI, { body: titled(status) }),
  ),
  ...FIELDS.flatMap(([name, expected]) => [
    row('7', `REST: an error has ${name}`, FAILING, {
      status: 499,
      body: { errors: [{ [name]: expected }] },
    }),
    row('7', `GraphQL: an error has ${name} in its extensions`, FAILING_FIELD, {
      body: { errors: [{ extensions: { [name]: expected } }] },
    }),
  ]),
  ...META.flatMap(([path, expected]) => [
    row('7', `REST: meta.${path} is set`, FAILING, {
      body: { errors: [{ meta: nest(path, expected) }] },
    }),
    row('7', `GraphQL: meta.${path} is set`, FAILING_FIELD, {
      body: { errors: [{ extensions: { meta: nest(path, expected) } }] },
    }),
  ]),
  row(
    '7',
    'An error of Crossbook’s own has the origin crossbook',
    rest('POST /contacts/_search', {}),
    {
      status: 400,
      body: { errors: [{ meta: { origin: 'crossbook', cause: undefined } }] },
    },
  ),
  row('7', '400 is returned for an upsert without fields', rest('PUT /customers', {}), {
    status: 400,
  }),
  row(
    '7',
    '401 is returned without credentials',
    rest('PUT /customers', CUSTOMER, { as: 'nobody' }),
    {
      status: 401,
    },
  ),
  row(
    '7',
    '403 is returned for an upsert with a customer token',
    rest('PUT /customers', CUSTOMER, { as: 'token' }),
    { status: 403 },
  ),
  row('7', '404 is returned for an unknown customer', rest('GET /customers/nobody'), {
    status: 404,
  }),
  row(
    '7',
    '409 is returned for an outdated If-Match',
    rest('PUT /customers', CUSTOMER, { headers: { 'if-match': '"77"' } }),
    {
      status: 409,
    },
  ),
  row(
    '7',
    '422 is returned for an invalid email',
    rest('PUT /customers', { ...CUSTOMER, email: 'none' }),
    {
      status: 422,
    },
  ),
  row(
    '7',
    '501 is returned for a search that the provider does not support',
    rest('POST /contacts/_search', BY_EMAIL, { headers: { 'x-provider-name': 'zendesk_sell' } }),
    { status: 501 },
  ),
];

function listed(path: string, method: string, status: number, is = true): { body: Expected } {
  return {
    body: ({ paths }: { paths: never }) =>
      (paths[path]?.[method]?.['responses']?.[status] !== undefined) === is,
  };
}

function titled(status: number): Expected {
  return ({ components }: { components: { responses: Record<string, { content: Content }> } }) =>
    Object.values(components.responses).some(({ content }) => {
      const [error] = content['application/json'].example.errors;
      // 499 covers several codes: each has a title of its own.
      return error?.status === String(status) && (status === 499 || error.title === LABELS[status]);
    });
}

function nest(path: string, expected: Expected): object {
  return path
    .split('.')
    .reduceRight((inner: Expected, name) => ({ [name]: inner }), expected) as object;
}

interface Content {
  readonly 'application/json': {
    readonly example: {
      readonly errors: readonly { readonly status: string; readonly title: string }[];
    };
  };
}
