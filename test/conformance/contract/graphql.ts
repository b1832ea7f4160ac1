import { failed, graphql, type Row, rest, row } from '../row.ts';

const SCHEMA = graphql(`{ __schema { types { name description possibleTypes { name } interfaces { name }
  fields(includeDeprecated: true) { name description type { kind name ofType { kind name ofType { kind name } } } args { name description } }
  inputFields(includeDeprecated: true) { name description } enumValues(includeDeprecated: true) { name description } } } }`);
const ADA = '(provider: HUBSPOT, filter: { email: "ada@example.com" })';
const BIG = '(provider: HUBSPOT, filter: { emailDomain: "bigco.example" }';
const BOTH = graphql(
  `{ up: searchContacts${ADA} { totalCount } down: searchContacts(provider: PIPEDRIVE, filter: { email: "a@b.example" }) { totalCount } }`,
);
const NODE = [
  graphql(`{ searchContacts${ADA} { nodes { id remoteId } } customer { id connections { id } } }`),
];

export const GRAPHQL_ROWS: readonly Row[] = [
  row('§3', 'Every type, field, argument and value has a description', SCHEMA, {
    body: ({ data }) =>
      data.__schema.types
        .filter(({ name }: Named) => !name.startsWith('__'))
        .every((type: Type) =>
          [
            type,
            ...(type.fields ?? []),
            ...(type.fields ?? []).flatMap(({ args }) => args),
            ...(type.inputFields ?? []),
            ...(type.enumValues ?? []),
          ].every(({ description }) => Boolean(description)),
        ),
  }),
  row(
    '§3',
    '6sense is SIX_SENSE',
    SCHEMA,
    has('ProviderName', ({ enumValues }) => enumValues?.some(({ name }) => name === 'SIX_SENSE')),
  ),
  row(
    '§3',
    'A filter is exactly one of three',
    graphql('{ searchContacts(filter: { email: "a@b.example", emailDomain: "b.example" }) { totalCount } }'),
    failed('BAD_REQUEST'),
  ),
  row(
    '§3',
    'emails finds several people',
    graphql(
      '{ searchContacts(filter: { emails: ["ada@example.com", "grace@example.com"] }) { totalCount } }',
    ),
    {
      body: { data: { searchContacts: { totalCount: 2 } } },
    },
  ),
  row(
    '§3',
    'emails takes 1,000 at most',
    graphql('query ($emails: [String!]) { searchContacts(filter: { emails: $emails }) { totalCount } }', {
      variables: { emails: Array.from({ length: 1001 }, (_, n) => `p${n}@example.com`) },
    }),
    failed('BAD_REQUEST'),
  ),
  row('§3', 'A provider has its category and what it can do', SCHEMA, fields('Provider', 'name', 'category')),
  row('§3', 'A contact names its customer', SCHEMA, fields('Contact', 'customerId')),
  row(
    '§3',
    'Contact.id is unique over providers',
    graphql(
      `{ a: searchContacts${ADA} { nodes { id } } b: searchContacts(provider: SALESFORCE, filter: { email: "ada@example.com" }) { nodes { id } } }`,
    ),
    {
      body: ({ data }) => data.a.nodes[0].id !== data.b.nodes[0].id,
    },
  ),
  row(
    '§3',
    'node reads a contact again',
    [
      ...NODE,
      ([known]) =>
        graphql('query ($id: ID!) { node(id: $id) { ... on Contact { firstName } } }', {
          variables: { id: known?.body.data.searchContacts.nodes[0].id },
        }),
    ],
    { body: { data: { node: { firstName: 'Ada' } } } },
  ),
  row(
    '§3',
    'node reads a customer again',
    [
      ...NODE,
      ([known]) =>
        graphql('query ($id: ID!) { node(id: $id) { ... on Customer { customerId } } }', {
          variables: { id: known?.body.data.customer.id },
        }),
    ],
    { body: { data: { node: { customerId: 'demo' } } } },
  ),
  row(
    '§3',
    'node reads a connection again',
    [
      ...NODE,
      ([known]) =>
        graphql('query ($id: ID!) { node(id: $id) { __typename } }', {
          variables: { id: known?.body.data.customer.connections[0].id },
        }),
    ],
    { body: { data: { node: { __typename: 'ConnectedProvider' } } } },
  ),
  row(
    '§3',
    'node does not read a connection of another application',
    [
      ...NODE,
      ([known]) =>
        graphql('query ($id: ID!) { node(id: $id) { __typename } }', {
          as: 'other',
          variables: { id: known?.body.data.customer.connections[0].id },
        }),
    ],
    { body: { data: { node: null }, errors: undefined } },
  ),
  row(
    '§3',
    'nodes keeps the order, with null for what is not there',
    [
      ...NODE,
      ([known]) =>
        graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { __typename } }', {
          variables: { ids: ['nothing', known?.body.data.customer.id] },
        }),
    ],
    { body: { data: { nodes: [null, { __typename: 'Customer' }] } } },
  ),
  row(
    '§3',
    'The record of a connection is called ConnectedProvider',
    SCHEMA,
    fields('ConnectedProvider', 'searchContacts', 'status'),
  ),
  row(
    '§3',
    'A connection can be searched through',
    graphql(
      '{ customer { connections { providerName searchContacts(filter: { email: "ada@example.com" }) { totalCount } } } }',
    ),
    {
      body: {
        data: {
          customer: { connections: [{ providerName: 'HUBSPOT', searchContacts: { totalCount: 1 } }, {}, {}] },
        },
      },
    },
  ),
  row(
    '§3',
    'rawData is not asked for unless it is selected',
    graphql(`{ searchContacts${ADA} { nodes { firstName } } }`),
    { calls: { hubspot: 1 } },
  ),
  row(
    '§3',
    'associations are asked for where they are selected',
    graphql(`{ searchContacts${ADA} { nodes { associations(to: [COMPANY]) { remoteId } } } }`),
    { calls: { hubspot: 2 } },
  ),
  row(
    '§3',
    'totalCount is counted only where it is selected',
    graphql(`{ searchContacts${BIG}, first: 2) { nodes { remoteId } } }`),
    { calls: { hubspot: 1 } },
  ),
  row('§3', 'A CRM that fails blanks its own branch', BOTH, {
    status: 200,
    body: { data: { up: { totalCount: 1 }, down: null }, errors: [{ path: ['down'] }] },
  }),
  row(
    '§3',
    'A destination is a union on the way out',
    SCHEMA,
    has('DestinationConfig', ({ possibleTypes }) => possibleTypes?.length === 2),
  ),
  row(
    '§3',
    'first: 0 is an empty page with its facts',
    graphql(`{ searchContacts${BIG}, first: 0) { nodes { id } pageInfo { hasNextPage } } }`),
    {
      body: { data: { searchContacts: { nodes: [], pageInfo: { hasNextPage: true } } } },
    },
  ),
  row('§3', 'The default page is 100', graphql(`{ searchContacts${BIG}) { nodes { remoteId } } }`), {
    body: ({ data }) => data.searchContacts.nodes.length === 100,
  }),
  row(
    '§3',
    'Both directions together are 400',
    graphql(`{ searchContacts${BIG}, first: 1, last: 1) { totalCount } }`),
    failed('BAD_REQUEST'),
  ),
  row(
    '§3',
    'A negative page size is 400',
    graphql(`{ searchContacts${BIG}, first: -1) { totalCount } }`),
    failed('BAD_REQUEST'),
  ),
  row(
    '§3',
    'last pages backward',
    graphql(
      `{ searchContacts${BIG}, last: 2) { nodes { remoteId } pageInfo { hasNextPage hasPreviousPage } } }`,
    ),
    {
      body: {
        data: {
          searchContacts: { nodes: [{}, {}], pageInfo: { hasNextPage: false, hasPreviousPage: true } },
        },
      },
    },
  ),
  row(
    '§3',
    'hasPreviousPage is true behind a cursor',
    [
      graphql(`{ searchContacts${BIG}, first: 1) { pageInfo { endCursor } } }`),
      ([page]) =>
        graphql(
          `{ searchContacts${BIG}, first: 1, after: "${page?.body.data.searchContacts.pageInfo.endCursor}") { pageInfo { hasPreviousPage } } }`,
        ),
    ],
    {
      body: { data: { searchContacts: { pageInfo: { hasPreviousPage: true } } } },
    },
  ),
  row(
    '§3',
    'A batch of operations is answered in its order',
    rest('POST /graphql', [{ query: '{ a: __typename }' }, { query: '{ b: __typename }' }]),
    {
      body: [{ data: { a: 'Query' } }, { data: { b: 'Query' } }],
    },
  ),
];

function has(type: string, is: (type: Type) => boolean | undefined) {
  return {
    body: ({ data }: { data: { __schema: { types: readonly Type[] } } }) =>
      data.__schema.types.some((one) => one.name === type && is(one) === true),
  };
}

function fields(type: string, ...names: readonly string[]) {
  return has(type, ({ fields: known }) => names.every((name) => known?.some((field) => field.name === name)));
}

interface Named {
  readonly name: string;
  readonly description: string | null;
}
interface Type extends Named {
  readonly possibleTypes: readonly Named[] | null;
  readonly fields: readonly (Named & { readonly args: readonly Named[] })[] | null;
  readonly inputFields: readonly Named[] | null;
  readonly enumValues: readonly Named[] | null;
}
