import { expect, test } from 'vitest';
import { toSubgraph } from '../../src/graphql/federation.ts';
import { apiSchema } from '../../src/graphql/schema.ts';
import { fc } from '../support/fast-check.ts';
import { writeRandomOperation } from '../support/random-operation.ts';
import { createTestServer, DEMO } from './test-server.ts';

const POST = { method: 'POST', headers: { ...DEMO, 'content-type': 'application/json' } };
const SEARCH = '{ searchContacts(filter: { email: "ada@example.com" }) { totalCount nodes { id } } }';
const CREATE = 'mutation { issueCustomerToken(input: { customerId: "demo" }) { token } }';

const REQUESTS: readonly (readonly [string, RequestInit, string?])[] = [
  ['a search', ask({ query: SEARCH })],
  [
    'a search with the other media type',
    ask({ query: SEARCH }, { accept: 'application/graphql-response+json' }),
  ],
  ['a mutation', ask({ query: CREATE })],
  ['introspection', ask({ query: '{ __schema { queryType { name } } }' }, { 'x-api-key': '' })],
  ['nobody’s search', { ...ask({ query: SEARCH }), headers: { 'content-type': 'application/json' } }],
  ['a wrong key', ask({ query: SEARCH }, { 'x-api-key': 'wrong' })],
  ['a key and a token', ask({ query: SEARCH }, { authorization: 'Bearer demo-token' })],
  ['another address', ask({ query: SEARCH }), '/graphql/more'],
  ['a query string', ask({ query: SEARCH }), '/graphql?query=%7B__typename%7D'],
  ['a syntax error', ask({ query: '{ searchContacts(' })],
  ['a validation error', ask({ query: '{ nothing searchContact }' })],
  ['a subscription', ask({ query: 'subscription { x }' })],
  ['a field that is too deep', ask({ query: `${'{ a'.repeat(500)}${'}'.repeat(500)}` })],
  ['too many aliases', ask({ query: `{ ${'a: __typename '.repeat(1_500)} }` })],
  ['two operations', ask({ query: 'query A { __typename } query B { __typename }' })],
  ['one of two', ask({ query: 'query A { __typename } query B { b: __typename }', operationName: 'B' })],
  ['none of two', ask({ query: 'query A { __typename } query B { __typename }', operationName: 'C' })],
  [
    'wrong variables',
    ask({ query: 'query ($n: Int!) { a: __typename @skip(if: true) }', variables: { n: 'x' } }),
  ],
  ['variables that are a list', ask({ query: SEARCH, variables: [] })],
  ['no query', ask({})],
  ['a query that is a number', ask({ query: 7 })],
  ['nothing but null', ask(null)],
  ['a batch', ask([{ query: SEARCH }, { query: '{ nothing }' }, { query: CREATE }])],
  ['an empty batch', ask([])],
  ['a batch that is too long', ask(Array.from({ length: 11 }, () => ({ query: SEARCH })))],
  [
    'a document that nobody has',
    ask({ extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } }),
  ],
  ['no JSON', { ...POST, body: '{"query":' }],
  ['no body', POST],
  [
    'a body that is too large',
    { ...POST, body: JSON.stringify({ query: SEARCH, x: ' '.repeat(1_100_000) }) },
  ],
  ['another content type', ask({ query: SEARCH }, { 'content-type': 'text/plain' })],
  ['another charset', ask({ query: SEARCH }, { 'content-type': 'application/json; charset=latin1' })],
  ['what cannot be accepted', ask({ query: SEARCH }, { accept: 'text/plain' })],
  ['PUT', { ...ask({ query: SEARCH }), method: 'PUT' }],
  ['GET', { headers: DEMO }, '/graphql?query=%7B__typename%7D'],
  ['a mutation by GET', { headers: DEMO }, `/graphql?query=${encodeURIComponent(CREATE)}`],
];

const NAMED = REQUESTS.map(([title, init, path]) => ({ title, init, path }));

test.each(NAMED)('$title is answered directly as it is by way of the plugins', async ({ init, path }) => {
  for (const options of [{}, { introspection: false }]) {
    const [direct, around] = await open(options);
    // The second time it is known already.
    for (const _time of [1, 2]) expect(await direct(init, path)).toEqual(await around(init, path));
  }
});

test('random operations are answered directly as they are by way of the plugins', async () => {
  const [direct, around] = await open({});
  const schema = toSubgraph(apiSchema);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(999), { minLength: 30, maxLength: 90 }),
      fc.constantFrom('application/json', 'application/graphql-response+json'),
      async (numbers, accept) => {
        const init = ask(
          { query: writeRandomOperation(schema, numbers), variables: { x: true } },
          { accept },
        );
        expect(await direct(init)).toEqual(await around(init));
      },
    ),
    { numRuns: 400 },
  );
});

async function open(options: object) {
  const servers = await Promise.all([
    createTestServer(options),
    createTestServer({ ...options, direct: false }),
  ]);
  return servers.map(({ send, journal }) => async (init: RequestInit, path = '/graphql') => {
    const noted = journal.notes.length;
    const response = await send(new Request(`http://localhost${path}`, init));
    const headers = Object.fromEntries(response.headers);
    const notes = journal.notes.slice(noted);
    return { status: response.status, headers, body: withoutIds(await response.text()), notes };
  }) as unknown as readonly [Send, Send];
}

/** Each error is one of its own, and so are the connections of each server, under whatever alias they are asked for. */
function withoutIds(body: string): string {
  return body.replace(/"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"/g, '"…"');
}

function ask(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { ...POST, headers: { ...POST.headers, ...headers }, body: JSON.stringify(body) };
}

type Send = (init: RequestInit, path?: string) => Promise<object>;
