import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toFetch } from '../support/to-fetch.ts';
import { type CallersApp, ORIGINS, openCallers } from './open-callers.ts';

let app: CallersApp;
beforeAll(async () => {
  app = await openCallers();
});
afterAll(() => app.close());

const ASKED = {
  graphql: {
    path: '/graphql',
    body: { query: '{ customer(customerId: "demo") { name } }' },
  },
  rest: { path: '/contacts/_search', body: { filter: { email: 'ada@example.com' } } },
};

describe.each(Object.entries(ASKED))('CORS in %s', (_face, { path, body }) => {
  const ask = (origin: string, headers: Record<string, string>) =>
    toFetch(app.crossbook.app.answer)(
      new Request(`http://crossbook.test${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          origin,
          ...headers,
          'x-customer-id': 'demo',
          'x-provider-name': 'hubspot',
        },
        body: JSON.stringify(body),
      }),
    );

  test('a page of an allowed origin passes the preflight and reads the response', async () => {
    const preflight = await toFetch(app.crossbook.app.answer)(
      new Request(`http://crossbook.test${path}`, {
        method: 'OPTIONS',
        headers: {
          origin: ORIGINS.demo,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type,x-provider-name',
        },
      }),
    );
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(ORIGINS.demo);
    expect(JSON.parse(app.crossbook.log.at(-1) ?? '')).toMatchObject({
      method: 'OPTIONS',
      route: path,
      status: 204,
      requestId: preflight.headers.get('x-request-id'),
    });
    for (const caller of ['token', 'key']) {
      const answer = await ask(ORIGINS.demo, app.callers[caller] ?? {});
      expect(answer.status).toBe(200);
      expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGINS.demo);
      expect(answer.headers.get('access-control-expose-headers')).toContain('x-request-id');
      expect(answer.headers.get('vary')).toMatch(/Origin/);
    }
  });

  test('a page of another application’s origin cannot read the response', async () => {
    for (const origin of [ORIGINS.other, 'https://app.example.evil', 'null']) {
      const { headers } = await ask(origin, app.callers['token'] ?? {});
      expect(headers.has('access-control-allow-origin'), origin).toBe(false);
    }
  });

  test('a page of an allowed origin can read the 401 for its expired token', async () => {
    const answer = await ask(ORIGINS.demo, app.refused['expiredToken'] ?? {});
    expect(answer.status).toBe(401);
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGINS.demo);
  });
});
