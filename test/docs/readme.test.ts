import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ERROR_CODES } from '../../src/domain/errors.ts';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';
import { toFetch } from '../support/to-fetch.ts';

/** Requests, or GraphQL documents, and the JSON that is printed beneath each. */
const EXAMPLE = /```(graphql|http)\n([^`]+)```\n\n```json\n([^`]+)```/g;
const API = readFileSync('docs/api.md', 'utf8');
const [[, , QUERY = '', ANSWER = ''] = []] = [...readFileSync('README.md', 'utf8').matchAll(EXAMPLE)];
const REST = [...API.matchAll(EXAMPLE)];
const [, ERROR = ''] = /^## Errors\n[\s\S]+?```json\n([^`]+)```/m.exec(API) ?? [];

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp();
});
afterAll(() => crossbook.close());

test('the first query of the README is answered as it is printed there', async () => {
  const headers = { 'content-type': 'application/json', 'x-api-key': crossbook.key };
  const request = { method: 'POST', headers, body: JSON.stringify({ query: QUERY }) };
  expect(await send('/graphql', request)).toEqual(JSON.parse(ANSWER));
});

test('the requests of docs/api.md are answered as it is printed there, one after the other', async () => {
  expect(REST.map(([, kind]) => kind)).toEqual(['http', 'http', 'http']);
  const known: Record<string, string> = { 'cbk_…': crossbook.key };
  for (const [, , request = '', printed = ''] of REST) {
    const filled = request.replace(/cbk_…|\(next\)|\(token\)/g, (name) => known[name] ?? name);
    const [head = '', body = ''] = filled.split('\n\n');
    const [line = '', ...headers] = head.split('\n');
    const [method = '', path = ''] = line.split(' ');
    const answer = await send(path, {
      ...{ method, body },
      headers: headers.map((header) => header.split(': ') as [string, string]),
    });
    expect(answer).toMatchObject(toExpected(JSON.parse(printed)));
    known['(next)'] ??= answer.pagination?.next;
    known['(token)'] ??= answer.token;
  }
});

test('an error says what is printed there, in both faces', async () => {
  const { id, ...printed } = JSON.parse(ERROR) as { id: string };
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  const headers = { 'content-type': 'application/json', 'x-api-key': crossbook.key };
  const search = { filter: { email: 'ada@example.com' } };
  const rest = await send('/contacts/_search', {
    ...{ method: 'POST', body: JSON.stringify(search) },
    headers: { ...headers, 'x-customer-id': 'demo', 'x-provider-name': 'pipedrive' },
  });
  expect(rest.errors).toEqual([{ ...printed, id: expect.stringMatching(/./) }]);
  const query =
    '{ searchContacts(customerId: "demo", provider: PIPEDRIVE, filter: { email: "a@b.example" }) { totalCount } }';
  const graphql = await send('/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) });
  expect(graphql.errors[0].extensions).toEqual({ ...printed, id: expect.stringMatching(/./) });
});

test('every code of an error stands in the table of docs/api.md, with its status', () => {
  const lines = API.split('\n').filter((line) => line.startsWith('| '));
  for (const [code, { status }] of Object.entries(ERROR_CODES)) {
    const [, family, name = code] = /^(REMOTE_PROVIDER_)(.+)$/.exec(code) ?? [];
    const told = lines.filter(
      (line) =>
        line.includes(`\`${name}\``) && line.includes('`REMOTE_PROVIDER_…`') === (family !== undefined),
    );
    expect(told, code).toHaveLength(1);
    expect(told[0], code).toMatch(new RegExp(`^\\| [^|]*\\b${status}\\b`));
  }
});

async function send(path: string, request: RequestInit): Promise<Json> {
  const response = await toFetch(crossbook.app.answer)(new Request(`http://localhost:4000${path}`, request));
  return response.json();
}

/** What is printed as `…` is some text. */
function toExpected(printed: Json): Json {
  if (printed === '…') return expect.stringMatching(/./);
  if (Array.isArray(printed)) return printed.map(toExpected);
  if (typeof printed !== 'object' || printed === null) return printed;
  return Object.fromEntries(Object.entries(printed).map(([name, value]) => [name, toExpected(value)]));
}
