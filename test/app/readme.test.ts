import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ERROR_CODES } from '../../src/domain/errors.ts';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';
import { toFetch } from '../support/to-fetch.ts';

/** Requests, or GraphQL documents, and the JSON that is printed beneath each. */
const README = readFileSync('README.md', 'utf8');
const EXAMPLES = README.matchAll(/```(graphql|http)\n([^`]+)```\n\n```json\n([^`]+)```/g);
const [[, , QUERY = '', ANSWER = ''] = [], ...REST] = [...EXAMPLES];

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

test('the requests of the README are answered as it is printed there, one after the other', async () => {
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

test('every code of an error stands in the table of the README, with its status', () => {
  const lines = README.split('\n').filter((line) => line.startsWith('| '));
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
