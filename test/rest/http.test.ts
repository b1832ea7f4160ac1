import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { DEMO, openRest } from './open-rest.ts';

describe('methods', () => {
  test.each([
    ['/contacts/_search', 'POST, OPTIONS'],
    ['/customers', 'PUT, GET, HEAD, OPTIONS'],
    ['/customers/demo', 'GET, DELETE, HEAD, OPTIONS'],
    ['/openapi.json', 'GET, HEAD, OPTIONS'],
    ['/docs', 'GET, HEAD, OPTIONS'],
  ])('%s accepts %s, lists them in Allow, and rejects others', async (path, allow) => {
    const { ask } = await openRest();
    const options = await ask('OPTIONS', path, { headers: {} });
    expect([options.status, options.headers.get('allow'), options.text]).toEqual([204, allow, '']);
    const others = ['DELETE', 'PATCH', allow.includes('GET') ? 'POST' : 'GET'];
    for (const method of others.filter((other) => !allow.includes(other))) {
      const refused = await ask(method, path, { headers: {} }).catch((error: unknown) => error);
      expect(refused).toMatchObject({
        status: 405,
        body: { errors: [{ code: 'METHOD_NOT_ALLOWED', status: '405' }] },
      });
      expect((refused as { headers: Headers }).headers.get('allow')).toBe(allow);
    }
  });

  test.each(['/customers/demo', '/customers/nobody', '/openapi.json'])(
    'HEAD %s is GET without its body',
    async (path) => {
      const { rest } = await openRest();
      const [head, get] = await Promise.all(
        ['HEAD', 'GET'].map((method) =>
          rest.fetch(new Request(`http://localhost${path}`, { method, headers: DEMO })),
        ),
      );
      expect([head?.status, head?.headers.get('etag'), await head?.text()]).toEqual([
        get?.status,
        get?.headers.get('etag'),
        '',
      ]);
    },
  );

  test('HEAD of a search is rejected', async () => {
    const { rest } = await openRest();
    const head = await rest.fetch(
      new Request('http://localhost/contacts/_search', { method: 'HEAD' }),
    );
    expect([head.status, head.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
  });
});

describe('paths', () => {
  test('unknown paths get 404 in the common error format', async () => {
    const { ask } = await openRest();
    for (const path of [
      '/',
      '/contacts',
      '/contacts/_search/',
      '/customers/a/b',
      '//customers',
      '/constructor',
    ]) {
      expect(await ask('GET', path)).toMatchObject({
        status: 404,
        body: { errors: [{ code: 'NOT_FOUND' }] },
      });
    }
  });

  test('each operation can live below a prefix of its own', async () => {
    const { ask, document } = await openRest({
      prefixes: { contacts: '/crm/v2', customers: '/mgmt/v2' },
    });
    const paths = Object.keys(document.paths);
    expect(
      paths.filter(
        (path) =>
          !/^\/(crm\/v2\/contacts|mgmt\/v2\/customers|companies|deals|pipelines|owners|webhook_endpoints|events|oauth_clients|custom_fields|sync_destination|sync_configurations|branding|links|writes)(\/|$)/.test(
            path,
          ),
      ),
    ).toEqual([]);
    const body = { filter: { email: 'ada@example.com' } };
    expect((await ask('POST', '/crm/v2/contacts/_search', { body })).status).toBe(200);
    expect((await ask('GET', '/mgmt/v2/customers/demo')).status).toBe(200);
    expect((await ask('POST', '/contacts/_search', { body })).status).toBe(404);
  });
});

describe('compression', () => {
  const search = async (accept: string) => {
    const { rest } = await openRest();
    const body = JSON.stringify({ filter: { email_domain: 'example.com' } });
    const headers = { ...DEMO, 'content-type': 'application/json', 'accept-encoding': accept };
    return rest.fetch(
      new Request('http://localhost/contacts/_search', { method: 'POST', headers, body }),
    );
  };
  test.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ['identity', null, (bytes: Buffer) => bytes],
    ['br;q=0.0', null, (bytes: Buffer) => bytes],
    ['', null, (bytes: Buffer) => bytes],
  ])('a large response for “%s” is encoded as %s', async (accept, encoding, open) => {
    const response = await search(accept);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(response.headers.get('vary')).toBe('accept-encoding');
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    expect(JSON.parse(open(bytes).toString()).records).toHaveLength(30);
  });

  test('a customer with its strong ETag is not compressed, so that its bytes are always the same', async () => {
    const { ask } = await openRest();
    const answer = await ask('GET', '/customers/demo', {
      headers: { ...DEMO, 'accept-encoding': 'gzip' },
    });
    expect(answer.headers.get('content-encoding')).toBeNull();
  });
});

test('responses with data are not cacheable', async () => {
  const { ask } = await openRest();
  expect((await ask('GET', '/customers/demo')).headers.get('cache-control')).toBe('no-store');
});
