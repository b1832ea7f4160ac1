import { failed, graphql, type Row, refused, rest, row } from '../row.ts';

const LINKS = '/customers/demo/connect_links';
const ASKED = {
  providers: ['hubspot', 'salesforce'],
  return_url: 'http://localhost:3000/connected',
};
const MAPPING_LINKS = '/customers/demo/connections/hubspot/mapping_links';
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
    rest(`POST ${LINKS}`, { ...ASKED, providers: ['zendesk_sell'] }),
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
  row(
    '§14',
    'A link may let the customer match fields after consent',
    rest(`POST ${LINKS}`, { ...ASKED, map_fields: true }),
    { status: 201, body: { purpose: 'connect', status: 'pending' } },
  ),
  row(
    '§14',
    'A link to match the fields of an existing connection needs a custom field that customers may map',
    rest(`POST ${MAPPING_LINKS}`, { return_url: ASKED.return_url }),
    refused(422),
  ),
  row(
    '§14',
    'A link to match fields is created with 201, and is read like a connect link',
    [
      rest('PUT /custom_fields/contact', {
        definitions: [{ name: 'favoriteColor', type: 'text' }],
      }),
      rest(`POST ${MAPPING_LINKS}`, { return_url: ASKED.return_url }),
      (earlier) => rest(`GET ${LINKS}/${earlier[1]?.body.id}`),
    ],
    { status: 200, body: { purpose: 'map_fields', status: 'pending', provider_name: 'hubspot' } },
  ),
  row(
    '§14',
    'A customer token cannot create a link to match fields',
    rest(`POST ${MAPPING_LINKS}`, { return_url: ASKED.return_url }, { as: 'token' }),
    refused(403),
  ),
  row(
    '§13',
    'An application sets the name and the color that its customers see',
    [
      rest('PATCH /branding', { display_name: 'Acme', accent_color: '#0F766E' }),
      rest('GET /branding'),
    ],
    { status: 200, body: { display_name: 'Acme', accent_color: '#0f766e' } },
  ),
  row(
    '§13',
    'A color on which neither white nor dark text is readable is 422',
    rest('PATCH /branding', { accent_color: '#757a80' }),
    refused(422),
  ),
];
