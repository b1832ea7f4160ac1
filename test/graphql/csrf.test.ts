import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ListeningApp, listenApp } from '../support/listen-app.ts';

let crossbook: ListeningApp;
beforeAll(async () => {
  crossbook = await listenApp();
});
afterAll(() => crossbook.close());

const UPSERT =
  'mutation { upsertCustomer(input: { customerId: "x", name: "X", email: "x@x.example" }) { created } }';

/** Content types that a page of any site might send without a preflight. */
test.each([
  'text/plain',
  'text/plain; charset=utf-8',
  'text/plain; application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json-but-not-really',
  'application/json, text/plain',
  '',
])('a POST of type "%s" is rejected before it is read', async (type) => {
  const response = await ask({
    method: 'POST',
    headers: { 'content-type': type, 'x-api-key': crossbook.key },
    body: JSON.stringify({ query: UPSERT }),
  });
  expect(response.status).toBe(415);
  const { data } = await crossbook.execute('{ customer(customerId: "x") { customerId } }');
  expect(data.customer).toBeNull();
});

test('a link cannot execute a mutation', async () => {
  const response = await ask(
    { headers: { 'x-api-key': crossbook.key } },
    `?query=${encodeURIComponent(UPSERT)}`,
  );
  expect(response.status).toBe(405);
});

test('a page of an unknown site can neither send a request nor read a response', async () => {
  const origin = 'https://evil.example';
  const asked = 'content-type,x-api-key';
  const preflight = await ask({
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': asked,
    },
  });
  expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  const read = await ask(
    { headers: { origin, 'x-api-key': crossbook.key } },
    '?query={customer{name}}',
  );
  expect(read.headers.get('access-control-allow-origin')).toBeNull();
  expect(read.headers.get('set-cookie')).toBeNull();
});

test.each([
  'application/json',
  'Application/JSON; charset="UTF-8"',
  'application/json;charset=utf-8',
])('clients that send %s get a response', async (type) => {
  const response = await ask({
    method: 'POST',
    headers: { 'content-type': type },
    body: '{"query":"{ __typename }"}',
  });
  expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
});

function ask(init: RequestInit, search = ''): Promise<Response> {
  return fetch(`${crossbook.url}/graphql${search}`, init);
}
