import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { listExampleOperations } from '../../src/graphql/over-http/graphiql-page.ts';
import { createTestServer, DEMO } from './test-server.ts';

const BROWSER = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'accept-encoding': 'gzip, deflate, br',
};

test('a browser gets the page, compressed as accepted, and 304 while its cached copy is current', async () => {
  const { send } = await createTestServer({
    graphiql: { headers: () => ({ 'x-api-key': 'shown-in-the-tabs' }) },
  });
  const open = (headers: Record<string, string>) =>
    send(new Request('http://localhost/graphql', { headers: { ...BROWSER, ...headers } }));

  const brotli = await open({});
  expect(brotli.headers.get('content-encoding')).toBe('br');
  expect(brotli.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const html = brotliDecompressSync(Buffer.from(await brotli.arrayBuffer())).toString();
  expect(html).toContain('<title>Crossbook</title>');
  expect(html).toContain('shown-in-the-tabs');
  const gzip = await open({ 'accept-encoding': 'gzip, br;q=0' });
  expect(gunzipSync(Buffer.from(await gzip.arrayBuffer())).toString()).toBe(html);

  const etag = brotli.headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[\w-]+"$/);
  expect(gzip.headers.get('etag')).not.toBe(etag);
  const again = await open({ 'accept-encoding': 'br', 'if-none-match': etag });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

test.each([
  ['names no encoding', ''],
  ['refuses compression', 'gzip;q=0, br;q=0'],
  ['accepts only other encodings', 'deflate, zstd'],
])('a client that %s gets 406 instead of 9 MB', async (_title, encoding) => {
  const { send } = await createTestServer({ graphiql: {} });
  const headers = { ...BROWSER, 'accept-encoding': encoding };
  const answer = await send(new Request('http://localhost/graphql', { headers }));
  expect(answer.status).toBe(406);
  expect(await answer.text()).toContain('send Accept-Encoding: gzip or br');
});

test('the page is one document of at most 2.5 MB when compressed', async () => {
  const { send } = await createTestServer({ graphiql: {} });
  for (const encoding of ['br', 'gzip']) {
    const headers = { ...BROWSER, 'accept-encoding': encoding };
    const page = await send(new Request('http://localhost/graphql', { headers }));
    expect(page.headers.get('content-encoding')).toBe(encoding);
    expect((await page.arrayBuffer()).byteLength).toBeLessThan(2_500_000);
  }
});

test('the page cannot send requests to other hosts', async () => {
  const { send } = await createTestServer({ graphiql: {} });
  const page = await send(new Request('http://localhost/graphql', { headers: BROWSER }));
  expect(page.headers.get('content-security-policy')).not.toMatch(/https?:|\*/);
  const html = brotliDecompressSync(Buffer.from(await page.arrayBuffer())).toString();
  expect(html).not.toMatch(/<(script|link|img)[^>]+(src|href)="https?:/);
});

test('clients that accept JSON never get the page, and no client does when it is disabled', async () => {
  const { send } = await createTestServer({ graphiql: {} });
  const json = await send(new Request('http://localhost/graphql?query={__typename}'));
  expect(await json.json()).toEqual({ data: { __typename: 'Query' } });
  const bare = await createTestServer();
  const page = await bare.send(
    new Request('http://localhost/graphql?query={__typename}', { headers: BROWSER }),
  );
  expect(page.headers.get('content-type')).toMatch('application/json');
});

test.each(
  listExampleOperations().map((operation) => [nameOf(operation.query), operation] as const),
)('the tab %s answers as it stands', async (name, { query, variables }) => {
  const { execute } = await createTestServer();
  const { data, errors } = await execute(query, variables, DEMO);
  if (name === 'FindInOneCrm') {
    // The connections of this server may read contacts only: links are refused by themselves.
    expect(data).toMatchObject({ searchContacts: { totalCount: 1 } });
    const refused = errors?.map(({ path, extensions }) => [path?.at(-1), extensions?.['code']]);
    expect(refused).toEqual([
      ['companies', 'FORBIDDEN'],
      ['deals', 'FORBIDDEN'],
    ]);
  } else if (name === 'FindInAllCrms') {
    expect(data).toMatchObject({
      hubspot: { totalCount: 1 },
      salesforce: { totalCount: 1 },
      zendesk_sell: null,
    });
    expect(errors?.map(({ path }) => path)).toEqual([['zendesk_sell']]);
  } else if (name === 'WriteContact') {
    // The CRMs of this server take no writes. Those of the demo do: test/all/browser/graphiql.test.ts.
    expect(errors?.map(({ extensions }) => extensions?.['code'])).toEqual(['NOT_IMPLEMENTED']);
  } else {
    expect(errors).toBeUndefined();
    expect(Object.values(data)).not.toContain(null);
  }
});

function nameOf(query: string): string | undefined {
  const [definition] = parse(query).definitions;
  return definition && 'name' in definition ? definition.name?.value : undefined;
}
