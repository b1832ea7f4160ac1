import { afterAll, beforeAll, expect, test } from 'vitest';
import { compose } from './compose.ts';
import { fetchSdl, openGateway, type TestGateway } from './open-gateway.ts';

const DECLARATION = {
  typed_schema: true,
  definitions: [
    {
      name: 'favoriteColor',
      type: 'text',
      description: 'The person’s favorite color.',
      sources: [{ provider_name: 'hubspot', field: 'favorite_color' }],
    },
    {
      name: 'createdOn',
      type: 'date',
      sources: [{ provider_name: 'hubspot', field: 'createdate' }],
    },
    {
      name: 'tags',
      type: 'choices',
      sources: [{ provider_name: 'hubspot', field: 'favorite_color' }],
    },
  ],
};
const SEARCH = '(provider: HUBSPOT, filter: { email: "ada@example.com" })';

let gateway: TestGateway;
let caller: Record<string, string>;
let token: Record<string, string>;

beforeAll(async () => {
  gateway = await openGateway({ declaration: DECLARATION, notes: 5 });
  const { crossbook } = gateway;
  caller = { 'x-api-key': crossbook.key, 'x-customer-id': 'demo' };
  const { body } = await crossbook.rest('POST', '/customers/demo/tokens', {});
  token = { authorization: `Bearer ${body.token}` };
});
afterAll(() => gateway.close());

test('the subgraph that a gateway reads with a key has the typed fields, and without one it is the common one', async () => {
  const sdl = await fetchSdl(gateway.crossbook, { 'x-api-key': gateway.crossbook.key });
  const words = [
    'custom: ContactCustomFields!',
    'createdOn: Date',
    'favorite color.',
    'scalar Date',
  ];
  for (const text of words) expect(sdl).toContain(text);
  expect(sdl).toContain('tags: [String!] @listSize(assumedSize: 5)');
  const common = await fetchSdl(gateway.crossbook);
  expect(common).not.toMatch(/type ContactCustomFields|favoriteColor:/);
  const supergraph = compose({ crossbook: 'http://a.example', notes: 'http://b.example' }, sdl);
  expect(supergraph).toMatch(/type ContactCustomFields\s+@join__type\(graph: CROSSBOOK\)/);
});

test('typed fields are read through a gateway, by search and by reference, with a key and with a token', async () => {
  const query = `{
    searchContacts${SEARCH} { nodes { noteCount custom { favoriteColor createdOn tags } } }
    recentNotes { contact { custom { createdOn } } }
  }`;
  for (const headers of [caller, token]) {
    const { data, errors } = await gateway.ask(query, headers);
    expect(errors).toBeUndefined();
    expect(data?.['searchContacts']).toMatchObject({
      nodes: [
        {
          custom: {
            favoriteColor: 'violet',
            createdOn: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
            tags: ['violet'],
          },
        },
      ],
    });
    const notes = data?.['recentNotes'] as { contact: { custom: { createdOn: string } } }[];
    expect(notes).toHaveLength(5);
    for (const { contact } of notes) expect(contact.custom.createdOn).toMatch(/^\d{4}-/);
  }
});

test('of a gateway with the typed fields, a caller without them gets an error for these fields alone', async () => {
  const { crossbook } = gateway;
  await crossbook.rest('PUT', '/custom_fields/contact', { ...DECLARATION, typed_schema: false });
  try {
    const { errors } = await gateway.ask(
      `{ searchContacts${SEARCH} { nodes { custom { favoriteColor } } } }`,
      caller,
    );
    expect(errors?.[0]?.message).toContain('Cannot query field "custom"');
    const { data } = await gateway.ask(
      `{ searchContacts${SEARCH} { nodes { firstName } } }`,
      caller,
    );
    expect(data).toEqual({ searchContacts: { nodes: [{ firstName: 'Ada' }] } });
  } finally {
    await crossbook.rest('PUT', '/custom_fields/contact', DECLARATION);
  }
});
