import { expect, expectTypeOf, test } from 'vitest';
import { CrossbookError, createClient, createQuery, createTokenCache } from '../src/index.ts';

const QUERY = '{ providers { name } }';
const DATA = { providers: [] };

/** A server that gives these answers in turn, the last one for all further requests. */
function serve(...answers: (Response | (() => Promise<Response>))[]) {
  const requests: { readonly body: unknown; readonly authorization: string | null }[] = [];
  const fetch = async (_url: unknown, { headers, body }: RequestInit = {}) => {
    const authorization = new Headers(headers).get('authorization');
    requests.push({ body: JSON.parse(String(body)), authorization });
    const answer = answers[Math.min(requests.length, answers.length) - 1];
    return typeof answer === 'function' ? answer() : (answer as Response).clone();
  };
  return { requests, fetch: fetch as typeof globalThis.fetch };
}

const answer = (body: object, status = 200, headers = {}) =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
const ok = () => answer({ data: DATA });
const failed = (code: string, meta: object, status = 200) =>
  answer({ errors: [{ message: code, extensions: { code, meta } }] }, status);
const SOON = { retryable: true, retry_after_ms: 1 };

test('a query of one’s own resolves with its data, and has the types that are given', async () => {
  const { fetch, requests } = serve(ok());
  const query = createQuery({ url: 'http://crossbook.test/graphql', apiKey: 'key', fetch });
  const data = await query<typeof DATA>(QUERY, { a: 1 });
  expectTypeOf(data).toEqualTypeOf<typeof DATA>();
  expect(data).toEqual(DATA);
  expect(requests[0]?.body).toEqual({ query: QUERY, variables: { a: 1 } });

  // As GraphQL Code Generator makes them with `documentMode: 'string'`.
  class TypedDocumentString<Result, Variables> extends String {
    declare readonly __apiType?: (variables: Variables) => Result;
  }
  const document = new TypedDocumentString<{ customer: null }, { id: string }>('query ($id: ID!)');
  const typed = await query(document, { id: 'x' });
  expectTypeOf(typed).toEqualTypeOf<{ customer: null }>();
  expect(requests[1]?.body).toEqual({ query: 'query ($id: ID!)', variables: { id: 'x' } });
  // @ts-expect-error the variable is called id
  await query(document, { name: 'x' });
});

test('a retryable error is retried after the time that the server names', async () => {
  const { fetch, requests } = serve(
    failed('REMOTE_PROVIDER_RATE_LIMITED', SOON),
    answer({}, 503, { 'retry-after': '0' }),
    ok(),
  );
  const query = createQuery({ url: 'http://crossbook.test/graphql', apiKey: 'key', fetch });
  expect(await query(QUERY)).toEqual(DATA);
  expect(requests).toHaveLength(3);
});

test('a mutation is repeated only where that executes it once', async () => {
  const query = 'mutation { x }';
  const attempt = async (response: () => Response, isIdempotent?: boolean) => {
    const { fetch, requests } = serve(response(), ok());
    const send = createQuery({ url: 'http://crossbook.test/graphql', apiKey: 'key', fetch });
    await send(query, {}, isIdempotent === undefined ? {} : { isIdempotent }).catch(
      () => undefined,
    );
    return requests.length;
  };
  const unavailable = () => failed('REMOTE_PROVIDER_UNAVAILABLE', SOON);
  expect(await attempt(unavailable)).toBe(1);
  expect(await attempt(unavailable, true)).toBe(2);
  expect(await attempt(() => failed('TOO_MANY_REQUESTS', SOON))).toBe(2);
});

test.each([
  ['is not retryable', failed('BAD_REQUEST', { retryable: false }), {}, 1],
  ['asks for a long wait', failed('X', { retryable: true, retry_after_ms: 60_000 }), {}, 1],
  [
    'asks for a long wait in Retry-After',
    answer({ errors: [{ message: 'x', extensions: { meta: { retryable: true } } }] }, 503, {
      'retry-after': '60',
    }),
    {},
    1,
  ],
  ['is retryable, with retries: 0', failed('X', SOON), { retries: 0 }, 1],
  ['stays, after the last retry', failed('X', SOON), { retries: 3 }, 4],
])('an error that %s is thrown', async (_title, response, options, count) => {
  const { fetch, requests } = serve(response);
  const query = createQuery({
    url: 'http://crossbook.test/graphql',
    apiKey: 'key',
    fetch,
    ...options,
  });
  await expect(query(QUERY)).rejects.toBeInstanceOf(CrossbookError);
  expect(requests).toHaveLength(count);
});

test('a mutation is repeated only after TOO_MANY_REQUESTS, which means that it was not executed', async () => {
  const mutation = 'fragment F on X { id } mutation M { deleteCustomer { clientMutationId } }';
  const limited = serve(failed('TOO_MANY_REQUESTS', SOON), ok());
  const options = { url: 'http://crossbook.test/graphql', apiKey: 'key' } as const;
  expect(await createQuery({ ...options, fetch: limited.fetch })(mutation)).toEqual(DATA);
  const unknown = serve(failed('SERVICE_UNAVAILABLE', SOON), ok());
  await expect(createQuery({ ...options, fetch: unknown.fetch })(mutation)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
  expect(unknown.requests).toHaveLength(1);
  const lost = serve(() => Promise.reject(new TypeError('fetch failed')), ok());
  await expect(createQuery({ ...options, fetch: lost.fetch })(mutation)).rejects.toMatchObject({
    code: 'NO_ANSWER',
  });
});

test('an abort ends the wait for a retry, and the wait for a token, with the reason of the signal', async () => {
  const { fetch, requests } = serve(failed('X', { retryable: true, retry_after_ms: 9_000 }));
  const url = 'http://crossbook.test/graphql';
  const controller = new AbortController();
  const reason = new Error('not needed any more');
  const waiting = createQuery({ url, apiKey: 'key', fetch })(QUERY, undefined, controller);
  while (requests.length === 0) await new Promise(setImmediate);
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);

  const never = new Promise<string>(() => {});
  const other = new AbortController();
  const tokenless = createQuery({ url, token: () => never, fetch })(QUERY, undefined, other);
  other.abort(reason);
  await expect(tokenless).rejects.toBe(reason);
  expect(requests).toHaveLength(1);
});

test('a token is fetched once, and once again where it is refused', async () => {
  let loads = 0;
  const token = () => {
    loads += 1;
    return { token: `token-${loads}`, expiresAt: '2999-01-01T00:00:00Z' };
  };
  const { fetch, requests } = serve(ok(), failed('UNAUTHORIZED', {}, 401), ok());
  const query = createQuery({ url: 'http://crossbook.test/graphql', token, fetch });
  await query(QUERY);
  await query(QUERY);
  expect(requests.map(({ authorization }) => authorization)).toEqual([
    'Bearer token-1',
    'Bearer token-1',
    'Bearer token-2',
  ]);
  expect(loads).toBe(2);
});

test('a token cache that is given is used as it is, and forgets a token that is refused', async () => {
  let loads = 0;
  const tokens = createTokenCache(() => {
    loads += 1;
    return { token: `token-${loads}`, expiresAt: '2999-01-01T00:00:00Z' };
  });
  expect(await tokens.get()).toBe('token-1');
  const { fetch, requests } = serve(failed('UNAUTHORIZED', {}, 401), ok());
  const query = createQuery({ url: 'http://crossbook.test/graphql', token: tokens, fetch });
  await query(QUERY);
  expect(requests.map(({ authorization }) => authorization)).toEqual([
    'Bearer token-1',
    'Bearer token-2',
  ]);
  expect([await tokens.get(), loads]).toEqual(['token-2', 2]);
});

test('a DocumentNode is refused with what to pass instead, before anything is sent', async () => {
  const { fetch, requests } = serve(ok());
  const query = createQuery({ url: 'http://crossbook.test/graphql', apiKey: 'key', fetch });
  // @ts-expect-error a document of typed-document-node is an object
  const asked = query({ kind: 'Document', definitions: [] });
  await expect(asked).rejects.toThrow(/^Pass the text of the operation: .*documentMode: "string"/);
  expect(requests).toEqual([]);
});

test('the custom fields of contacts have the types that are given', async () => {
  const { fetch } = serve(answer({ data: { searchContacts: { nodes: [{ customFields: OWN }] } } }));
  const client = createClient({ url: 'http://crossbook.test/graphql', apiKey: 'key', fetch });
  const search = { provider: 'HUBSPOT', filter: { email: 'a@b.example' } } as const;
  const { nodes } = await client.searchContacts<typeof OWN>({ ...search, customFields: true });
  expectTypeOf(nodes[0]?.customFields).toEqualTypeOf<typeof OWN | undefined>();
  expect(nodes[0]?.customFields?.jobTitle).toBe('Countess');
  const untyped = await client.searchContacts(search);
  expectTypeOf(untyped.nodes[0]?.customFields).toEqualTypeOf<unknown>();
});

const OWN = { jobTitle: 'Countess' };

test('a token that is refused twice is an error, and so is a refused key', async () => {
  const { fetch, requests } = serve(failed('UNAUTHORIZED', {}, 401));
  const url = 'http://crossbook.test/graphql';
  const token = () => ({ token: 'x', expiresAt: '2999-01-01T00:00:00Z' });
  await expect(createQuery({ url, token, fetch })(QUERY)).rejects.toMatchObject({
    code: 'UNAUTHORIZED',
  });
  expect(requests).toHaveLength(2);
  await expect(createQuery({ url, apiKey: 'key', fetch })(QUERY)).rejects.toThrow(CrossbookError);
  expect(requests).toHaveLength(3);
});
