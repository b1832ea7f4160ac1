import { afterEach, describe, expect, test } from 'vitest';
import { openApp, type TestApp } from '../support/open-app.ts';
import { describeOnRedis, freshPrefix, HANGING_MS, REDIS_URL } from '../support/redis.ts';
import { toFetch } from '../support/to-fetch.ts';

const LIMITS = { perApplication: 3, perCustomer: 2, failedAuthentications: 4 };
const ASK = '{ providers { name } }';
const SEARCH = { filter: { email: 'ada@example.com' } };

let app: TestApp;
afterEach(() => app.close());

describe('The rate limit of an application', () => {
  test('rejects further requests in GraphQL and REST alike, with Retry-After', async () => {
    app = await openApp({ limits: LIMITS });
    for (let request = 0; request < 2; request++) await askGraphQL();
    const third = await app.rest('GET', '/customers/demo');
    expect(third.status).toBe(200);
    expect(third.headers.get('ratelimit-remaining')).toBe('0');
    const rest = await app.rest('POST', '/contacts/_search', SEARCH, {
      'x-provider-name': 'hubspot',
    });
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
        detail: 'This application makes more than 3 requests a minute, weighted by their cost.',
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
    await app.close();
    app = await openApp();
    const { paths } = (await app.rest('GET', '/openapi.json')).body;
    const documented = Object.keys(paths['/contacts/_search'].post.responses[200].headers);
    const sent = [...third.headers.keys()].filter((name) => name.startsWith('ratelimit'));
    expect(documented.map((name) => name.toLowerCase())).toEqual(expect.arrayContaining(sent));
  });

  test('covers the tokens of its customers, and all tokens of a customer share one limit', async () => {
    app = await openApp({ limits: { ...LIMITS, perApplication: 7 } });
    const statuses: number[] = [];
    for (let request = 0; request < 3; request++) {
      const { token } = (await app.rest('POST', '/customers/demo/tokens', {})).body;
      const answer = await askGraphQL({ 'x-api-key': '', authorization: `Bearer ${token}` });
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([200, 200, 429]);
    // Three for making tokens, and two of the three by tokens.
    expect((await askGraphQL()).headers.get('ratelimit-remaining')).toBe('1');
  });

  test('counts a request once per thousand of its cost, in GraphQL and REST', async () => {
    app = await openApp({
      limits: { perApplication: 1_000, perCustomer: 2, failedAuthentications: 0 },
    });
    const left = async (pending: Promise<{ headers: Headers }>) =>
      Number((await pending).headers.get('ratelimit-remaining'));
    const search = (pageSize: number, filter: object) =>
      app.rest(
        'POST',
        `/contacts/_search?page_size=${pageSize}`,
        { filter },
        { 'x-provider-name': 'hubspot' },
      );
    expect(await left(search(1_000, { email: 'ada@example.com' }))).toBe(999);
    expect(await left(search(100, { email_domain: 'example.com' }))).toBe(996);
    // Ten calls to the CRM, and a thousand emails.
    const emails = Array.from({ length: 1_000 }, (_, n) => `nobody-${n}@example.com`);
    expect(await left(search(100, { emails }))).toBe(991);
    const page =
      '{ searchContacts(provider: HUBSPOT, filter: { emailDomain: "example.com" }, first: 200) { nodes { id firstName lastName } } }';
    const before = await left(askGraphQL());
    const after = await left(askGraphQL({}, page));
    expect(before - after).toBeGreaterThan(0);
    const batch = JSON.stringify([{ query: page }, { query: page }]);
    const both = after - (await left(from(undefined, {}, batch)));
    expect(both).toBeGreaterThan(before - after);
    for (const body of [JSON.stringify({ query: page }), batch]) {
      const token = (await app.rest('POST', '/customers/demo/tokens', {})).body.token;
      const refused = await from(
        undefined,
        { 'x-api-key': '', authorization: `Bearer ${token}` },
        body.replaceAll('200', '1000'),
      );
      expect(JSON.stringify(refused.body)).toContain('"code":"TOO_MANY_REQUESTS"');
      // The cost is known only after the body was read; the headers are the same as for a request rejected before
      // that.
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([
        429,
        expect.stringMatching(/^[1-9]\d?$/),
      ]);
    }
  });

  test('is off when set to 0, and responses carry no rate limit headers', async () => {
    app = await openApp({
      limits: { perApplication: 0, perCustomer: 0, failedAuthentications: 0 },
    });
    const answers = await Promise.all(Array.from({ length: 20 }, () => askGraphQL()));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(
      [...(answers[0]?.headers.keys() ?? [])].filter((name) => name.startsWith('ratelimit')),
    ).toEqual([]);
  });
});

describeOnRedis('a limit that is counted in Redis', () => {
  test('rejects a search that costs more than is left, in GraphQL and REST, without a provider call', async () => {
    const redis = { url: REDIS_URL, prefix: freshPrefix(), commandTimeoutMs: HANGING_MS };
    app = await openApp({
      redis,
      limits: { perApplication: 2, perCustomer: 2, failedAuthentications: 0 },
    });
    const token = (await app.rest('POST', '/customers/demo/tokens', {})).body.token;
    const page =
      '{ searchContacts(provider: HUBSPOT, filter: { emailDomain: "example.com" }, first: 1000) { nodes { id firstName lastName } } }';
    const refused = await askGraphQL({ 'x-api-key': '', authorization: `Bearer ${token}` }, page);
    expect(JSON.stringify(refused.body)).toContain('"code":"TOO_MANY_REQUESTS"');
    const filter = { email_domain: 'example.com' };
    const headers = { 'x-provider-name': 'hubspot' };
    const search = await app.rest('POST', '/contacts/_search?page_size=100', { filter }, headers);
    expect(search.status).toBe(429);
    expect(app.sandbox.hubspot.demo.callCount()).toBe(0);
  });
});

describe('Invalid API keys', () => {
  test('from one address slow down its key lookups; valid keys and tokens from the same address still get responses, cached or not', async () => {
    app = await openApp({
      limits: { perApplication: 0, perCustomer: 0, failedAuthentications: 4 },
    });
    const token = (await app.rest('POST', '/customers/demo/tokens', {})).body.token;
    const invalidKey = (index: number) =>
      `cbk_${String(index).padStart(16, '0')}_${'A'.repeat(43)}`;
    const guess = (index: number) => from('192.0.2.1', { 'x-api-key': invalidKey(index) });
    const failedAuthentications = Promise.all(
      Array.from({ length: 1_000 }, (_, index) => guess(index)),
    );
    const right = await Promise.all([
      from('192.0.2.1'),
      from('192.0.2.1', { 'x-api-key': '', authorization: `Bearer ${token}` }),
      from('192.0.2.2'),
    ]);
    expect(right.map(({ status }) => status)).toEqual([200, 200, 200]);
    // A machine too slow to check some of them within five seconds responds with a timeout for those.
    const guessed = new Set((await failedAuthentications).map(({ status }) => status));
    expect([...guessed].filter((status) => status !== 503)).toEqual([401]);
    expect((await from('192.0.2.1')).status).toBe(200);
  });

  test('in the wrong format are rejected without a database query', async () => {
    app = await openApp({
      limits: { perApplication: 0, perCustomer: 0, failedAuthentications: 4 },
    });
    for (const key of [
      'x',
      'cbk_guess',
      `cbk_test.0123456789abcdef_${'A'.repeat(43)}_${'A'.repeat(22)}`,
    ]) {
      expect((await from('192.0.2.1', { 'x-api-key': key })).status).toBe(401);
    }
  });
});

async function askGraphQL(extra: Record<string, string> = {}, query = ASK) {
  return from(undefined, extra, JSON.stringify({ query }));
}

/** Headers whose value is an empty string are not sent. */
async function from(
  address: string | undefined,
  extra: Record<string, string> = {},
  body = JSON.stringify({ query: ASK }),
) {
  const allHeaders = { 'content-type': 'application/json', 'x-api-key': app.key, ...extra };
  const headers = Object.fromEntries(
    Object.entries(allHeaders).filter(([, value]) => value !== ''),
  );
  const request = new Request('http://crossbook.test/graphql', { method: 'POST', headers, body });
  const response = await toFetch((incoming) => app.app.answer(incoming, address))(request);
  return { status: response.status, headers: response.headers, body: await response.json() };
}
