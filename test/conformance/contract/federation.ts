import { graphql, type Row, row } from '../row.ts';

const SDL = graphql('{ _service { sdl } }');
const BIG = '(provider: HUBSPOT, filter: { emailDomain: "bigco.example" }';
const FOUND = graphql(
  '{ searchContacts(provider: HUBSPOT, filter: { email: "ada@example.com" }) { nodes { remoteId } } }',
);

export const FEDERATION_ROWS: readonly Row[] = [
  row(
    '§3',
    'The SDL of the subgraph links Federation 2',
    SDL,
    sdl(/@link\(url: "https:\/\/specs\.apollo\.dev\/federation\/v2/),
  ),
  row('§3', 'PageInfo is shareable', SDL, sdl(/type PageInfo @shareable/)),
  row(
    '§3',
    'Customer has the keys customerId and id',
    SDL,
    sdl(/type Customer[^{]*@key\(fields: "customerId"\)[^{]*@key\(fields: "id"\)/),
  ),
  row('§3', 'Contact has the key id', SDL, sdl(/type Contact [^{]*@key\(fields: "id"\)/)),
  row(
    '§3',
    'Contact has the key customerId provider remoteId',
    SDL,
    sdl(/type Contact [^{]*@key\(fields: "customerId provider remoteId"\)/),
  ),
  row(
    '§3',
    'A reference by customerId is resolved',
    entity('{ __typename: "Customer", customerId: "demo" }', '... on Customer { name }'),
    {
      body: { data: { _entities: [{ name: /./ }] } },
    },
  ),
  row(
    '§3',
    'A reference by customerId, provider and remoteId is resolved',
    [
      FOUND,
      ([previous]) =>
        entity(
          `{ __typename: "Contact", customerId: "demo", provider: "HUBSPOT", remoteId: "${previous?.body.data.searchContacts.nodes[0].remoteId}" }`,
          '... on Contact { firstName }',
        ),
    ],
    {
      body: { data: { _entities: [{ firstName: 'Ada' }] } },
    },
  ),
  row(
    '§3',
    'ContactsByEmail has the key customerId provider email',
    SDL,
    sdl(/type ContactsByEmail @key\(fields: "customerId provider email"\)/),
  ),
  row(
    '§3',
    'A reference by email is resolved to the contacts with that email',
    entity(
      byEmail('ada@example.com'),
      '... on ContactsByEmail { contacts(first: 5) { firstName } }',
    ),
    { body: { data: { _entities: [{ contacts: [{ firstName: 'Ada' }] }] } } },
  ),
  row(
    '§3',
    'A failing reference by email leaves its key, and makes no other reference null',
    entity(
      `${byEmail('no email')}, ${byEmail('ada@example.com')}`,
      '... on ContactsByEmail { email contacts { firstName } }',
    ),
    {
      body: {
        data: {
          _entities: [
            { email: 'no email', contacts: null },
            { email: 'ada@example.com', contacts: [{ firstName: 'Ada' }] },
          ],
        },
        errors: [
          {
            path: ['_entities', 0, 'contacts'],
            extensions: { code: 'UNPROCESSABLE_ENTITY', status: '422' },
          },
        ],
      },
    },
  ),
  row(
    '§3',
    'References to one connection are one provider call',
    [
      graphql(`{ searchContacts${BIG}, first: 30) { nodes { id } } }`),
      ([page]) =>
        graphql(
          'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Contact { remoteId } } }',
          {
            variables: {
              r: page?.body.data.searchContacts.nodes.map(({ id }: { id: string }) => ({
                __typename: 'Contact',
                id,
              })),
            },
          },
        ),
    ],
    { calls: { hubspot: 1 } },
  ),
];

function byEmail(email: string) {
  return `{ __typename: "ContactsByEmail", customerId: "demo", provider: "HUBSPOT", email: "${email}" }`;
}

function entity(reference: string, selection: string) {
  return graphql(`{ _entities(representations: [${reference}]) { ${selection} } }`);
}

function sdl(pattern: RegExp) {
  return { body: { data: { _service: { sdl: pattern } } } };
}
