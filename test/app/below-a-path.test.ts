import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Crossbook, createCrossbook } from '../../src/index.ts';
import { type Browser, consent, openWireBrowser } from '../support/connect-browser.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';

// An application with a `/graphql` of its own, which gives Crossbook all requests below `/crm/crossbook`.

const PATH = '/crm/crossbook';

let database: TestDatabase;
let server: Server;
let crossbook: Crossbook;
let origin: string;
/** Requests that reached the application instead. */
const strays: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  server = createServer((request, response) => {
    if (request.url?.startsWith(`${PATH}/`) || request.url === PATH)
      return crossbook.handle(request, response);
    strays.push(request.url ?? '');
    response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  crossbook = await createCrossbook({
    settings: {
      DATABASE_URL: database.url,
      PUBLIC_URL: origin + PATH,
      CROSSBOOK_SANDBOX: 'on',
      CROSSBOOK_SANDBOX_PORT: '0',
      CROSSBOOK_MCP: 'on',
      CROSSBOOK_MCP_ISSUER: 'https://login.example',
      LOG_LEVEL: 'silent',
    },
  });
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await crossbook.close();
  await database.drop();
});

test('every link, form and image of its pages leads below the path, to something that exists', async () => {
  const browser = openWireBrowser();
  const seen = new Map<string, number>();
  const waiting = [`${origin}${PATH}/`, `${origin}${PATH}/nothing/there`];
  const missing = new Set(waiting.slice(1));
  for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
    if (seen.has(url)) continue;
    const { status, text, headers } = await browser.visit(url, {
      headers: { accept: 'text/html' },
    });
    seen.set(url, status);
    expect([url, status]).toEqual([url, missing.has(url) ? 404 : 200]);
    if (!headers.get('content-type')?.startsWith('text/html') || text.length > 1_000_000) continue;
    waiting.push(...listTargets(text, url));
  }
  expect([...seen.keys()].map((url) => url.slice(origin.length))).toEqual(
    expect.arrayContaining([`${PATH}/`, `${PATH}/docs`, `${PATH}/openapi.json`, `${PATH}/graphql`]),
  );
  expect(strays).toEqual([]);
});

test('the demo’s customer connects a CRM: pages, forms, cookies, callback and redirects are below the path', async () => {
  const browser = openWireBrowser();
  const begun = await submit(browser, `${origin}${PATH}/`);
  const link = begun.headers.get('location') ?? '';
  expect(link).toMatch(new RegExp(`^${origin}${PATH}/connect/`));
  const choice = await browser.visit(link);
  const offer = listTargets(choice.text, link).find((url) => url.endsWith('?provider=hubspot'));
  const leaving = await submit(browser, offer ?? '');
  expect(leaving.headers.get('set-cookie')).toContain(`; Path=${PATH}/connect;`);
  const [, consentUrl = ''] = /content="0; url=([^"]*)"/.exec(leaving.text) ?? [];
  const callback = await consent(consentUrl.replaceAll('&amp;', '&'));
  expect(callback).toMatch(new RegExp(`^${origin}${PATH}/connect/callback/hubspot\\?`));
  const fields = toUrl(await browser.visit(callback));
  expect(fields).toMatch(new RegExp(`^${origin}${PATH}/connect/.*/fields$`));
  const back = toUrl(await submit(browser, fields));
  const confirmed = toUrl(await submit(browser, back));
  const end = await browser.visit(confirmed);
  expect(end.text).toContain('HubSpot is connected');
  expect(end.text).toContain(`curl -s ${origin}${PATH}/graphql`);
  for (const url of listTargets(end.text, confirmed)) expect(url).toContain(`${origin}${PATH}/`);
  expect(strays).toEqual([]);

  function toUrl({ headers }: { readonly headers: Headers }): string {
    return new URL(headers.get('location') ?? '', origin).href;
  }
});

test('GraphQL, REST and MCP respond below the path, and where a proxy has removed it', async () => {
  const headers = {
    'content-type': 'application/json',
    'x-api-key': crossbook.demo?.apiKey ?? '',
    'x-customer-id': 'demo',
  };
  const body = JSON.stringify({ query: '{ customer { customerId } }' });
  const found = await fetch(`${origin}${PATH}/graphql`, { method: 'POST', headers, body });
  expect(await found.json()).toEqual({ data: { customer: { customerId: 'demo' } } });
  const { servers, paths } = await (await fetch(`${origin}${PATH}/openapi.json`)).json();
  expect(servers).toEqual([{ url: PATH }]);
  expect(Object.keys(paths)).toContain('/customers/{customer_id}');
  const customer = await fetch(`${origin}${servers[0].url}/customers/demo`, { headers });
  expect(await customer.json()).toMatchObject({ customer_id: 'demo' });
  const refused = await fetch(`${origin}${PATH}/mcp`, { method: 'POST', headers: {}, body });
  const [, metadataUrl = ''] =
    /resource_metadata="([^"]*)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
  const metadata = await (await fetch(metadataUrl)).json();
  expect(metadata).toMatchObject({ resource: `${origin}${PATH}/mcp` });
  const stripping = createServer(crossbook.handle).listen(0, '127.0.0.1');
  await once(stripping, 'listening');
  const { port } = stripping.address() as AddressInfo;
  for (const [path, expected] of [
    ['/livez', { ok: true }],
    [`${PATH}/livez`, { ok: true }],
    // RFC 9728 has it in front of the path of the resource.
    [`/.well-known/oauth-protected-resource${PATH}/mcp`, metadata],
  ] as const)
    expect(await (await fetch(`http://localhost:${port}${path}`)).json()).toEqual(expected);
  for (const path of [`${PATH}-other/livez`, `${PATH}livez`, `/other${PATH}/livez`])
    expect([path, (await fetch(`http://localhost:${port}${path}`)).status]).toEqual([path, 404]);
  stripping.close();
  stripping.closeAllConnections();
});

/** The URLs of this server that a page names. */
function listTargets(text: string, at: string): readonly string[] {
  const urls = [...text.matchAll(/ (?:href|action|src)="([^"#][^"]*)"/g)].map(([, url = '']) => {
    const target = new URL(url.replaceAll('&amp;', '&'), at);
    target.hash = '';
    return target.href;
  });
  return urls.filter((url) => url.startsWith(origin) && !url.endsWith('/demo/connect'));
}

/** Submits the first form of a page. */
async function submit(browser: Browser, url: string) {
  const { text } = await browser.visit(url);
  const [, action = '', content = ''] =
    /<form method="post" action="([^"]*)">([\s\S]*?)<\/form>/.exec(text) ?? [];
  const inputs = [...content.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
  const form = Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, value]));
  return browser.visit(new URL(action, url).href, { method: 'POST', form });
}
