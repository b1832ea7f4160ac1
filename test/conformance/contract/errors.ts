import {
  type Expectation,
  failed,
  fault,
  graphql,
  type Row,
  refused,
  rest,
  row,
  type Step,
} from '../row.ts';

const FILTER = { filter: { email: 'ada@example.com' } };
const SEARCH = rest('POST /contacts/_search', FILTER);
const BY_DOMAIN = rest('POST /contacts/_search?page_size=2', {
  filter: { email_domain: 'bigco.example' },
});
const FIELD = graphql('{ searchContacts(filter: { email: "ada@example.com" }) { totalCount } }');
const PAGE = graphql(
  '{ searchContacts(filter: { emailDomain: "bigco.example" }, first: 2) { totalCount nodes { remoteId } } }',
);
const answer = (status: number, body: unknown = {}) =>
  fault('hubspot', { kind: 'answer', status, body }, { times: 20 });
const KEYS = ['id', 'code', 'problem_type', 'status', 'title', 'detail', 'meta'].sort().join();

const PROVIDER: readonly (readonly [string, number, unknown, string])[] = [
  ['401', 401, {}, 'UNAUTHORIZED'],
  ['403', 403, {}, 'FORBIDDEN'],
  ['404', 404, '<h1>gone</h1>', 'ERROR'],
  ['409', 409, {}, 'ERROR'],
  ['a redirect', 302, '', 'BAD_RESPONSE'],
  ['200 without JSON', 200, '<h1>hello</h1>', 'BAD_RESPONSE'],
];

export const ERROR_ROWS: readonly Row[] = [
  ...PROVIDER.flatMap(([what, status, body, code]) => [
    row(
      '§5',
      `REST: ${what} of the provider is 499 REMOTE_PROVIDER_${code}`,
      [answer(status, body), SEARCH],
      refused(499, `REMOTE_PROVIDER_${code}`, { meta: { cause: { code: status } } }),
    ),
    row(
      '§5',
      `GraphQL: ${what} of the provider is REMOTE_PROVIDER_${code}`,
      [answer(status, body), FIELD],
      failed(`REMOTE_PROVIDER_${code}`),
    ),
  ]),
  row('§5', 'problem_type equals code', failingSearch(), {
    body: ({ errors }) => errors[0].problem_type === errors[0].code,
  }),
  row('§5', 'GraphQL: message is the detail', failingField(), {
    body: ({ errors }) => errors[0].message === errors[0].extensions.detail,
  }),
  row(
    '§5',
    'GraphQL: the extensions are the error object of REST, and nothing else',
    failingField(),
    {
      body: ({ errors }) => Object.keys(errors[0].extensions).sort().join() === KEYS,
    },
  ),
  row('§5', 'GraphQL: a syntax error has the same error object', graphql('{'), {
    body: ({ errors }) => Object.keys(errors[0].extensions).sort().join() === KEYS,
  }),
  row('§5', 'GraphQL: an unknown field has the same error object', graphql('{ nothing }'), {
    body: ({ errors }) => Object.keys(errors[0].extensions).sort().join() === KEYS,
  }),
  row(
    '§5',
    'GraphQL: a variable of another type has the same error object',
    graphql(
      'query ($n: Int) { searchContacts(first: $n, filter: { email: "a" }) { totalCount } }',
      {
        variables: { n: 'x' },
      },
    ),
    {
      body: ({ errors }) => Object.keys(errors[0].extensions).sort().join() === KEYS,
    },
  ),
  row('§5', 'meta.retryable says whether a retry may succeed', failingSearch(), {
    body: { errors: [{ meta: { retryable: false } }] },
  }),
  row(
    '§5',
    'meta.application_name is absent for unauthenticated requests',
    rest('POST /contacts/_search', FILTER, { as: 'nobody' }),
    { body: { errors: [{ meta: { application_name: undefined } }] } },
  ),
  row(
    '§5',
    'Cookie headers are removed from the cause',
    failingSearch({ 'set-cookie': '__cf_bm=1' }),
    cause({ 'set-cookie': undefined }),
  ),
  row(
    '§5',
    'All other headers of the cause are kept',
    failingSearch({ 'x-evil': 'yes', via: '1.1 edge' }),
    cause({ 'x-evil': 'yes', via: '1.1 edge' }),
  ),
  row(
    '§5',
    'A body in the cause is truncated to 16 KiB, and marked as truncated',
    [answer(400, { message: 'a'.repeat(40_000) }), SEARCH],
    {
      body: ({ errors }) => {
        const text = JSON.stringify(errors[0].meta.cause.body);
        return text.includes('cut') && text.length < 17_000;
      },
    },
  ),
  row(
    '§5',
    'The connection’s token is removed from the cause',
    [answer(400, { message: 'no pat-na1-' }), SEARCH],
    {
      status: 499,
    },
  ),
  row(
    '§5',
    'An invalid 200 response of a provider has a cause too',
    [answer(200, 'no JSON'), SEARCH],
    {
      body: { errors: [{ meta: { cause: { code: 200 } } }] },
    },
  ),
  row(
    '§5',
    'One failure at several paths has one id, and its cause at the first path only',
    [
      answer(400, { message: 'no' }),
      graphql(
        '{ a: searchContacts(filter: { email: "ada@example.com" }) { totalCount } b: searchContacts(filter: { email: "ada@example.com" }) { totalCount } }',
      ),
    ],
    {
      body: ({ errors }) =>
        errors.length === 2 &&
        errors[0].extensions.id === errors[1].extensions.id &&
        errors[0].extensions.meta.cause &&
        !errors[1].extensions.meta.cause,
    },
  ),
  row(
    '§5',
    '404: the customer has no connection to the provider',
    rest('POST /contacts/_search', FILTER, { headers: { 'x-customer-id': 'put' } }),
    refused(404),
  ),
  row(
    '§5',
    '409: If-Match is not the stored version',
    rest(
      'PUT /customers',
      { customer_id: 'demo', name: 'D', email: 'd@example.com' },
      { headers: { 'if-match': '"999"' } },
    ),
    refused(409, 'CONFLICT'),
  ),
  row(
    '§5',
    '409: GraphQL’s expectedVersion is not the stored version',
    graphql(
      'mutation { upsertCustomer(input: { customerId: "demo", name: "D", email: "d@example.com", expectedVersion: 999 }) { created } }',
    ),
    failed('CONFLICT'),
  ),
  row(
    '§5',
    '404: an unknown hash, 200 in plain JSON',
    rest('POST /graphql', {
      extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } },
    }),
    {
      status: 200,
      ...failed('PERSISTED_QUERY_NOT_FOUND'),
    },
  ),
  row('§5', '405: GraphQL by PUT', rest('PUT /graphql', {}), {
    status: 405,
    ...failed('METHOD_NOT_ALLOWED'),
  }),
  row(
    '§5',
    '406: a media type that is not supported',
    rest('POST /graphql', { query: '{ __typename }' }, { headers: { accept: 'text/html' } }),
    { status: 406, ...failed('NOT_ACCEPTABLE') },
  ),
  row(
    '§5',
    '413: a body that is too large',
    rest('PUT /customers', 'x'.repeat(1_100_000)),
    refused(413, 'PAYLOAD_TOO_LARGE'),
  ),
  row(
    '§5',
    '422: an invalid email',
    rest('PUT /customers', { customer_id: 'x', name: 'X', email: 'x' }),
    refused(422, 'UNPROCESSABLE_ENTITY'),
  ),
  row(
    '§5',
    '422: an instance URL outside the provider’s hosts',
    rest('PUT /customers', {
      customer_id: 'x',
      name: 'X',
      email: 'x@example.com',
      connections: [{ provider_name: 'salesforce', instance_url: 'https://evil.example' }],
    }),
    refused(422),
  ),
  row(
    '§5',
    '422: an instance URL on which Salesforce no longer supports API calls, with what to enter',
    rest('PUT /customers', {
      customer_id: 'x',
      name: 'X',
      email: 'x@example.com',
      connections: [{ provider_name: 'salesforce', instance_url: 'https://na139.salesforce.com' }],
    }),
    refused(422, 'UNPROCESSABLE_ENTITY', { detail: /na139\.salesforce\.com.*My Domain/ }),
  ),
  row(
    '§6',
    'GraphQL: where only the count fails, the page is still returned',
    [fault('hubspot', 'missing-scopes', { after: 1, operation: 'contacts.search' }), PAGE],
    {
      body: {
        data: { searchContacts: { totalCount: null, nodes: [{}, {}] } },
        errors: [{ path: ['searchContacts', 'totalCount'] }],
      },
    },
  ),
  row(
    '§6',
    'REST: where the count fails, the response is the error',
    [fault('hubspot', 'missing-scopes', { after: 1, operation: 'contacts.search' }), BY_DOMAIN],
    refused(499),
  ),
];

function failingSearch(headers: Record<string, string> = {}): readonly Step[] {
  return [
    fault('hubspot', { kind: 'answer', status: 400, body: { message: 'no' }, headers }),
    SEARCH,
  ];
}

function failingField(): readonly Step[] {
  return [fault('hubspot', { kind: 'answer', status: 400, body: { message: 'no' } }), FIELD];
}

function cause(headers: object): Expectation {
  return { body: { errors: [{ meta: { cause: { headers } } }] } };
}
