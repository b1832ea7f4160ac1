import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApp, type TestApp } from '../support/open-app.ts';
import { toFetch } from '../support/to-fetch.ts';

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp();
});
afterAll(() => crossbook.close());

test.each([
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'text/html; charset=utf-8', 'href="/docs"'],
  ['*/*', 'application/json', 'NOT_FOUND'],
])('an unknown path, where %s is accepted, is 404 as %s', async (accept, type, words) => {
  const request = new Request('http://localhost:4000/nowhere', { headers: { accept } });
  const response = await toFetch(crossbook.app.answer)(request);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    404,
    expect.stringContaining(type),
  ]);
  expect(await response.text()).toContain(words);
});
