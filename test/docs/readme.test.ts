import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ListeningApp, listenApp } from '../support/listen-app.ts';
import type { Json } from '../support/open-app.ts';
import { openRawClient } from '../support/raw-client.ts';
import { toFetch } from '../support/to-fetch.ts';

/** Requests, or GraphQL documents, and the JSON that is printed beneath each. */
const EXAMPLE = /```(graphql|http)\n([^`]+)```\n\n```json\n([^`]+)```/g;
const API = readFileSync('docs/api.md', 'utf8');
const [[, , QUERY = '', ANSWER = ''] = []] = [
  ...readFileSync('README.md', 'utf8').matchAll(EXAMPLE),
];
const REST = [...API.matchAll(EXAMPLE)];
const [, ERROR = ''] = /^## Errors\n[\s\S]+?```json\n([^`]+)```/m.exec(API) ?? [];

let crossbook: ListeningApp;
beforeAll(async () => {
  crossbook = await listenApp();
});
afterAll(() => crossbook.close());

test('the first query of the README gives the printed response', async () => {
  const headers = { 'content-type': 'application/json', 'x-api-key': crossbook.key };
  const request = { method: 'POST', headers, body: JSON.stringify({ query: QUERY }) };
  expect(await send('/graphql', request)).toEqual(JSON.parse(ANSWER));
});

test('the query of all CRMs in docs/api.md works as printed, and each CRM responds or fails separately', async () => {
  const [, query = ''] = /^## GraphQL\n[\s\S]+?```graphql\n([^`]+)```/m.exec(API) ?? [];
  const { data, errors } = await crossbook.execute(query, { email: 'ada@example.com' });
  const ada = { nodes: [{ firstName: 'Ada' }] };
  expect(data).toEqual({ hubspot: ada, salesforce: ada, zendesk: null });
  expect(errors).toMatchObject([{ path: ['zendesk'], extensions: { code: 'NOT_IMPLEMENTED' } }]);
});

test.each([
  {
    msg: 'request',
    async make() {
      const query =
        'query Find { searchContacts(filter: { email: "ada@example.com" }) { totalCount } }';
      await crossbook.execute(query, {}, { 'x-provider-name': 'hubspot' });
    },
  },
  {
    msg: 'refused',
    async make() {
      const client = openRawClient(crossbook.url);
      client.send('NONSENSE\r\n\r\n');
      await client.ended;
    },
  },
])('a log line has the fields that docs/monitoring.md prints: $msg', async ({ msg, make }) => {
  const [printed = {}, ...others] = readJson('docs/monitoring.md').filter(
    (line) => line['msg'] === msg,
  );
  expect([Object.keys(printed).length > 5, others]).toEqual([true, []]);
  crossbook.clearLog();
  await make();
  const readLine = () =>
    crossbook.log
      .flatMap((text) => text.trim().split('\n'))
      .map((text) => JSON.parse(text))
      .find((line) => line.msg === msg);
  await expect.poll(readLine).toBeDefined();
  expect(Object.keys(readLine())).toEqual(expect.arrayContaining(Object.keys(printed)));
});

test('the requests of docs/api.md give the printed responses, one after the other', async () => {
  expect(REST.map(([, kind]) => kind)).toEqual(['http', 'http', 'http']);
  const known: Record<string, string> = { 'cbk_…': crossbook.key };
  for (const [, , request = '', printed = ''] of REST) {
    const filled = request.replace(/cbk_…|\(next\)|\(token\)/g, (name) => known[name] ?? name);
    const [head = '', body = ''] = filled.split('\n\n');
    const [line = '', ...headers] = head.split('\n');
    const [method = '', path = ''] = line.split(' ');
    const answer = await send(path, {
      method,
      body,
      headers: headers.map((header) => header.split(': ') as [string, string]),
    });
    expect(answer).toMatchObject(toExpected(JSON.parse(printed)));
    known['(next)'] ??= answer.pagination?.next;
    known['(token)'] ??= answer.token;
  }
});

test('an error is as printed in docs/api.md, in GraphQL and REST', async () => {
  const { id, ...printed } = JSON.parse(ERROR) as { id: string };
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  const headers = { 'content-type': 'application/json', 'x-api-key': crossbook.key };
  const search = { filter: { email: 'ada@example.com' } };
  const rest = await send('/contacts/_search', {
    method: 'POST',
    body: JSON.stringify(search),
    headers: { ...headers, 'x-customer-id': 'demo', 'x-provider-name': 'zendesk_sell' },
  });
  expect(rest.errors).toEqual([{ ...printed, id: expect.stringMatching(/./) }]);
  const query =
    '{ searchContacts(customerId: "demo", provider: ZENDESK_SELL, filter: { email: "a@b.example" }) { totalCount } }';
  const graphql = await send('/graphql', {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  });
  expect(graphql.errors[0].extensions).toEqual({ ...printed, id: expect.stringMatching(/./) });
});

async function send(path: string, request: RequestInit): Promise<Json> {
  const response = await toFetch(crossbook.app.answer)(
    new Request(`http://localhost:4000${path}`, request),
  );
  return response.json();
}

function readJson(path: string): readonly Record<string, unknown>[] {
  const blocks = readFileSync(path, 'utf8').matchAll(/^```json\n([\s\S]+?)^```$/gm);
  return [...blocks].map(([, text = '']) => JSON.parse(text) as Record<string, unknown>);
}

/** What is printed as `…` is some text. */
function toExpected(printed: Json): Json {
  if (printed === '…') return expect.stringMatching(/./);
  if (Array.isArray(printed)) return printed.map(toExpected);
  if (typeof printed !== 'object' || printed === null) return printed;
  return Object.fromEntries(
    Object.entries(printed).map(([name, value]) => [name, toExpected(value)]),
  );
}
