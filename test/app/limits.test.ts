import { afterEach, describe, expect, test } from 'vitest';
import { openApp, type TestApp } from '../support/open-app.ts';
import { toFetch } from '../support/to-fetch.ts';

const LIMITS = { perKey: 3, perToken: 2, guesses: 4 };
const ASK = '{ providers { name } }';
const SEARCH = { filter: { email: 'ada@example.com' } };

let app: TestApp;
afterEach(() => app.close());

describe('requests of one API key', () => {
  test('beyond its limit are refused alike on both faces, with how long to wait', async () => {
    app = await openApp({ limits: LIMITS });
    for (let request = 0; request < 2; request++) await askGraphQL();
    const third = await app.rest('GET', '/customers/demo');
    expect(third.status).toBe(200);
    expect(third.headers.get('ratelimit-remaining')).toBe('0');
    const rest = await app.rest('POST', '/contacts/_search', SEARCH, { 'x-provider-name': 'hubspot' });
    const graphql = await askGraphQL();
    for (const { status, headers, error } of [
      { ...rest, error: rest.body.errors[0] },
      { ...graphql, error: graphql.body.errors[0].extensions },
    ]) {
      expect(status).toBe(429);
      expect(error).toEqual({
        id: expect.any(String),
        code: 'TOO_MANY_REQUESTS',
        problem_type: 'TOO_MANY_REQUESTS',
        status: '429',
        title: 'Too many requests',
        detail: 'This API key makes more than 3 requests a minute.',
        meta: {
          origin: 'crossbook',
          application_name: 'Demo application',
          retryable: true,
          retry_after_ms: expect.any(Number),
        },
      });
      const seconds = String(Math.ceil(error.meta.retry_after_ms / 1_000));
      expect(headers.get('retry-after')).toBe(seconds);
      expect(headers.get('ratelimit-reset')).toBe(seconds);
      expect(headers.get('ratelimit')).toBe(`"requests";r=0;t=${seconds}`);
      expect(headers.get('ratelimit-policy')).toBe('"requests";q=3;w=60');
      expect(headers.get('ratelimit-limit')).toBe('3');
    }
    expect(app.sandbox.hubspot.demo.callCount()).toBe(0);
    const { paths } = (await app.rest('GET', '/openapi.json')).body;
    const documented = Object.keys(paths['/contacts/_search'].post.responses[200].headers);
    const said = [...third.headers.keys()].filter((name) => name.startsWith('ratelimit'));
    expect(documented.map((name) => name.toLowerCase())).toEqual(expect.arrayContaining(said));
  });

  test('are counted for that key alone: a token of the same application has its own count', async () => {
    app = await openApp({ limits: LIMITS });
    const made = await app.rest('POST', '/customers/demo/tokens', {});
    const token = { 'x-api-key': '', authorization: `Bearer ${made.body.token}` };
    for (let request = 0; request < 3; request++) await askGraphQL();
    expect((await askGraphQL()).status).toBe(429);
    const statuses: number[] = [];
    for (let request = 0; request < 3; request++) statuses.push((await askGraphQL(token)).status);
    expect(statuses).toEqual([200, 200, 429]);
  });

  test('are not limited where the limit is 0, and answers say nothing of one', async () => {
    app = await openApp({ limits: { perKey: 0, perToken: 0, guesses: 0 } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => askGraphQL()));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect([...(answers[0]?.headers.keys() ?? [])].filter((name) => name.startsWith('ratelimit'))).toEqual(
      [],
    );
  });
});

describe('wrong keys', () => {
  test('of one address are soon refused unseen; who calls from there with a good one goes on', async () => {
    app = await openApp({ limits: { ...LIMITS, perKey: 100 } });
    expect((await from('192.0.2.1')).status).toBe(200);
    const statuses: number[] = [];
    for (let guess = 0; guess < 6; guess++) {
      statuses.push((await from('192.0.2.1', { 'x-api-key': `cbk_guess_${guess}` })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 429, 429]);
    const refused = await from('192.0.2.1', { 'x-api-key': '', authorization: 'Bearer guess' });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await from('192.0.2.1')).status).toBe(200);
    expect((await from('192.0.2.2', { 'x-api-key': 'cbk_guess' })).status).toBe(401);
  });
});

async function askGraphQL(extra: Record<string, string> = {}) {
  return from(undefined, extra);
}

/** Headers that are given as nothing are left out. */
async function from(address: string | undefined, extra: Record<string, string> = {}) {
  const given = { 'content-type': 'application/json', 'x-api-key': app.key, ...extra };
  const headers = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  const body = JSON.stringify({ query: ASK });
  const request = new Request('http://crossbook.test/graphql', { method: 'POST', headers, body });
  const response = await toFetch((asked) => app.app.answer(asked, address))(request);
  return { status: response.status, headers: response.headers, body: await response.json() };
}
