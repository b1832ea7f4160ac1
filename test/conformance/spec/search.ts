import { fault, graphql, type Row, refused, rest, row } from '../row.ts';

const FILTER = { filter: { email: 'ada@example.com' } };
const SEARCH = 'POST /contacts/_search';
const ADA = rest(SEARCH, FILTER);
const DOMAIN = { filter: { email_domain: 'bigco.example' } };
const PAGE = rest(`${SEARCH}?page_size=2`, DOMAIN);
const OPENAPI = rest('GET /openapi.json');
const LINKS = 'associations_to_fetch=company&associations_to_fetch=deal';

export const SEARCH_ROWS: readonly Row[] = [
  row('1', 'HubSpot can be searched by email', ADA, {
    status: 200,
    body: { records: [{ first_name: 'Ada' }] },
  }),
  row(
    '1',
    'Salesforce can be searched by email',
    rest(SEARCH, FILTER, { headers: { 'x-provider-name': 'salesforce' } }),
    {
      status: 200,
      body: { records: [{ first_name: 'Ada' }] },
    },
  ),
  row(
    '1',
    'REST: a search of any other CRM is 501',
    rest(SEARCH, FILTER, { headers: { 'x-provider-name': 'zendesk_sell' } }),
    refused(501, 'NOT_IMPLEMENTED'),
  ),
  row(
    '1',
    'GraphQL: a search of any other CRM is 501',
    graphql(
      '{ searchContacts(provider: ZENDESK_SELL, filter: { email: "a@b.example" }) { totalCount } }',
    ),
    {
      body: {
        data: { searchContacts: null },
        errors: [{ extensions: { code: 'NOT_IMPLEMENTED', status: '501' } }],
      },
    },
  ),
  row('1', 'GraphQL: providers lists every provider', graphql('{ providers { name } }'), {
    body: ({ data }) => data.providers.length === 18,
  }),
  row(
    '1',
    'Provider names are in lower case',
    rest(SEARCH, FILTER, { headers: { 'x-provider-name': 'HubSpot' } }),
    refused(400),
  ),
  row('1', 'Responses are JSON', ADA, { headers: { 'content-type': /^application\/json/ } }),
  row('4.1', 'The search is POST /contacts/_search', ADA, { status: 200 }),
  row(
    '4.1',
    'The search with another method is 405',
    rest('GET /contacts/_search'),
    refused(405, 'METHOD_NOT_ALLOWED'),
  ),
  row(
    '4.1',
    'The customer is named by a header',
    rest(SEARCH, FILTER, { headers: { 'x-customer-id': 'nobody' } }),
    refused(404, 'NOT_FOUND'),
  ),
  row(
    '4.1',
    'A search without the customer header is 400',
    rest(SEARCH, FILTER, { headers: { 'x-customer-id': undefined } }),
    refused(400),
  ),
  row(
    '4.1',
    'A search without the provider header is 400',
    rest(SEARCH, FILTER, { headers: { 'x-provider-name': undefined } }),
    refused(400),
  ),
  row(
    '4.1',
    'A search with an unknown provider is 400',
    rest(SEARCH, FILTER, { headers: { 'x-provider-name': 'acme' } }),
    refused(400),
  ),
  row(
    '4.1',
    'include_raw_data=true adds the provider’s own record',
    rest(`${SEARCH}?include_raw_data=true`, FILTER),
    {
      body: { records: [{ raw_data: { properties: {} } }] },
    },
  ),
  row(
    '4.1',
    'include_raw_data=false adds nothing',
    rest(`${SEARCH}?include_raw_data=false`, FILTER),
    {
      body: { records: [{ raw_data: undefined }] },
    },
  ),
  row('4.1', 'page_size limits a page', PAGE, { body: { records: [{}, {}] } }),
  row('4.1', 'page_size can be 1000', rest(`${SEARCH}?page_size=1000`, FILTER), { status: 200 }),
  row('8', 'page_size above 1000 is 400', rest(`${SEARCH}?page_size=1001`, FILTER), refused(400)),
  row(
    '8',
    'GraphQL: a page of more than 1000 is 400',
    graphql('{ searchContacts(first: 1001, filter: { email: "a@b.example" }) { totalCount } }'),
    {
      body: { errors: [{ extensions: { code: 'BAD_REQUEST' } }] },
    },
  ),
  row('4.1', 'page_size must be an integer', rest(`${SEARCH}?page_size=1.5`, FILTER), refused(400)),
  row(
    '4.1',
    'pagination.next leads to the next page, and its previous back',
    [
      PAGE,
      ([page]) => rest(`${SEARCH}?page_size=2&cursor=${page?.body.pagination.next}`, DOMAIN),
      ([, second]) =>
        rest(`${SEARCH}?page_size=2&cursor=${second?.body.pagination.previous}`, DOMAIN),
    ],
    { status: 200, body: { records: [{}, {}], pagination: { previous: null } } },
  ),
  row('4.1', 'An invalid cursor is 400', rest(`${SEARCH}?cursor=nonsense`, FILTER), refused(400)),
  row('4.1', 'HubSpot: associations are included', rest(`${SEARCH}?${LINKS}`, FILTER), {
    body: {
      records: [
        {
          associations: {
            company: (ids: string[]) => ids.length > 0,
            deal: (ids: string[]) => ids.length > 0,
          },
        },
      ],
    },
  }),
  row(
    '4.1',
    'associations_to_fetch can be separated by commas',
    rest(`${SEARCH}?associations_to_fetch=company,ticket`, FILTER),
    {
      body: {
        records: [
          { associations: { company: Array.isArray, ticket: Array.isArray, deal: undefined } },
        ],
      },
    },
  ),
  row(
    '4.1',
    'Salesforce: associations are empty',
    rest(`${SEARCH}?${LINKS}`, FILTER, { headers: { 'x-provider-name': 'salesforce' } }),
    {
      body: { records: [{ associations: { company: [], deal: [] } }] },
    },
  ),
  row(
    '4.1',
    'Associations are not fetched with read_from_cache',
    rest(`${SEARCH}?${LINKS}&read_from_cache=true`, FILTER),
    {
      body: { records: [{ associations: undefined }] },
    },
  ),
  row(
    '4.1',
    'An unknown association is 400',
    rest(`${SEARCH}?associations_to_fetch=house`, FILTER),
    refused(400),
  ),
  row(
    '4.1',
    'read_from_cache is true or false',
    rest(`${SEARCH}?read_from_cache=maybe`, FILTER),
    refused(400),
  ),
  row(
    '4.1',
    'read_from_cache returns an earlier response',
    [rest(`${SEARCH}?read_from_cache=true`, FILTER)],
    {
      status: 200,
    },
  ),
  row('4.1', 'A search without a body is rejected', rest(SEARCH), { status: /^4(00|15)$/ }),
  row('4.1', 'A search without a filter is 400', rest(SEARCH, {}), refused(400)),
  row(
    '4.1',
    'A filter must be an object',
    rest(SEARCH, { filter: 'ada@example.com' }),
    refused(400),
  ),
  row('4.1', 'filter.email must be a string', rest(SEARCH, { filter: { email: 7 } }), refused(400)),
  row(
    '4.1',
    'A search without a match returns an empty page',
    rest(SEARCH, { filter: { email: 'nobody@nowhere.example' } }),
    {
      status: 200,
      body: { records: [], pagination: { next: null, previous: null, total_count: 0 } },
    },
  ),
  row('4.1', 'pagination and records are required in the schema', OPENAPI, {
    body: { components: { schemas: { ContactPage: { required: ['pagination', 'records'] } } } },
  }),
  row('4.1', 'The lists of a contact are required in the schema', OPENAPI, {
    body: ({ components }) =>
      ['addresses', 'email_addresses', 'phone_numbers'].every((name) =>
        components.schemas.Contact.required.includes(name),
      ),
  }),
  row(
    '4.2',
    'The upsert is PUT /customers',
    rest('PUT /customers', { customer_id: 'put', name: 'P', email: 'p@example.com' }),
    {
      status: 200,
      body: { customer_id: 'put', connections: [] },
    },
  ),
  row(
    '4.2',
    'An upsert of an existing customer updates it',
    [
      rest('PUT /customers', { customer_id: 'put', name: 'P', email: 'p@example.com' }),
      rest('PUT /customers', { customer_id: 'put', name: 'Q', email: 'q@example.com' }),
    ],
    { status: 200, body: { name: 'Q', email: 'q@example.com' } },
  ),
  row(
    '4.2',
    'GraphQL: upsertCustomer does the same as REST',
    graphql(
      'mutation { upsertCustomer(input: { customerId: "gql", name: "G", email: "g@example.com" }) { customer { customerId name email } } }',
    ),
    {
      body: {
        data: {
          upsertCustomer: { customer: { customerId: 'gql', name: 'G', email: 'g@example.com' } },
        },
      },
    },
  ),
  row('4.2', 'An upsert without a body is 400', rest('PUT /customers', {}), refused(400)),
  row('5', 'The headers for customer and provider are sufficient beside the credentials', ADA, {
    status: 200,
  }),
  row(
    '7',
    'A provider that fails is 499',
    [fault('hubspot', { kind: 'answer', status: 400, body: {} }), rest(SEARCH, FILTER)],
    refused(499),
  ),
];
