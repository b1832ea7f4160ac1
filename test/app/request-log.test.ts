import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openApp, type TestApp } from '../support/open-app.ts';

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp();
});
afterAll(() => crossbook.close());
beforeEach(() => crossbook.clearLog());

const HUBSPOT = { 'x-provider-name': 'hubspot' };
const BY_EMAIL = { filter: { email: 'ada@example.com' } };
const FIND = `query Find($cached: Boolean) {
  searchContacts(filter: { email: "ada@example.com" }, readFromCache: $cached) { totalCount }
}`;

test('a request is logged in one line, with its caller, customer, operation and cost', async () => {
  await crossbook.execute(FIND, {}, { ...HUBSPOT, 'x-request-id': 'mine-1' });
  expect(readLines()).toEqual([
    {
      level: 30,
      msg: 'request',
      time: expect.any(Number),
      requestId: 'mine-1',
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      method: 'POST',
      route: '/graphql',
      api: 'graphql',
      operation: 'searchContacts',
      operationName: 'Find',
      application: 'Demo application',
      credential: expect.any(String),
      customer: 'demo',
      provider: 'hubspot',
      status: 200,
      ms: expect.any(Number),
      calls: 1,
      bytes: expect.any(Number),
      cache: 'none',
    },
  ]);
});

test('GraphQL and REST log the same fields by the same names', async () => {
  await crossbook.execute(FIND, {}, HUBSPOT);
  await crossbook.rest('POST', '/contacts/_search', BY_EMAIL, HUBSPOT);
  const [graphql, rest] = readLines();
  expect(new Set(Object.keys(graphql ?? {}))).toEqual(
    new Set([...Object.keys(rest ?? {}), 'operationName']),
  );
  expect(rest).toMatchObject({
    api: 'rest',
    operation: 'searchContacts',
    customer: 'demo',
    calls: 1,
  });
});

test('the log line contains the cache hits', async () => {
  await crossbook.execute(FIND, {}, HUBSPOT);
  const search = () =>
    crossbook.rest('POST', '/contacts/_search?read_from_cache=true', BY_EMAIL, HUBSPOT);
  // The first search fills the cache after its response was sent.
  await expect.poll(() => search().then(() => readLines().at(-1)?.['cache'])).toBe('hit');
  expect(readLines().at(-1)).toMatchObject({ calls: 0 });
});

test.each([
  ['of a GraphQL field', () => crossbook.execute(FIND, {}, { 'x-provider-name': 'zendesk_sell' })],
  ['of an invalid document', () => crossbook.execute('{ nothing }')],
  [
    'of an unauthenticated request',
    () => crossbook.execute(FIND, {}, { 'x-api-key': 'cbk_wrong' }),
  ],
  ['of REST', async () => (await crossbook.rest('GET', '/customers/nobody')).body],
  ['of an unknown path', async () => (await crossbook.rest('GET', '/nothing')).body],
])('the id of an error %s is found in its log line', async (_title, ask) => {
  const { errors } = await ask();
  const { id, code } = errors[0].extensions ?? errors[0];
  expect(readLines().filter((line) => JSON.stringify(line).includes(id))).toEqual([
    expect.objectContaining({ errors: [{ id, code }] }),
  ]);
});

test('the URL is logged as the template of its path, without a query string', async () => {
  const query = encodeURIComponent(
    '{ searchContacts(filter: { email: "ada@example.com" }) { totalCount } }',
  );
  await crossbook.rest('GET', `/graphql?query=${query}`, undefined, HUBSPOT);
  await crossbook.rest('GET', '/customers/demo?email=ada@example.com');
  expect(readLines().map(({ route }) => route)).toEqual(['/graphql', '/customers/{customer_id}']);
  expect(crossbook.log.join('')).not.toContain('ada@example.com');
});

function readLines(): readonly Record<string, unknown>[] {
  return crossbook.log.map((line) => JSON.parse(line));
}
