import { type Row, rest, row } from '../row.ts';

const GRAPHQL = 'application/graphql-response+json';
const ACCEPTS = { headers: { accept: GRAPHQL } };
const UP = 'up: searchContacts(filter: { email: "ada@example.com" }) { totalCount }';
const DOWN =
  'down: searchContacts(provider: ZENDESK_SELL, filter: { email: "ada@example.com" }) { totalCount }';
const PARTIAL = { query: `{ ${UP} ${DOWN} }` };
const NAMED = 'query null { one: __typename } query two { two: __typename }';
const MUTATION = 'mutation { issueCustomerToken(input: { customerId: "demo" }) { token } }';

function get(parameters: Readonly<Record<string, string>>) {
  return rest(`GET /graphql?${new URLSearchParams(parameters)}`, undefined, ACCEPTS);
}

function post(body: unknown, headers: Readonly<Record<string, string>> = ACCEPTS.headers) {
  return rest('POST /graphql', body, { headers });
}

/**
 * The release of September 2026. It recommends 422 for what is well-formed JSON but no valid request: docs/api.md says why it
 * is 400 here.
 */
export const OVER_HTTP_ROWS: readonly Row[] = [
  row('§3', 'GraphQL over HTTP: data without errors is 200', post({ query: '{ __typename }' }), {
    status: 200,
    headers: { 'content-type': `${GRAPHQL}; charset=utf-8` },
    body: { data: { __typename: 'Query' } },
  }),
  row('§3', 'GraphQL over HTTP: data with errors is 294 (Partial Success)', post(PARTIAL), {
    status: 294,
    body: { data: { up: { totalCount: 1 }, down: null }, errors: [{ path: ['down'] }] },
  }),
  row(
    '§3',
    'GraphQL over HTTP: a client that accepts plain JSON only gets data with errors as 200',
    post(PARTIAL, { accept: 'application/json' }),
    { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } },
  ),
  row(
    '§3',
    'GraphQL over HTTP: the media type that the client prefers is used',
    post({ query: '{ __typename }' }, { accept: `application/json;q=0.9, ${GRAPHQL}` }),
    { headers: { 'content-type': /^application\/graphql-response\+json/ } },
  ),
  row(
    '§3',
    'GraphQL over HTTP: 406 where no supported media type is accepted',
    post({ query: '{ __typename }' }, { accept: 'text/csv' }),
    { status: 406 },
  ),
  row(
    '§3',
    'GraphQL over HTTP: 415 for a body that is not JSON',
    post({ query: '{ __typename }' }, { accept: GRAPHQL, 'content-type': 'text/plain' }),
    { status: 415, body: { data: undefined } },
  ),
  row('§3', 'GraphQL over HTTP: 405 with Allow for another method', rest('PUT /graphql', {}), {
    status: 405,
    headers: { allow: 'GET, POST' },
  }),
  row('§3', 'GraphQL over HTTP: 405 with Allow for a mutation by GET', get({ query: MUTATION }), {
    status: 405,
    headers: { allow: /POST/ },
    body: { data: undefined },
  }),
  row('§3', 'GraphQL over HTTP: 400 for JSON that cannot be parsed', post('{"query":'), {
    status: 400,
    body: { data: undefined },
  }),
  row('§3', 'GraphQL over HTTP: 400 for a document that cannot be parsed', post({ query: '{' }), {
    status: 400,
    body: { data: undefined },
  }),
  ...[
    ['a document that is not valid', { query: '{ nothing }' }],
    ['an operation that cannot be determined', { query: NAMED }],
    [
      'variables that do not fit',
      {
        query:
          'query ($n: Int!) { a: searchContacts(filter: { email: "a@b.example" }, first: $n) { totalCount } }',
        variables: { n: 'x' },
      },
    ],
    ['a request without a document', { qeury: '{ __typename }' }],
    ['variables that are no object', { query: '{ __typename }', variables: [7] }],
  ].map(([what, body]) =>
    row('§3', `GraphQL over HTTP: 400 for ${what}`, post(body), {
      status: 400,
      body: { data: undefined, errors: [{ extensions: { code: 'BAD_REQUEST' } }] },
    }),
  ),
  row(
    '§3',
    'GraphQL over HTTP: unknown properties and parameters are ignored',
    post({ query: '{ __typename }', documentation: 'none', id: 7 }),
    { status: 200 },
  ),
  row(
    '§3',
    'GraphQL over HTTP: unknown parameters of a GET are ignored, and empty ones count as omitted',
    get({ query: '{ __typename }', operationName: '', variables: '', extensions: '', more: '1' }),
    { status: 200 },
  ),
  row(
    '§3',
    'GraphQL over HTTP: null counts as omitted',
    post({ query: '{ __typename }', operationName: null, variables: null, extensions: null }),
    { status: 200 },
  ),
  row(
    '§3',
    'GraphQL over HTTP: operationName=null is the operation of that name',
    get({ query: NAMED, operationName: 'null' }),
    { status: 200, body: { data: { one: 'Query' } } },
  ),
];
