import { fault, graphql, type Row, refused, rest, row } from '../row.ts';

const FILTER = { filter: { email: 'ada@example.com' } };
const put = (customer_id: string, ...connections: object[]) =>
  rest('PUT /customers', { customer_id, name: 'U', email: 'u@example.com', connections });
const bare = (customer_id: string) =>
  rest('PUT /customers', { customer_id, name: 'U', email: 'u@example.com' });
const statusOf = (id: string) =>
  graphql(`{ customer(customerId: "${id}") { connections { status } } }`);
const search = (id: string, provider: string) =>
  rest('POST /contacts/_search', FILTER, {
    headers: { 'x-customer-id': id, 'x-provider-name': provider },
  });
const hubspot = (value: string) => ({
  provider_name: 'hubspot',
  instance_url: '{hubspot}',
  credentials: { type: 'token', value },
});
const salesforce = (access_token: string, refresh_token?: string) => ({
  provider_name: 'salesforce',
  instance_url: '{salesforce}',
  credentials: { type: 'oauth2', access_token, refresh_token },
});
const TIMES = ['5', '0', 'March 7', '12/31/2027', '2027-02-30T00:00:00Z'];

export const UPSERT_ROWS: readonly Row[] = [
  row(
    '§9',
    'created says whether the customer is new',
    [
      graphql(
        'mutation { upsertCustomer(input: { customerId: "new", name: "N", email: "n@example.com" }) { created } }',
      ),
    ],
    {
      body: { data: { upsertCustomer: { created: true } } },
    },
  ),
  row(
    '§9',
    'An upsert without connections keeps them',
    [put('stay', { provider_name: 'slack' }), bare('stay')],
    {
      body: { connections: [{ provider_name: 'slack' }] },
    },
  ),
  row(
    '§9',
    'An upsert keeps connections that it does not list',
    [put('stay2', { provider_name: 'slack' }), put('stay2', { provider_name: 'linear' })],
    { body: { connections: [{}, {}] } },
  ),
  row(
    '§9',
    'An absent field of a connection is unchanged',
    [
      put('url', { provider_name: 'slack', instance_url: 'https://a.slack.com' }),
      put('url', { provider_name: 'slack' }),
    ],
    {
      body: { connections: [{ instance_url: 'https://a.slack.com' }] },
    },
  ),
  row(
    '§9',
    'A null field of a connection is cleared',
    [
      put('url2', { provider_name: 'slack', instance_url: 'https://a.slack.com' }),
      put('url2', { provider_name: 'slack', instance_url: null }),
    ],
    {
      body: { connections: [{ instance_url: undefined }] },
    },
  ),
  row(
    '§9',
    'An upsert with one invalid connection stores nothing',
    [
      put(
        'half',
        { provider_name: 'slack' },
        { provider_name: 'salesforce', instance_url: 'https://evil.example' },
      ),
      rest('GET /customers/half'),
    ],
    refused(404),
  ),
  row('§9', 'No response contains credentials', put('secret', hubspot('pat-secret-of-row')), {
    status: 200,
    body: (body) => !JSON.stringify(body).includes('pat-secret'),
  }),
  row(
    '§9',
    'provider_id is the same for all customers',
    [
      put('p1', { provider_name: 'slack' }),
      put('p2', { provider_name: 'slack' }),
      graphql(
        '{ a: customer(customerId: "p1") { connections { providerId } } b: customer(customerId: "p2") { connections { providerId } } }',
      ),
    ],
    {
      body: ({ data }) => data.a.connections[0].providerId === data.b.connections[0].providerId,
    },
  ),
  ...TIMES.map((expires_at) =>
    row(
      '§9',
      `REST: expires_at ${JSON.stringify(expires_at)} is not RFC 3339 and is rejected`,
      put('time', {
        provider_name: 'slack',
        credentials: { type: 'oauth2', access_token: 'an-access-token', expires_at },
      }),
      refused(422),
    ),
  ),
  row(
    '§11',
    'unauthorized: a connection without credentials',
    [put('bare', { provider_name: 'hubspot' }), statusOf('bare')],
    status('UNAUTHORIZED'),
  ),
  row(
    '§11',
    'A search without credentials has an error of Crossbook, not of the provider',
    [put('bare2', { provider_name: 'hubspot' }), search('bare2', 'hubspot')],
    refused(499, 'REMOTE_PROVIDER_UNAUTHORIZED', {
      meta: { origin: 'crossbook', cause: undefined },
    }),
  ),
  row(
    '§11',
    'connected: credentials that the provider has not rejected',
    [put('ok', hubspot('{hubspot token}')), statusOf('ok')],
    status('CONNECTED'),
  ),
  row(
    '§11',
    'reauthorize: a static token that HubSpot rejects permanently',
    [put('wrong', hubspot('pat-wrong')), search('wrong', 'hubspot'), statusOf('wrong')],
    status('REAUTHORIZE'),
  ),
  row(
    '§11',
    'reauthorize: a Salesforce token without a refresh token, rejected permanently',
    [
      put('wrong2', salesforce('00Dwrong-token')),
      search('wrong2', 'salesforce'),
      statusOf('wrong2'),
    ],
    status('REAUTHORIZE'),
  ),
  row(
    '§11',
    'reauthorize: the provider is not called, and the error has the origin crossbook',
    [put('wrong3', hubspot('pat-wrong')), search('wrong3', 'hubspot'), search('wrong3', 'hubspot')],
    {
      ...refused(499, 'REMOTE_PROVIDER_UNAUTHORIZED', { meta: { origin: 'crossbook' } }),
      calls: { hubspot: 0 },
    },
  ),
  row(
    '§11',
    'New credentials make the connection connected immediately',
    [
      put('again', hubspot('pat-wrong')),
      search('again', 'hubspot'),
      put('again', hubspot('{hubspot token}')),
      search('again', 'hubspot'),
    ],
    {
      status: 200,
      body: { records: [{ first_name: 'Ada' }] },
    },
  ),
  row(
    '§11',
    'A 403 of the provider does not change the status',
    [
      put('pass', hubspot('{hubspot token}')),
      fault('hubspot', 'missing-scopes'),
      search('pass', 'hubspot'),
      statusOf('pass'),
    ],
    status('CONNECTED'),
  ),
  ...[
    'ip-restricted',
    'login-hours',
    'refresh-in-progress',
    'app-blocked',
    'app-not-installed',
    'app-not-approved',
    'approval-error',
  ].map((name) =>
    row(
      '§11',
      `A refusal that a new consent would not settle does not change the status: ${name} of Salesforce`,
      [
        put(name, salesforce('00Dold-access-token', '{salesforce refresh token}')),
        fault('salesforce', name, { operation: 'oauth.token' }),
        search(name, 'salesforce'),
        statusOf(name),
      ],
      status('CONNECTED'),
    ),
  ),
  row(
    '§11',
    'A refresh token that Salesforce rejects makes the connection reauthorize',
    [
      put('ended', salesforce('00Dold-access-token', '{salesforce refresh token}')),
      fault('salesforce', 'refresh-refused', { operation: 'oauth.token' }),
      search('ended', 'salesforce'),
      statusOf('ended'),
    ],
    status('REAUTHORIZE'),
  ),
];

function status(expected: string) {
  return { body: { data: { customer: { connections: [{ status: expected }] } } } };
}
