import { expect, test } from 'vitest';
import { createTestServer, DEMO } from './test-server.ts';

const POST = { method: 'POST', headers: { ...DEMO, 'content-type': 'application/json' } };
const SEARCH =
  '{ searchContacts(filter: { email: "ada@example.com" }) { totalCount nodes { id } } }';
const CREATE = 'mutation { issueCustomerToken(input: { customerId: "demo" }) { token } }';

const REQUESTS: readonly (readonly [string, RequestInit, string?])[] = [
  ['a search', ask({ query: SEARCH })],
  [
    'a search with the other media type',
    ask({ query: SEARCH }, { accept: 'application/graphql-response+json' }),
  ],
  ['a mutation', ask({ query: CREATE })],
  ['introspection', ask({ query: '{ __schema { queryType { name } } }' }, { 'x-api-key': '' })],
  [
    'nobody’s search',
    { ...ask({ query: SEARCH }), headers: { 'content-type': 'application/json' } },
  ],
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
  [
    'one of two',
    ask({ query: 'query A { __typename } query B { b: __typename }', operationName: 'B' }),
  ],
  [
    'none of two',
    ask({ query: 'query A { __typename } query B { __typename }', operationName: 'C' }),
  ],
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
  ['another content type', ask({ query: SEARCH }, { 'content-type': 'text/plain' })],
  [
    'another charset',
    ask({ query: SEARCH }, { 'content-type': 'application/json; charset=latin1' }),
  ],
  ['what cannot be accepted', ask({ query: SEARCH }, { accept: 'text/plain' })],
  ['PUT', { ...ask({ query: SEARCH }), method: 'PUT' }],
  ['GET', { headers: DEMO }, '/graphql?query=%7B__typename%7D'],
  ['a mutation by GET', { headers: DEMO }, `/graphql?query=${encodeURIComponent(CREATE)}`],
];

const NAMED = REQUESTS.map(([title, init, path]) => ({ title, init, path }));

test.each(NAMED)('$title', async ({ init, path }) => {
  const answers: object[] = [];
  for (const options of [{}, { introspection: false }]) {
    const answer = await open(options);
    const first = await answer(init, path);
    // The second request uses the cached document.
    expect(await answer(init, path)).toEqual(first);
    answers.push(first);
  }
  expect(answers).toMatchSnapshot();
});

async function open(options: object): Promise<Answer> {
  const { send, requestLog } = await createTestServer(options);
  return async (init, path = '/graphql') => {
    const noted = requestLog.notes.length;
    const response = await send(new Request(`http://localhost${path}`, init));
    const { 'content-length': _, ...headers } = Object.fromEntries(response.headers);
    const notes = requestLog.notes.slice(noted);
    return { status: response.status, headers, body: withoutIds(await response.text()), notes };
  };
}

/** Replaces the ids of errors and records, which differ in each run. */
function withoutIds(body: string): string {
  return body.replace(/"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"/g, '"…"');
}

function ask(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { ...POST, headers: { ...POST.headers, ...headers }, body: JSON.stringify(body) };
}

type Answer = (init: RequestInit, path?: string) => Promise<object>;
