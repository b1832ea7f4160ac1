import { failed, graphql, type Row, rest, row } from '../row.ts';

const SCHEMA =
  graphql(`{ __schema { types { name description possibleTypes { name } interfaces { name }
  fields(includeDeprecated: true) { name description type { kind name ofType { kind name ofType { kind name } } } args { name description } }
  inputFields(includeDeprecated: true) { name description } enumValues(includeDeprecated: true) { name description } } } }`);
const ADA = '(provider: HUBSPOT, filter: { email: "ada@example.com" })';
const BIG = '(provider: HUBSPOT, filter: { emailDomain: "bigco.example" }';
const BOTH = graphql(
  `{ up: searchContacts${ADA} { totalCount } down: searchContacts(provider: ZENDESK_SELL, filter: { email: "a@b.example" }) { totalCount } }`,
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
    'The provider 6sense is SIX_SENSE in GraphQL',
    SCHEMA,
    has('ProviderName', ({ enumValues }) => enumValues?.some(({ name }) => name === 'SIX_SENSE')),
  ),
  row(
    '§3',
    'A filter has exactly one of its fields',
    graphql(
      '{ searchContacts(filter: { email: "a@b.example", emailDomain: "b.example" }) { totalCount } }',
    ),
    failed('BAD_REQUEST'),
  ),
  row(
    '§3',
    'The filter emails finds several people',
    graphql(
      '{ searchContacts(filter: { emails: ["ada@example.com", "grace@example.com"] }) { totalCount } }',
    ),
    {
      body: { data: { searchContacts: { totalCount: 2 } } },
    },
  ),
  row(
    '§3',
    'The filter emails takes 1,000 at most',
    graphql(
      'query ($emails: [String!]) { searchContacts(filter: { emails: $emails }) { totalCount } }',
      {
        variables: { emails: Array.from({ length: 1001 }, (_, n) => `p${n}@example.com`) },
      },
    ),
    failed('BAD_REQUEST'),
  ),
  row(
    '§3',
    'A provider has its category and its capabilities',
    SCHEMA,
    fields('Provider', 'name', 'category'),
  ),
  row('§3', 'A contact has its customerId', SCHEMA, fields('Contact', 'customerId')),
  row(
    '§3',
    'Contact.id is unique across providers',
    graphql(
      `{ a: searchContacts${ADA} { nodes { id } } b: searchContacts(provider: SALESFORCE, filter: { email: "ada@example.com" }) { nodes { id } } }`,
    ),
    {
      body: ({ data }) => data.a.nodes[0].id !== data.b.nodes[0].id,
    },
  ),
  row(
    '§3',
    'node refetches a contact',
    [
      ...NODE,
      ([previous]) =>
        graphql('query ($id: ID!) { node(id: $id) { ... on Contact { firstName } } }', {
          variables: { id: previous?.body.data.searchContacts.nodes[0].id },
        }),
    ],
    { body: { data: { node: { firstName: 'Ada' } } } },
  ),
  row(
    '§3',
    'node refetches a customer',
    [
      ...NODE,
      ([previous]) =>
        graphql('query ($id: ID!) { node(id: $id) { ... on Customer { customerId } } }', {
          variables: { id: previous?.body.data.customer.id },
        }),
    ],
    { body: { data: { node: { customerId: 'demo' } } } },
  ),
  row(
    '§3',
    'node refetches a connection',
    [
      ...NODE,
      ([previous]) =>
        graphql('query ($id: ID!) { node(id: $id) { __typename } }', {
          variables: { id: previous?.body.data.customer.connections[0].id },
        }),
    ],
    { body: { data: { node: { __typename: 'ConnectedProvider' } } } },
  ),
  row(
    '§3',
    'node returns null for a connection of another application',
    [
      ...NODE,
      ([previous]) =>
        graphql('query ($id: ID!) { node(id: $id) { __typename } }', {
          as: 'other',
          variables: { id: previous?.body.data.customer.connections[0].id },
        }),
    ],
    { body: { data: { node: null }, errors: undefined } },
  ),
  row(
    '§3',
    'nodes keeps the order, with null for unknown ids',
    [
      ...NODE,
      ([previous]) =>
        graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { __typename } }', {
          variables: { ids: ['nothing', previous?.body.data.customer.id] },
        }),
    ],
    { body: { data: { nodes: [null, { __typename: 'Customer' }] } } },
  ),
  row(
    '§3',
    'The GraphQL type of a connection is ConnectedProvider',
    SCHEMA,
    fields('ConnectedProvider', 'searchContacts', 'status'),
  ),
  row(
    '§3',
    'A connection can be searched',
    graphql(
      '{ customer { connections { providerName searchContacts(filter: { email: "ada@example.com" }) { totalCount } } } }',
    ),
    {
      body: {
        data: {
          customer: {
            connections: [{ providerName: 'HUBSPOT', searchContacts: { totalCount: 1 } }, {}, {}],
          },
        },
      },
    },
  ),
  row(
    '§3',
    'rawData is not requested from the provider unless it is selected',
    graphql(`{ searchContacts${ADA} { nodes { firstName } } }`),
    { calls: { hubspot: 1 } },
  ),
  row(
    '§3',
    'associations are requested from the provider only where they are selected',
    graphql(`{ searchContacts${ADA} { nodes { associations(to: [COMPANY]) { remoteId } } } }`),
    { calls: { hubspot: 2 } },
  ),
  row(
    '§3',
    'totalCount is counted only where it is selected',
    graphql(`{ searchContacts${BIG}, first: 2) { nodes { remoteId } } }`),
    { calls: { hubspot: 1 } },
  ),
  row('§3', 'A failing CRM makes only its custom field null', BOTH, {
    status: 200,
    body: { data: { up: { totalCount: 1 }, down: null }, errors: [{ path: ['down'] }] },
  }),
  row(
    '§3',
    'A destination is a union in the output',
    SCHEMA,
    has('DestinationConfig', ({ possibleTypes }) => possibleTypes?.length === 2),
  ),
  row(
    '§3',
    'first: 0 is an empty page with pageInfo and totalCount',
    graphql(`{ searchContacts${BIG}, first: 0) { nodes { id } pageInfo { hasNextPage } } }`),
    {
      body: { data: { searchContacts: { nodes: [], pageInfo: { hasNextPage: true } } } },
    },
  ),
  row(
    '§3',
    'The default page size is 100',
    graphql(`{ searchContacts${BIG}) { nodes { remoteId } } }`),
    {
      body: ({ data }) => data.searchContacts.nodes.length === 100,
    },
  ),
  row(
    '§3',
    'first and last together are 400',
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
          searchContacts: {
            nodes: [{}, {}],
            pageInfo: { hasNextPage: false, hasPreviousPage: true },
          },
        },
      },
    },
  ),
  row(
    '§3',
    'hasPreviousPage is true after a cursor',
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
    'A batch of operations has its results in order',
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
  return has(type, ({ fields: previous }) =>
    names.every((name) => previous?.some((field) => field.name === name)),
  );
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
