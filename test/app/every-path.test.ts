import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAdminKey } from '../../src/domain/caller.ts';
import { OPERATIONS } from '../../src/rest/routes/all.ts';
import { type Collector, openCollector } from '../support/collector.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { toFetch } from '../support/to-fetch.ts';

const { key: adminKey, hash } = createAdminKey();
const ORIGIN = 'http://localhost:3000';
/** What people put into a path by mistake. */
const PRIVATE = [
  'ada@example.com',
  'ada%40example.com',
  `cbk_${'a1'.repeat(20)}`,
  'v2.k1.MGQ5Yz.aBc',
];

const TEMPLATES = [
  '/',
  '/livez',
  '/readyz',
  '/metrics',
  '/graphql',
  '/docs',
  '/openapi.json',
  '/demo/connect',
  '/demo/connected',
  '/connect/{token}',
  '/connect/{token}/start',
  '/connect/callback/{provider_name}',
  '/admin/applications/{application}/keys',
  '/admin/keys/{key_id}/revoke',
  '/console',
  '/console/session',
  '/console/errors',
  '/console/application_sessions',
  '/console/assets/{file}',
  ...new Set(OPERATIONS.map(({ path }) => path)),
];
const UNKNOWN = [
  '/nothing/{text}',
  '/connect',
  '/connect/a/b/{text}',
  '/admin/{text}',
  '/CONNECT/{text}',
];

let collector: Collector;
let app: TestApp;
beforeAll(async () => {
  collector = await openCollector();
  app = await openApp({
    adminKeyHash: hash,
    metrics: true,
    traces: { endpoint: collector.endpoint, headers: {}, serviceName: 'crossbook' },
  });
});
afterAll(() => collector.close());

describe('on every path, with and without credentials, a request', () => {
  const answers: { readonly sent: string; readonly headers: Headers }[] = [];
  const logged = new Set<unknown>();

  beforeAll(async () => {
    const paths = [...TEMPLATES, ...UNKNOWN].flatMap((template) =>
      PRIVATE.map((text) => template.replace(/\{\w+\}/g, text)),
    );
    for (const path of new Set(paths)) {
      for (const headers of [...CREDENTIALS, { 'x-api-key': app.key }]) {
        for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
          const request = new Request(`http://localhost:4000${path}`, { method, headers });
          const response = await toFetch(app.app.answer)(request);
          answers.push({ sent: `${method} ${path}`, headers: response.headers });
        }
      }
    }
    await app.close();
    for (const line of app.log) {
      const { msg, route } = JSON.parse(line);
      if (msg === 'request') logged.add(route);
    }
  });

  test('is logged by the template of its path, or as unknown', () => {
    expect(logged).toEqual(new Set([...TEMPLATES, 'unknown']));
  });

  test('leaves no text of its path in the log and in spans', () => {
    const output = app.log.join('') + JSON.stringify(collector.spans());
    expect(collector.spans().length).toBeGreaterThan(100);
    for (const text of PRIVATE) expect(output).not.toContain(text);
  });

  test('gets a response whose type browsers do not guess', () => {
    const guessed = answers.filter(
      ({ headers }) => headers.get('x-content-type-options') !== 'nosniff',
    );
    expect(guessed.map(({ sent }) => sent)).toEqual([]);
  });
});

describe('a preflight request of an origin that an application lists', () => {
  const findAllowed = async ({ app }: TestApp, path: string, more = {}) => {
    const headers = { origin: ORIGIN, 'access-control-request-method': 'POST', ...more };
    const request = new Request(`http://localhost:4000${path}`, { method: 'OPTIONS', headers });
    return (await toFetch(app.answer)(request)).headers.get('access-control-allow-origin');
  };
  let open: TestApp[] = [];
  beforeAll(async () => {
    open = await Promise.all([openApp({ adminKeyHash: hash }), openApp()]);
  });
  afterAll(() => Promise.all(open.map((one) => one.close())));

  test.each(['/graphql', '/customers', '/nothing'])('succeeds for %s', async (path) => {
    for (const one of open) expect(await findAllowed(one, path)).toBe(ORIGIN);
  });

  test.each([
    '/admin/applications',
    '/admin/nothing',
    '/connect/x',
    '/connect/x/start',
    '/demo/connect',
    '/console',
    '/console/session',
  ])('never succeeds for %s, whether the admin API is on or off', async (path) => {
    for (const one of open) {
      expect(await findAllowed(one, path)).toBeNull();
      expect(await findAllowed(one, path, { 'x-admin-key': adminKey })).toBeNull();
    }
  });
});

const CREDENTIALS: readonly Record<string, string>[] = [
  {},
  { 'x-api-key': 'cbk_wrong' },
  { origin: ORIGIN },
  { origin: ORIGIN, 'access-control-request-method': 'POST' },
  { 'x-admin-key': adminKey },
];
