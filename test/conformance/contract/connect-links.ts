import { failed, graphql, type Row, refused, rest, row } from '../row.ts';

const LINKS = '/customers/demo/connect_links';
const ASKED = {
  providers: ['hubspot', 'salesforce'],
  return_url: 'http://localhost:3000/connected',
};
const CREATE = rest(`POST ${LINKS}`, ASKED);
const OF_EARLIER =
  (tail = '') =>
  (earlier: readonly { readonly body: { readonly id: string } }[]) =>
    `${LINKS}/${earlier[0]?.body.id}${tail}`;
const read = OF_EARLIER();
const confirm = OF_EARLIER('/_confirm');
const MUTATION =
  'mutation ($input: CreateConnectLinkInput!) { createConnectLink(input: $input) { url link { id status failure } } }';
const INPUT = { customerId: 'demo', providers: ['HUBSPOT'], returnUrl: ASKED.return_url };

/** The contract of connect links and their pages. */
export const CONNECT_LINK_ROWS: readonly Row[] = [
  row('§13', 'A connect link is created with 201, and its URL is shown only then', CREATE, {
    status: 201,
    body: { status: 'pending', customer_id: 'demo', url: /\/connect\/[\w.-]+$/ },
  }),
  row('§13', 'GraphQL creates the same link', graphql(MUTATION, { variables: { input: INPUT } }), {
    body: {
      data: {
        createConnectLink: {
          url: /\/connect\/[\w.-]+$/,
          link: { status: 'PENDING', failure: null },
        },
      },
    },
  }),
  row('§13', 'A link is valid for 15 minutes by default', CREATE, {
    body: ({ created_at, expires_at }) =>
      Math.round((Date.parse(expires_at) - Date.parse(created_at)) / 1_000) === 900,
  }),
  row(
    '§13',
    'A link is valid for a day at most',
    rest(`POST ${LINKS}`, { ...ASKED, expires_in_seconds: 86_401 }),
    refused(400),
  ),
  row(
    '§13',
    'A link is read without its URL',
    [CREATE, (earlier) => rest(`GET ${read(earlier)}`)],
    {
      status: 200,
      body: { status: 'pending', url: undefined },
    },
  ),
  row(
    '§13',
    'A customer token reads the status of its own link',
    [CREATE, (earlier) => rest(`GET ${read(earlier)}`, undefined, { as: 'token' })],
    {
      status: 200,
      body: { status: 'pending' },
    },
  ),
  row(
    '§13',
    'A customer token cannot create a link',
    rest(`POST ${LINKS}`, ASKED, { as: 'token' }),
    refused(403, 'FORBIDDEN'),
  ),
  row(
    '§13',
    'A customer token cannot cancel a link',
    [CREATE, (earlier) => rest(`DELETE ${read(earlier)}`, undefined, { as: 'token' })],
    refused(403, 'FORBIDDEN'),
  ),
  row(
    '§13',
    'Another application’s link does not exist',
    [CREATE, (earlier) => rest(`GET ${read(earlier)}`, undefined, { as: 'other' })],
    refused(404, 'NOT_FOUND'),
  ),
  row(
    '§13',
    'A link for an unknown customer is 404',
    rest('POST /customers/nobody/connect_links', ASKED),
    refused(404, 'NOT_FOUND'),
  ),
  row(
    '§13',
    'A return URL outside the application’s origins is 422',
    rest(`POST ${LINKS}`, { ...ASKED, return_url: 'https://evil.example/' }),
    refused(422, 'UNPROCESSABLE_ENTITY'),
  ),
  row(
    '§13',
    'A login URL outside the provider’s hosts is 422',
    rest(`POST ${LINKS}`, {
      ...ASKED,
      providers: ['salesforce'],
      login_url: 'https://evil.example',
    }),
    refused(422, 'UNPROCESSABLE_ENTITY'),
  ),
  row(
    '§13',
    'A link for a provider without OAuth is 501',
    rest(`POST ${LINKS}`, { ...ASKED, providers: ['pipedrive'] }),
    refused(501, 'NOT_IMPLEMENTED'),
  ),
  row(
    '§13',
    'A link is canceled with 204',
    [CREATE, (earlier) => rest(`DELETE ${read(earlier)}`)],
    {
      status: 204,
    },
  ),
  row(
    '§13',
    'Confirming a link that awaits no code is 409',
    [CREATE, (earlier) => rest(`POST ${confirm(earlier)}`, { code: 'x' })],
    refused(409, 'CONFLICT'),
  ),
  row(
    '§13',
    'GraphQL: confirming a link that awaits no code has the same error code',
    [
      CREATE,
      (earlier) =>
        graphql(
          'mutation ($input: ConfirmConnectLinkInput!) { confirmConnectLink(input: $input) { link { id } } }',
          {
            variables: { input: { id: earlier[0]?.body.id, code: 'x' } },
          },
        ),
    ],
    failed('CONFLICT'),
  ),
];
