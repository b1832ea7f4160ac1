import { failed, graphql, type Row, refused, rest, row } from '../row.ts';

const put = (customer_id: string, ...connections: object[]) =>
  rest('PUT /customers', {
    customer_id,
    name: 'L',
    email: `${customer_id}@example.com`,
    connections,
  });
const remove = (id: string, more = '') =>
  graphql(
    `mutation { deleteCustomer(input: { customerId: "${id}"${more} }) { deletedCustomerId } }`,
  );
const disconnect = (id: string, provider: string) =>
  graphql(
    `mutation { disconnectProvider(input: { customerId: "${id}", provider: ${provider} }) { revocation customer { version connections { providerName } } } }`,
  );
const STATE = 'status statusReason statusChangedAt account { id } grantedScopes missingScopes';
const TOKEN = { provider_name: 'slack', credentials: { type: 'token', value: 'invented' } };

export const LIFECYCLE_ROWS: readonly Row[] = [
  row(
    '§13',
    'A connection says why it cannot be used, and what was found when it was connected',
    [
      put('state', { provider_name: 'slack' }),
      graphql(`{ customer(customerId: "state") { connections { ${STATE} } } }`),
    ],
    {
      body: {
        data: {
          customer: {
            connections: [
              {
                status: 'UNAUTHORIZED',
                statusReason: 'NO_CREDENTIALS',
                statusChangedAt: /^\d{4}-/,
                account: null,
                grantedScopes: [],
                missingScopes: [],
              },
            ],
          },
        },
      },
    },
  ),
  row(
    '§13',
    'One connection can be read',
    [put('one', TOKEN), rest('GET /customers/one/connections/slack')],
    {
      status: 200,
      body: { provider_name: 'slack', status: 'connected', status_reason: 'not_searchable' },
    },
  ),
  row(
    '§13',
    'An unknown connection is 404',
    rest('GET /customers/demo/connections/slack'),
    refused(404, 'NOT_FOUND'),
  ),
  row(
    '§13',
    'Customers can be filtered by email and connection status',
    [
      put('listed', TOKEN),
      graphql(
        '{ customers(filter: { email: "LISTED@example.com", status: CONNECTED }) { nodes { customerId } } }',
      ),
    ],
    { body: { data: { customers: { nodes: [{ customerId: 'listed' }] } } } },
  ),
  row(
    '§13',
    'Customers are listed page by page',
    [
      put('page'),
      rest('GET /customers?page_size=1'),
      ([, first]) => rest(`GET /customers?page_size=1&cursor=${first?.body.pagination.next}`),
    ],
    { status: 200, body: { pagination: { previous: /./ }, records: [{}] } },
  ),
  row(
    '§13',
    'GraphQL: a removed connection no longer exists, and the result says whether its grant was revoked',
    [put('off', TOKEN), disconnect('off', 'SLACK')],
    {
      body: {
        data: {
          disconnectProvider: {
            revocation: 'NOT_SUPPORTED',
            customer: { version: 2, connections: [] },
          },
        },
      },
    },
  ),
  row(
    '§13',
    'REST: a removed connection no longer exists, and the response says whether its grant was revoked',
    [put('off2', TOKEN), rest('DELETE /customers/off2/connections/slack')],
    { status: 200, body: { revocation: 'not_supported' } },
  ),
  row('§13', 'GraphQL: a customer is deleted', [put('end'), remove('end')], {
    body: { data: { deleteCustomer: { deletedCustomerId: /./ } } },
  }),
  row(
    '§13',
    'GraphQL: a customer is deleted with its expected version',
    [put('end2'), remove('end2', ', expectedVersion: 7')],
    failed('CONFLICT'),
  ),
  row('§13', 'REST: a customer is deleted', [put('end3'), rest('DELETE /customers/end3')], {
    status: 204,
    body: '',
  }),
  row(
    '§13',
    'REST: a customer is deleted with its version in If-Match',
    [put('end4'), rest('DELETE /customers/end4', undefined, { headers: { 'if-match': '"7"' } })],
    refused(409, 'CONFLICT'),
  ),
  row(
    '§13',
    'A deleted customer does not exist',
    [put('end5'), rest('DELETE /customers/end5'), rest('GET /customers/end5')],
    refused(404, 'NOT_FOUND'),
  ),
  row(
    '§13',
    'Another application cannot delete a customer',
    [put('kept'), rest('DELETE /customers/kept', undefined, { as: 'other' })],
    refused(404),
  ),
  ...['GET /customers', 'DELETE /customers/demo', 'DELETE /customers/demo/connections/hubspot'].map(
    (line) =>
      row(
        '§13',
        `${line} is 403 with a customer token`,
        rest(line, undefined, { as: 'token' }),
        refused(403, 'FORBIDDEN'),
      ),
  ),
];
