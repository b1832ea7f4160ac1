import { failed, graphql, type Row, refused, rest, row } from '../row.ts';

const SEARCH = 'POST /contacts/_search?page_size=2';
const list = (filter: string, fields = 'totalCount nodes { firstName lastName }') =>
  graphql(`{ searchContacts(provider: HUBSPOT, filter: { ${filter} }, first: 2) { ${fields} } }`);
const LISTINGS = {
  all: true,
  name_prefix: 'ada',
  modified_since: '2020-01-01T00:00:00Z',
  custom_field: { name: 'x', equals: 'y' },
};

export const FILTER_ROWS: readonly Row[] = [
  row('§14', 'GraphQL: all lists all contacts', list('all: true'), {
    body: ({ data }) =>
      data.searchContacts.nodes.length === 2 && data.searchContacts.totalCount > 20_000,
  }),
  row('§14', 'REST: all lists all contacts', rest(SEARCH, { filter: { all: true } }), {
    status: 200,
    body: { records: [{}, {}], pagination: { next: /./ } },
  }),
  row('§14', 'all: false is 422', list('all: false'), failed('UNPROCESSABLE_ENTITY')),
  row('§14', 'A phone number finds its contact, without a count', list('phone: "+15550000"'), {
    body: ({ data }) => data.searchContacts.totalCount === null,
  }),
  row(
    '§14',
    'A name prefix finds words of the first and the last name',
    list('namePrefix: "ada"', 'nodes { firstName lastName }'),
    {
      body: ({ data }) =>
        data.searchContacts.nodes.length > 0 &&
        data.searchContacts.nodes.every((one: Named) =>
          /(?:^|\s)ada/i.test(`${one.firstName} ${one.lastName}`),
        ),
    },
  ),
  row(
    '§14',
    'A name prefix of one character is 422',
    list('namePrefix: "a"'),
    failed('UNPROCESSABLE_ENTITY'),
  ),
  row(
    '§14',
    'REST: a search by modified_since says up to which time',
    rest(SEARCH, { filter: { modified_since: '2020-01-01T00:00:00Z' } }),
    { status: 200, body: { pagination: { modified_until: /^\d{4}-.*Z$/ } } },
  ),
  row(
    '§14',
    'GraphQL: modifiedUntil is null for other filters',
    list('all: true', 'modifiedUntil'),
    { body: { data: { searchContacts: { modifiedUntil: null } } } },
  ),
  row(
    '§14',
    'A filter by a custom field that is not declared is 422',
    list('customField: { name: "nobody", equals: "x" }'),
    failed('UNPROCESSABLE_ENTITY'),
  ),
  row(
    '§14',
    'REST: a filter by a custom field that is not declared is 422',
    rest(SEARCH, { filter: { custom_field: { name: 'nobody', equals: 'x' } } }),
    refused(422),
  ),
  ...Object.entries(LISTINGS).map(([name, value]) =>
    row(
      '§14',
      `${name} with a customer token is 403`,
      rest(SEARCH, { filter: { [name]: value } }, { as: 'token' }),
      refused(403),
    ),
  ),
  row(
    '§14',
    'A customer token can be issued for listing',
    rest('POST /customers/demo/tokens', { can_list: true }),
    { status: 200, body: { token: /\./ } },
  ),
  row(
    '§14',
    'REST: raw_fields adds fields to raw_data',
    rest('POST /contacts/_search?raw_fields=jobtitle', { filter: { email: 'ada@example.com' } }),
    { status: 200, body: { records: [{ raw_data: { properties: { jobtitle: /./ } } }] } },
  ),
  row(
    '§14',
    'REST: a name of a raw field that no CRM has is 422',
    rest('POST /contacts/_search?raw_fields=a%27b', { filter: { email: 'ada@example.com' } }),
    refused(422),
  ),
];

interface Named {
  readonly firstName: string | null;
  readonly lastName: string | null;
}
