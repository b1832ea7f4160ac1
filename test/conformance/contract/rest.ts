import { failed, fault, graphql, type Row, refused, rest, row } from '../row.ts';

const SEARCH = 'POST /contacts/_search';
const FILTER = { filter: { email: 'ada@example.com' } };
const OPENAPI = rest('GET /openapi.json', undefined, { as: 'nobody' });
const CUSTOMER = { customer_id: 'rest', name: 'R', email: 'r@example.com' };
const JSON_TYPE = 'application/json';
const BODIES: readonly (readonly [
  string,
  string | Uint8Array,
  Record<string, string>,
  status: number,
])[] = [
  ['a compressed body', Buffer.from('{}'), { 'content-encoding': 'gzip' }, 415],
  ['another media type', '{}', { 'content-type': 'text/plain' }, 415],
  ['another charset', '{}', { 'content-type': `${JSON_TYPE}; charset=latin1` }, 415],
  [
    'invalid UTF-8',
    Buffer.from('{"query":"{ __typename }","variables":{"a":"\xff"}}', 'latin1'),
    {},
    400,
  ],
  ['invalid JSON', '{', {}, 400],
  ['a key twice in one object', '{"query":"{ __typename }","query":"{ x: __typename }"}', {}, 400],
  ['half of a surrogate pair', '{"query":"{ __typename }","variables":{"a":"\\ud800"}}', {}, 400],
];

export const REST_ROWS: readonly Row[] = [
  row(
    '§4',
    'The filter emails finds several people',
    rest(SEARCH, { filter: { emails: ['ada@example.com', 'grace@example.com'] } }),
    { body: { pagination: { total_count: 2 } } },
  ),
  row(
    '§4',
    'The filter email_domain finds the contacts of a domain',
    rest(`${SEARCH}?page_size=1`, { filter: { email_domain: 'bigco.example' } }),
    { body: { records: [{}] } },
  ),
  row(
    '§4',
    'A filter with two fields is 400',
    rest(SEARCH, { filter: { email: 'a@b.example', emails: [] } }),
    refused(400),
  ),
  row(
    '§4',
    'Associations are attempted: where some fail, the contacts come with those that succeeded',
    [
      fault('hubspot', 'missing-scopes', { operation: 'associations.batchRead' }),
      rest(`${SEARCH}?associations_to_fetch=company,deal`, FILTER),
    ],
    {
      status: 200,
      body: ({ records, associations_errors: errors }) =>
        records[0].first_name === 'Ada' &&
        errors.length === 1 &&
        errors[0].status === '499' &&
        errors[0].meta.cause.code === 403 &&
        ['company', 'deal'].filter((name) => name !== errors[0].meta.association).join() ===
          Object.keys(records[0].associations).join(),
    },
  ),
  row(
    '§4',
    'Associations are attempted: where all fail, the contacts come without',
    [
      fault('hubspot', 'missing-scopes', { times: 2, operation: 'associations.batchRead' }),
      rest(`${SEARCH}?associations_to_fetch=company,deal`, FILTER),
    ],
    {
      status: 200,
      body: {
        records: [{ first_name: 'Ada', associations: { company: undefined, deal: undefined } }],
        associations_errors: [
          { status: '499', meta: { association: 'company', origin: 'remote-provider' } },
          { status: '499', meta: { association: 'deal', origin: 'remote-provider' } },
        ],
      },
    },
  ),
  row(
    '§4',
    'GraphQL: associations that fail are null, and their contact stays',
    [
      fault('hubspot', 'missing-scopes', { operation: 'associations.batchRead' }),
      graphql(
        '{ searchContacts(filter: { email: "ada@example.com" }) { nodes { firstName associations(to: [COMPANY]) { remoteId } } } }',
      ),
    ],
    {
      body: {
        data: { searchContacts: { nodes: [{ firstName: 'Ada', associations: null }] } },
        errors: [{ extensions: { status: '499' } }],
      },
    },
  ),
  row(
    '§4',
    'Enumerations are in lower case in responses, and accepted in upper case',
    rest('POST /customers/demo/connect_links', {
      providers: ['HUBSPOT'],
      return_url: 'http://localhost:4000/',
      mode: 'POPUP',
    }),
    { status: 201, body: { status: 'pending', providers: ['hubspot'] } },
  ),
  row('§4', 'Unknown body fields are 400', rest(SEARCH, { ...FILTER, more: 1 }), refused(400)),
  row(
    '§4',
    'Unknown fields of a filter are 400',
    rest(SEARCH, { filter: { emial: 'a@b.example' } }),
    refused(400),
  ),
  row('§4', 'Unknown query parameters are 400', rest(`${SEARCH}?pagesize=1`, FILTER), refused(400)),
  row(
    '§4',
    'Unknown fields of a customer are 400',
    rest('PUT /customers', { ...CUSTOMER, nickname: 'r' }),
    refused(400),
  ),
  row(
    '§4',
    'Unknown fields of a connection are 400',
    rest('PUT /customers', {
      ...CUSTOMER,
      connections: [{ provider_name: 'slack', colour: 'red' }],
    }),
    refused(400),
  ),
  row(
    '§4',
    'One response lists every validation error',
    rest(`${SEARCH}?page_size=0.5`, { filter: { a: 1, b: 2 } }),
    {
      body: {
        errors: [
          {
            detail: (detail: string) =>
              ['page_size', 'filter.a', 'filter.b'].every((name) => detail.includes(name)),
          },
        ],
      },
    },
  ),
  row(
    '§4',
    'Unset fields are omitted from a contact',
    rest(`${SEARCH}?page_size=100`, { filter: { email_domain: 'bigco.example' } }),
    {
      body: ({ records }) =>
        !JSON.stringify(records).replaceAll('"street_2":null', '').includes(':null'),
    },
  ),
  row(
    '§4',
    'Unset fields are omitted from a connection',
    rest('PUT /customers', { ...CUSTOMER, connections: [{ provider_name: 'slack' }] }),
    {
      body: (body) => !JSON.stringify(body).includes('null'),
    },
  ),
  row(
    '§4',
    'street_2 is null where it is unset',
    rest(SEARCH, { filter: { email: 'grace@example.com' } }),
    {
      body: ({ records }) => records[0].addresses.every((address: object) => 'street_2' in address),
    },
  ),
  row('§4', 'The OpenAPI document has version 3.1, and needs no key', OPENAPI, {
    status: 200,
    body: { openapi: /^3\.1/ },
  }),
  row('§4', 'The OpenAPI document allows null for street_2, next and previous only', OPENAPI, {
    body: ({ components }) =>
      [
        ...new Set(
          Object.entries(components.schemas)
            .filter(([name]) => !/Input|Upsert|Credentials/.test(name))
            .flatMap(([, schema]) => nullable(schema)),
        ),
      ]
        .sort()
        .join() === 'next,previous,street_2',
  }),
  row('§4', 'The OpenAPI document says where unknown fields are rejected', OPENAPI, {
    body: { components: { schemas: { ContactSearch: { additionalProperties: false } } } },
  }),
  row('§4', '/docs renders the OpenAPI document', rest('GET /docs', undefined, { as: 'nobody' }), {
    status: 200,
    headers: { 'content-type': /^text\/html/ },
  }),
  row('§4', 'A page contains the time when the provider was queried', rest(SEARCH, FILTER), {
    headers: { 'x-fetched-at': /^\d{4}-/ },
  }),
  row('§4', 'One customer can be read', rest('GET /customers/demo'), {
    status: 200,
    headers: { etag: /./ },
  }),
  row(
    '§4',
    'A conditional GET of an unchanged customer is 304',
    [
      rest('GET /customers/demo'),
      ([previous]) =>
        rest('GET /customers/demo', undefined, {
          headers: { 'if-none-match': previous?.headers['etag'] ?? '' },
        }),
    ],
    { status: 304 },
  ),
  row('§4', 'HEAD responds like GET', rest('HEAD /livez', undefined, { as: 'nobody' }), {
    status: 200,
    body: '',
  }),
  row('§4', 'An unknown path is 404', rest('GET /nothing'), { status: 404 }),
  ...BODIES.flatMap(([what, body, headers, status]) => {
    return [
      row(
        '§4',
        `REST: ${what} is ${status}`,
        rest('POST /customers/demo/tokens', body, { headers }),
        refused(status),
      ),
      row('§4', `GraphQL: ${what} is ${status}`, rest('POST /graphql', body, { headers }), {
        status,
        ...failed(status === 415 ? 'UNSUPPORTED_MEDIA_TYPE' : 'BAD_REQUEST'),
      }),
    ];
  }),
  row(
    '§4',
    'REST: a byte order mark is ignored',
    rest('POST /customers/demo/tokens', Buffer.from('\ufeff{}')),
    { status: 200 },
  ),
  row(
    '§4',
    'GraphQL: a byte order mark is ignored',
    rest('POST /graphql', Buffer.from('\ufeff{"query":"{ __typename }"}')),
    { status: 200 },
  ),
  row(
    '§4',
    'GraphQL: an invalid document is 400 in the GraphQL media type',
    graphql('{', { headers: { accept: 'application/graphql-response+json' } }),
    {
      status: 400,
      ...failed('BAD_REQUEST'),
    },
  ),
];

/** The nullable properties anywhere in a schema. */
function nullable(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {} } = schema as { properties?: Record<string, object> };
  const here = Object.entries(properties).flatMap(([name, property]) =>
    JSON.stringify(property).includes('"null"') ? [name] : [],
  );
  return here;
}
