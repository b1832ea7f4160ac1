import { failed, graphql, type Row, refused, rest, row } from '../row.ts';

const FILTER = { filter: { email: 'ada@example.com' } };
const SEARCH = 'POST /contacts/_search';
const FIELD = '{ searchContacts(filter: { email: "ada@example.com" }) { totalCount } }';
const GRAPHQL_TYPE = { accept: 'application/graphql-response+json' };

export const CALLER_ROWS: readonly Row[] = [
  row(
    '§1',
    'A customer has at most one connection to a provider',
    rest('PUT /customers', {
      customer_id: 'twice',
      name: 'T',
      email: 't@example.com',
      connections: [{ provider_name: 'slack' }, { provider_name: 'slack' }],
    }),
    refused(422),
  ),
  row('§2', 'A key authenticates its application', rest(SEARCH, FILTER), { status: 200 }),
  row(
    '§2',
    'REST: a request without a key or token is 401',
    rest(SEARCH, FILTER, { as: 'nobody' }),
    refused(401, 'UNAUTHORIZED'),
  ),
  row(
    '§2',
    'REST: a request with a wrong key is 401',
    rest(SEARCH, FILTER, { as: 'wrongKey' }),
    refused(401, 'UNAUTHORIZED'),
  ),
  row(
    '§2',
    'GraphQL: a request with a wrong key is 401',
    graphql(FIELD, { as: 'wrongKey', headers: GRAPHQL_TYPE }),
    {
      status: 401,
      ...failed('UNAUTHORIZED'),
    },
  ),
  row(
    '§2',
    'GraphQL: an unauthenticated request for data is 401 in the GraphQL media type',
    graphql(FIELD, { as: 'nobody', headers: GRAPHQL_TYPE }),
    {
      status: 401,
      ...failed('UNAUTHORIZED'),
    },
  ),
  row(
    '§2',
    'GraphQL: with only application/json accepted, the same errors come with 200',
    graphql(FIELD, { as: 'nobody', headers: { accept: 'application/json' } }),
    {
      status: 200,
      ...failed('UNAUTHORIZED'),
    },
  ),
  row(
    '§2',
    'Introspection needs no key',
    graphql('{ __schema { queryType { name } } }', { as: 'nobody' }),
    {
      status: 200,
      body: { data: { __schema: { queryType: { name: 'Query' } } } },
    },
  ),
  row('§2', '_service needs no key', graphql('{ _service { sdl } }', { as: 'nobody' }), {
    status: 200,
    body: { data: { _service: { sdl: /type Query/ } } },
  }),
  row(
    '§2',
    '_entities needs authentication',
    graphql('{ _entities(representations: []) { __typename } }', { as: 'nobody' }),
    failed('UNAUTHORIZED'),
  ),
  row(
    '§2',
    'node needs authentication',
    graphql('{ node(id: "x") { id } }', { as: 'nobody' }),
    failed('UNAUTHORIZED'),
  ),
  row(
    '§2',
    'providers needs authentication: only introspection does not',
    graphql('{ providers { name } }', { as: 'nobody' }),
    failed('UNAUTHORIZED'),
  ),
  row(
    '§2',
    'An unauthenticated batch is rejected',
    rest('POST /graphql', [{ query: '{ __typename }' }], { as: 'nobody' }),
    failed('UNAUTHORIZED'),
  ),
  row(
    '§2',
    'A customer token can read its customer',
    rest('GET /customers/demo', undefined, { as: 'token' }),
    {
      status: 200,
      body: { customer_id: 'demo' },
    },
  ),
  row(
    '§2',
    'A customer token can search its customer’s contacts',
    rest(SEARCH, FILTER, { as: 'token' }),
    {
      status: 200,
    },
  ),
  row(
    '§2',
    'GraphQL: a search with a customer token needs no customer id',
    graphql(FIELD, { as: 'token', headers: { 'x-customer-id': undefined } }),
    { body: { data: { searchContacts: { totalCount: 1 } } } },
  ),
  row(
    '§2',
    'A customer token cannot write',
    rest(
      'PUT /customers',
      { customer_id: 'demo', name: 'D', email: 'd@example.com' },
      { as: 'token' },
    ),
    refused(403, 'FORBIDDEN'),
  ),
  row(
    '§2',
    'A customer token cannot issue tokens',
    rest('POST /customers/demo/tokens', {}, { as: 'token' }),
    refused(403),
  ),
  row(
    '§2',
    'A customer token cannot read another customer',
    rest('GET /customers/full', undefined, { as: 'token' }),
    refused(403),
  ),
  row(
    '§2',
    'A customer of another application does not exist',
    rest('GET /customers/demo', undefined, { as: 'other' }),
    refused(404, 'NOT_FOUND'),
  ),
  row(
    '§2',
    'Contacts of another application do not exist',
    rest(SEARCH, FILTER, { as: 'other' }),
    refused(404),
  ),
  row('§2', 'A token can be issued without a body', rest('POST /customers/demo/tokens'), {
    status: 200,
  }),
  row(
    '§2',
    'A token is valid for a day at most',
    rest('POST /customers/demo/tokens', { expires_in_seconds: 86401 }),
    refused(400),
  ),
  row(
    '§2',
    'GraphQL: issueCustomerToken does the same as REST',
    graphql('mutation { issueCustomerToken(input: { customerId: "demo" }) { token expiresAt } }'),
    { body: { data: { issueCustomerToken: { token: /\./ } } } },
  ),
  row(
    '§2',
    'The customerId argument overrides the header',
    graphql(
      '{ searchContacts(customerId: "demo", provider: HUBSPOT, filter: { email: "ada@example.com" }) { totalCount } }',
      {
        headers: { 'x-customer-id': 'nobody', 'x-provider-name': 'slack' },
      },
    ),
    { body: { data: { searchContacts: { totalCount: 1 } } } },
  ),
  row(
    '§2',
    'GraphQL: a search without a customer id is 400',
    graphql(FIELD, { headers: { 'x-customer-id': undefined } }),
    failed('BAD_REQUEST'),
  ),
  row(
    '§2',
    'GraphQL: a search without a provider is 400',
    graphql(FIELD, { headers: { 'x-provider-name': undefined } }),
    failed('BAD_REQUEST'),
  ),
  row(
    '§2',
    'REST: a customer id beyond Latin-1 is sent as UTF-8 bytes',
    [
      rest('PUT /customers', {
        customer_id: '日本',
        name: 'J',
        email: 'j@example.com',
        connections: [{ provider_name: 'hubspot' }],
      }),
      rest(SEARCH, FILTER, {
        headers: {
          'x-customer-id': Buffer.from('日本').toString('latin1'),
          'x-provider-name': 'hubspot',
        },
      }),
    ],
    refused(499),
  ),
  ...[' padded ', '..', '.'].map((id) =>
    row(
      '§2',
      `A customer id that no request could contain is rejected: ${JSON.stringify(id)}`,
      rest('PUT /customers', { customer_id: id, name: 'N', email: 'n@example.com' }),
      refused(422),
    ),
  ),
];
