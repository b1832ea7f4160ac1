import { failed, graphql, type Row, refused, rest, row } from '../row.ts';

const BIG = { filter: { email_domain: 'bigco.example' } };
const PAGE = rest('POST /contacts/_search?page_size=2', BIG);
const next = (more: Parameters<typeof rest>[2] = {}, body: object = BIG) => [
  PAGE,
  ([page]: readonly { readonly body: Paged }[]) =>
    rest(`POST /contacts/_search?page_size=2&cursor=${page?.body.pagination.next}`, body, more),
];
const TWO_EMAILS = { filter: { emails: ['grace@example.com', 'ada@example.com'] } };
const TWO_EMAILS_AGAIN = {
  filter: { emails: [' ADA@example.com', 'Grace@Example.com ', 'ada@example.com'] },
};
const emails = (count: number) => Array.from({ length: count }, (_, n) => `p${n}@example.com`);
const find = (email: string) =>
  graphql(`{ searchContacts(filter: { email: "${email}" }) { totalCount } }`);

export const SEARCH_ROWS: readonly Row[] = [
  row('§6', 'The next page begins where the first ends', next(), {
    status: 200,
    body: { records: [{}, {}] },
  }),
  row(
    '§6',
    'A cursor with another filter is 400',
    next({}, { filter: { email_domain: 'example.com' } }),
    refused(400),
  ),
  row(
    '§6',
    'A cursor with another provider is 400',
    next({ headers: { 'x-provider-name': 'salesforce' } }),
    refused(400),
  ),
  row(
    '§6',
    'A tampered cursor is 400',
    [PAGE, ([page]) => rest(`POST /contacts/_search?cursor=${page?.body.pagination.next}x`, BIG)],
    refused(400),
  ),
  row(
    '§6',
    'A page can be larger than the provider’s own: 500 contacts of HubSpot',
    graphql(
      '{ searchContacts(filter: { emailDomain: "bigco.example" }, first: 500) { nodes { remoteId } } }',
    ),
    {
      body: ({ data }) =>
        new Set(data.searchContacts.nodes.map(({ remoteId }: { remoteId: string }) => remoteId))
          .size === 500,
    },
  ),
  row(
    '§6',
    'REST: an empty page (page_size=0) has the cursor of the next page, as hasNextPage says',
    rest('POST /contacts/_search?page_size=0', BIG),
    { status: 200, body: { records: [], pagination: { next: /./, previous: null } } },
  ),
  row(
    '§6',
    'REST: both cursors of an empty page lead on from the place where it is',
    [
      PAGE,
      ([page]) =>
        rest(`POST /contacts/_search?page_size=0&cursor=${page?.body.pagination.next}`, BIG),
      ([, empty]) =>
        rest(`POST /contacts/_search?page_size=2&cursor=${empty?.body.pagination.next}`, BIG),
      ([, , second]) =>
        rest(`POST /contacts/_search?page_size=0&cursor=${second?.body.pagination.previous}`, BIG),
      ([, , , empty]) =>
        rest(`POST /contacts/_search?page_size=2&cursor=${empty?.body.pagination.previous}`, BIG),
    ],
    { status: 200, body: { records: [{}, {}], pagination: { next: /./, previous: null } } },
  ),
  row(
    '§6',
    'A cursor is valid for the same emails in another order, case and spacing, also given twice',
    [
      rest('POST /contacts/_search?page_size=1', TWO_EMAILS),
      ([page]) =>
        rest(
          `POST /contacts/_search?page_size=1&cursor=${page?.body.pagination.next}`,
          TWO_EMAILS_AGAIN,
        ),
    ],
    { status: 200, body: { records: [{}], pagination: { next: null } } },
  ),
  row(
    '§8',
    'A cached result serves the same emails in another order, case and spacing',
    [
      rest('POST /contacts/_search', TWO_EMAILS),
      rest('POST /contacts/_search?read_from_cache=true', TWO_EMAILS_AGAIN),
    ],
    { status: 200, body: { records: [{}, {}] }, calls: { hubspot: 0 } },
  ),
  row('§6', 'total_count is the total of the whole search', PAGE, {
    body: { pagination: { total_count: (count: number) => count > 100 } },
  }),
  row('§7', 'A hundred lookups in one operation are one call to HubSpot', lookups('HUBSPOT'), {
    calls: { hubspot: 1 },
  }),
  row(
    '§7',
    'A hundred lookups in one operation are one call to Salesforce',
    lookups('SALESFORCE'),
    {
      calls: { salesforce: 1 },
    },
  ),
  row(
    '§7',
    'A thousand emails are ten calls to HubSpot',
    graphql(
      'query ($emails: [String!]) { searchContacts(filter: { emails: $emails }) { totalCount } }',
      {
        variables: { emails: emails(1000) },
      },
    ),
    { calls: { hubspot: 10 } },
  ),
  row('§7', 'Emails are compared case-insensitively', find('ADA@Example.COM'), found(1)),
  row('§7', 'Emails are trimmed before they are compared', find('  ada@example.com '), found(1)),
  row(
    '§7',
    'A secondary email of a contact finds it',
    find('ada.lovelace@analytical.example'),
    found(1),
  ),
  row(
    '§7',
    'emailDomain finds a contact by the domain of a secondary email',
    graphql(
      '{ searchContacts(filter: { emailDomain: "analytical.example" }) { nodes { firstName } } }',
    ),
    {
      body: ({ data }) =>
        data.searchContacts.nodes.some(
          ({ firstName }: { firstName: string }) => firstName === 'Ada',
        ),
    },
  ),
  row(
    '§8',
    'The cache returns what a live search found',
    [
      graphql(
        '{ searchContacts(filter: { email: "grace@example.com" }) { fetchedAt nodes { firstName } } }',
      ),
      graphql(
        '{ searchContacts(readFromCache: true, filter: { email: "grace@example.com" }) { fetchedAt nodes { firstName } } }',
      ),
    ],
    {
      body: { data: { searchContacts: { nodes: [{ firstName: 'Grace' }] } } },
    },
  ),
  row(
    '§8',
    'Associations are not fetched with readFromCache',
    graphql(
      '{ searchContacts(readFromCache: true, filter: { email: "ada@example.com" }) { nodes { associations(to: [DEAL]) { remoteId } } } }',
    ),
    {
      body: { data: { searchContacts: { nodes: [{ associations: null }] } } },
    },
  ),
  row('§10', 'The first query works without any configuration', find('ada@example.com'), found(1)),
  row(
    '§12',
    'More than 1,000 references are rejected',
    graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      variables: { ids: emails(1001) },
    }),
    failed('BAD_REQUEST'),
  ),
  row(
    '§12',
    'A document with too many tokens is rejected',
    graphql(`{ ${'__typename '.repeat(12_001)} }`),
    failed('BAD_REQUEST'),
  ),
  row(
    '§12',
    'A document that is nested too deeply is rejected',
    graphql(`${'{ customer { connections '.repeat(30)}`),
    failed('BAD_REQUEST'),
  ),
];

function lookups(provider: string) {
  return graphql(
    `{ ${emails(100)
      .map(
        (email, n) =>
          `a${n}: searchContacts(provider: ${provider}, filter: { email: "${email}" }) { totalCount }`,
      )
      .join(' ')} }`,
  );
}

function found(totalCount: number) {
  return { body: { data: { searchContacts: { totalCount } } } };
}

interface Paged {
  readonly pagination: { readonly next: string };
}
