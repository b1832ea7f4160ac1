import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAdminKey } from '../../src/domain/caller.ts';
import { ACCESS } from '../../src/rest/console-access.ts';
import { OPERATIONS } from '../../src/rest/routes/all.ts';
import { createFakeClock } from '../support/clock.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { toFetch } from '../support/to-fetch.ts';

const { key: adminKey, hash } = createAdminKey();
const PAGE = { 'sec-fetch-site': 'same-origin' };
const clock = createFakeClock(Date.parse('2026-11-20T12:00:00.000Z'));

let app: TestApp;
beforeAll(async () => {
  app = await openApp({ adminKeyHash: hash }, { clock });
});
afterAll(() => app.close());

/** Sends a request as the console's page does, unless the headers say otherwise. */
async function send(
  method: string,
  path: string,
  { body, headers = {}, to = app, address }: Sent = {},
): Promise<Received> {
  // The audit is in order of time.
  clock.step(1);
  const response = await toFetch((request) => to.app.answer(request, address))(
    new Request(`http://localhost:4000${path}`, {
      method,
      headers: {
        ...PAGE,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  };
}

/** Each person has an address, because sign-ins are limited by address. */
let people = 0;
async function signIn(to = app): Promise<Session> {
  people += 1;
  const address = `192.0.2.${people}`;
  const { status, headers, body } = await send('POST', '/console/session', {
    body: { key: adminKey },
    to,
    address,
  });
  expect(status).toBe(200);
  const setCookie = headers.get('set-cookie') ?? '';
  return {
    setCookie,
    headers: { cookie: setCookie.split(';')[0] ?? '', 'x-csrf-token': body.session.csrf_token },
  };
}

/** The headers of a session for one application. */
async function openApplication(session: Session, to = app, name = 'Demo application') {
  const { headers } = session;
  const { applications } = (await send('GET', '/admin/applications', { headers, to })).body;
  const { id } = applications.find((one: { name: string }) => one.name === name);
  const { body } = await send('POST', '/console/application_sessions', {
    headers,
    to,
    body: { application_id: id },
  });
  return { cookie: headers['cookie'] ?? '', authorization: `Bearer ${body.token}` };
}

const readAudit = async (session: Session, to = app) =>
  (await send('GET', '/admin/audit', { headers: session.headers, to })).body.entries;

describe('signing in to the console', () => {
  test('sets a cookie that scripts and other sites cannot use, and opens the admin API', async () => {
    const { setCookie, headers } = await signIn();
    expect(setCookie).toMatch(
      /^crossbook-console=[\w.-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=28800$/,
    );
    expect((await send('GET', '/admin/applications', { headers })).status).toBe(200);
  });

  test('with https the cookie is Secure and has the prefix __Host-', async () => {
    const secure = await openApp({ adminKeyHash: hash, publicUrl: 'https://crossbook.example' });
    const { setCookie } = await signIn(secure);
    await secure.close();
    expect(setCookie).toMatch(
      /^__Host-crossbook-console=.*; Path=\/; HttpOnly; SameSite=Strict; Secure;/,
    );
  });

  test.each([
    ['another key of the same format', { key: createAdminKey().key }, 401],
    ['the hash of the key', { key: hash }, 401],
    ['no key', {}, 400],
    ['a key that is no text', { key: 1 }, 400],
  ])('%s is refused', async (_, body, status) => {
    people += 1;
    const refused = await send('POST', '/console/session', { body, address: `192.0.2.${people}` });
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([status, null]);
  });

  test('of a thousand wrong keys from one address five are compared, and then also the right one is refused for a minute', async () => {
    const address = '198.51.100.1';
    const attempt = (key: string) => send('POST', '/console/session', { body: { key }, address });
    const statuses = new Map<number, number>();
    for (let count = 0; count < 1_000; count += 1) {
      const { status } = await attempt(createAdminKey().key);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect(Object.fromEntries(statuses)).toEqual({ 401: 5, 429: 995 });
    const refused = await attempt(adminKey);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([
      429,
      expect.stringMatching(/^\d+$/),
    ]);
    await clock.advance(60_000);
    expect((await attempt(adminKey)).status).toBe(200);
  });

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another origin of the site', { 'sec-fetch-site': 'same-site' }],
  ])('is refused from a page of %s', async (_, headers) => {
    people += 1;
    const { status } = await send('POST', '/console/session', {
      body: { key: adminKey },
      headers,
      address: `192.0.2.${people}`,
    });
    expect(status).toBe(403);
  });
});

describe('a session', () => {
  test('ends after eight hours', async () => {
    const { headers } = await signIn();
    clock.step(8 * 60 * 60_000 - 60_000);
    expect((await send('GET', '/admin/applications', { headers })).status).toBe(200);
    clock.step(60_000);
    expect((await send('GET', '/admin/applications', { headers })).status).toBe(401);
    expect((await send('GET', '/console/session', { headers })).body).toEqual({ session: null });
  });

  test('ends by signing out, and the cookie is worth nothing afterwards', async () => {
    const { headers } = await signIn();
    const out = await send('DELETE', '/console/session', { headers });
    expect([out.status, out.headers.get('set-cookie')]).toEqual([
      204,
      expect.stringContaining('Max-Age=0'),
    ]);
    expect((await send('GET', '/admin/applications', { headers })).status).toBe(401);
  });

  test('ends when the admin key is replaced', async () => {
    const { headers } = await signIn();
    const other = await openApp({ adminKeyHash: createAdminKey().hash });
    expect((await send('GET', '/admin/applications', { headers, to: other })).status).toBe(401);
    await other.close();
  });

  test.each([
    ['without the CSRF token', { 'x-csrf-token': '' }, 403],
    ['with the CSRF token of another session', 'other', 403],
    ['sent by a page of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    [
      'sent by an older browser from another origin',
      { 'sec-fetch-site': null, origin: 'https://evil.example' },
      403,
    ],
    [
      'with a cookie that is not signed here',
      { cookie: 'crossbook-console=v2.test.e30.AAAA' },
      401,
    ],
    ['with the cookie twice', 'twice', 401],
  ])('is refused %s', async (_, change, status) => {
    const { headers } = await signIn();
    const cookie = headers['cookie'] ?? '';
    const other =
      change === 'other'
        ? { 'x-csrf-token': (await signIn()).headers['x-csrf-token'] ?? '' }
        : change === 'twice'
          ? { cookie: `${cookie}; ${cookie}` }
          : (change as Record<string, string>);
    const sent = Object.fromEntries(
      Object.entries({ ...PAGE, ...headers, ...other }).filter(([, value]) => value !== null),
    );
    for (const [method, path] of [
      ['GET', '/admin/applications'],
      ['POST', '/admin/applications'],
      ['DELETE', '/console/session'],
      ['POST', '/console/application_sessions'],
    ] as const) {
      const response = await toFetch(app.app.answer)(
        new Request(`http://localhost:4000${path}`, { method, headers: sent }),
      );
      expect([path, response.status]).toEqual([path, status]);
    }
  });
});

describe('a session for one application', () => {
  test('reads that application, through the REST API only, for fifteen minutes', async () => {
    const own = await openApplication(await signIn());
    expect((await send('GET', '/customers/demo', { headers: own })).status).toBe(200);
    const graphql = await send('POST', '/graphql', {
      headers: own,
      body: { query: '{ __typename }' },
    });
    expect(graphql.status).toBe(403);
    clock.step(15 * 60_000);
    expect((await send('GET', '/customers/demo', { headers: own })).status).toBe(401);
  });

  test('is valid with the cookie of its own session only, and ends with it', async () => {
    const session = await signIn();
    const own = await openApplication(session);
    const other = await signIn();
    for (const cookie of ['', other.headers['cookie'] ?? '']) {
      expect((await send('GET', '/customers/demo', { headers: { ...own, cookie } })).status).toBe(
        401,
      );
    }
    await send('DELETE', '/console/session', { headers: session.headers });
    expect((await send('GET', '/customers/demo', { headers: own })).status).toBe(401);
  });

  test('sees nothing of other applications', async () => {
    const session = await signIn();
    await send('POST', '/admin/applications', {
      headers: session.headers,
      body: { name: 'Other' },
    });
    const other = await openApplication(session, app, 'Other');
    expect((await send('GET', '/customers/demo', { headers: other })).status).toBe(404);
    expect((await send('GET', '/customers', { headers: other })).body.records).toEqual([]);
  });

  test('has access to operations that exist, and to no writes', () => {
    const ids = OPERATIONS.map(({ id }) => id);
    expect(Object.keys(ACCESS).filter((id) => !ids.includes(id))).toEqual([]);
    const writing = OPERATIONS.filter(({ path }) => /_(?:create|update|upsert)$/.test(path));
    expect(writing.filter(({ id }) => Object.hasOwn(ACCESS, id))).toEqual([]);
  });

  test('may call the operations that the console needs, and no others', async () => {
    const own = await openApplication(await signIn());
    const refused: string[] = [];
    for (const { id, method, path } of OPERATIONS) {
      const filled = path.replace('{provider_name}', 'hubspot').replaceAll(/\{\w+\}/g, 'none');
      const { status, body } = await send(method, filled, {
        headers: own,
        ...(method !== 'GET' && { body: {} }),
      });
      if (status === 403 && body.errors[0].detail.includes('may not call')) refused.push(id);
    }
    expect(refused).toEqual(
      expect.arrayContaining(['issueCustomerToken', 'upsertCustomer', 'confirmConnectLink']),
    );
    expect(refused).not.toContain('createConnectLink');
  });
});

describe('the audit', () => {
  test('has each change, each look-up of records and each opened application, with the session and no value', async () => {
    const session = await signIn();
    const own = await openApplication(session);
    await send('POST', '/admin/applications/Demo application/keys', {
      headers: session.headers,
      body: { name: 'audited' },
    });
    const target = { 'x-customer-id': 'demo', 'x-provider-name': 'hubspot' };
    const found = await send('POST', '/contacts/_search', {
      headers: { ...own, ...target },
      body: { filter: { email: 'ada@example.com' } },
    });
    expect(found.body.records).toHaveLength(1);
    const [{ id }] = found.body.records;
    expect((await send('GET', `/contacts/${id}`, { headers: { ...own, ...target } })).status).toBe(
      200,
    );
    await send('POST', '/webhook_endpoints', {
      headers: own,
      body: { url: 'http://localhost:9/hook' },
    });
    const entries = await readAudit(session);
    expect(entries.slice(0, 6)).toMatchObject([
      { action: 'createWebhookEndpoint', application_id: expect.any(String) },
      { action: 'getContact', customer_id: 'demo', subject: 'hubspot' },
      { action: 'searchContacts', customer_id: 'demo', subject: 'hubspot' },
      { action: 'createKey', subject: 'Demo application' },
      { action: 'openApplication', application_id: expect.any(String) },
      { action: 'signIn', application_id: null },
    ]);
    expect(
      new Set(entries.slice(0, 6).map((one: { session_id: string }) => one.session_id)).size,
    ).toBe(1);
    expect(JSON.stringify(entries)).not.toContain('ada@example.com');
    expect(app.log.join('')).toMatch(/"credential":"console-[0-9a-f-]{36}"/);
  });

  test('without the privilege records are not read, and the attempt is a 403', async () => {
    const strict = await openApp({ adminKeyHash: hash, console: { contacts: false } });
    const own = await openApplication(await signIn(strict), strict);
    const headers = { ...own, 'x-customer-id': 'demo', 'x-provider-name': 'hubspot' };
    const body = { filter: { email: 'ada@example.com' } };
    for (const path of ['contacts', 'companies', 'deals']) {
      const refused = [
        await send('POST', `/${path}/_search`, { headers, body, to: strict }),
        await send('GET', `/${path}/1`, { headers, to: strict }),
      ];
      for (const { status, body: refusal } of refused)
        expect([path, status, refusal.errors[0].detail]).toEqual([
          path,
          403,
          expect.stringContaining('CROSSBOOK_CONSOLE_CONTACTS'),
        ]);
    }
    await strict.close();
  });
});

describe('the pages of the console', () => {
  test('cannot be framed, and load nothing but files of this origin', async () => {
    const { headers, text } = await send('GET', '/console/customers/ada');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).not.toMatch(/<script>|<style|style=|https?:\/\/(?!www\.w3\.org)/);
  });

  test('name files that are kept for a year, compressed below 250 kB together', async () => {
    const { text } = await send('GET', '/console');
    const names = [...text.matchAll(/\/console\/assets\/[\w.-]+/g)].map(([name]) => name);
    expect(names).toHaveLength(2);
    let bytes = 0;
    for (const name of names) {
      const file = await send('GET', name, { headers: { 'accept-encoding': 'br' } });
      expect([file.status, file.headers.get('cache-control')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
      ]);
      bytes += Number(file.headers.get('content-length'));
    }
    expect(bytes).toBeLessThan(250_000);
  });

  test('a path that leads out of the folder finds no file', async () => {
    for (const name of ['..%2fmain.js', 'none.js', 'index.html', ''])
      expect((await send('GET', `/console/assets/${name}`)).status).toBe(404);
  });

  test('without the console its paths, its cookies and its tokens are unknown', async () => {
    const session = await signIn();
    const own = await openApplication(session);
    const without = await openApp({ adminKeyHash: hash, console: undefined });
    expect((await send('GET', '/console', { to: without })).status).toBe(404);
    expect(
      (await send('GET', '/admin/applications', { headers: session.headers, to: without })).status,
    ).toBe(401);
    expect((await send('GET', '/customers/demo', { headers: own, to: without })).status).toBe(401);
    await without.close();
  });
});

interface Sent {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly to?: TestApp;
  readonly address?: string | undefined;
}

interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a response can be anything; the test asserts its content.
  readonly body: any;
}

interface Session {
  readonly setCookie: string;
  readonly headers: Record<string, string>;
}
