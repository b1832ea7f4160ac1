import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Collector, openCollector } from '../support/collector.ts';
import { consent, openBrowser } from '../support/connect-browser.ts';
import { type ConnectWorld, openConnectWorld, type WorldLink } from '../support/connect-world.ts';

let world: ConnectWorld;
let collector: Collector;
beforeAll(async () => {
  collector = await openCollector();
  const traces = { endpoint: collector.endpoint, headers: {}, serviceName: 'crossbook' };
  world = await openConnectWorld(undefined, { traces, metrics: true });
});
afterAll(async () => {
  await world.close();
  await collector.close();
});

test('no secret of a link, a provider, a client or an endpoint is in logs, traces or metrics, or stored in plain text', async () => {
  const secrets = [
    ...(await goWell()),
    ...(await goWell('salesforce')),
    ...(await goWrong()),
    ...(await failAtVendor()),
    ...(await registerSecrets()),
    ...readProviderTokens(),
  ];
  expect(secrets.length).toBeGreaterThan(20);
  const stored = JSON.stringify(await readTables());
  // With this client, links would lead to the real HubSpot.
  await world.crossbook.rest('DELETE', '/oauth_clients/hubspot');
  expect(stored).toContain('COMPLETED');
  const log = world.crossbook.log.join('');
  expect(log).toContain('/connect/{token}');
  await expect.poll(() => JSON.stringify(collector.spans())).toContain('/connect/{token}');
  const traced = JSON.stringify(collector.spans());
  const measured = (await openBrowser(world.crossbook.app).visit('http://localhost:4000/metrics'))
    .text;
  expect(measured).toContain('crossbook_connect_flows_total');
  for (const secret of secrets.flatMap((one) => [one, encodeURIComponent(one)])) {
    for (const output of [stored, log, traced, measured])
      expect(output.includes(secret)).toBe(false);
  }
});

test('a page contains no secret but those that it has to show', async () => {
  const link = await world.link();
  const secrets = await follow(link, 'hubspot');
  const [token = '', state = ''] = secrets;
  for (const again of ['', '&again=1']) await link.browser.visit(`${secrets.at(-1)}${again}`);
  const [leaving = '', ...later] = link.browser.seen;
  expect(leaving).toContain(state);
  expect(leaving).not.toContain(token);
  for (const page of later) expect(secrets.filter((secret) => page.includes(secret))).toEqual([]);
});

test('no page can be framed, cached, sent as a referrer, or read by another origin', async () => {
  const link = await world.link();
  const pages = [
    await link.browser.visit(link.url, { headers: { origin: 'http://localhost:3000' } }),
    await link.browser.start(link.url, { provider: 'hubspot' }),
    await link.browser.visit('http://localhost:4000/connect/forged'),
    await link.browser.visit('http://localhost:4000/connect/callback/hubspot'),
    await link.browser.visit(link.url, { method: 'PUT' }),
  ];
  for (const { headers } of pages) {
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toMatch(/^(no-referrer|strict-origin)$/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('access-control-allow-origin')).toBeNull();
    expect(headers.get('location')).toBeNull();
  }
  const preflight = { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' };
  const answer = await link.browser.visit(`${link.url}/start`, {
    method: 'OPTIONS',
    headers: preflight,
  });
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
});

/** A successful flow. Returns the secrets that occurred in it. */
async function goWell(provider = 'hubspot'): Promise<string[]> {
  const link = await world.link({ providers: [provider] });
  const secrets = await follow(link, provider);
  const back = await link.browser.visit(secrets.at(-1) ?? '');
  const code = new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const path = `/customers/${link.customerId}/connect_links/${link.id}/_confirm`;
  expect((await world.crossbook.rest('POST', path, { code })).status).toBe(200);
  return [...secrets.slice(0, -1), code];
}

async function goWrong(): Promise<string[]> {
  const link = await world.link();
  const { consentUrl } = await link.browser.start(link.url, { provider: 'hubspot' });
  const denied = await link.browser.visit(await consent(consentUrl, { decision: 'deny' }));
  expect(denied.text).toContain('You did not agree');
  return [
    tokenOf(link),
    new URL(consentUrl).searchParams.get('state') ?? '',
    ...link.browser.cookies.values(),
  ];
}

/** The code has been exchanged before it arrives, so the provider rejects it. */
async function failAtVendor(): Promise<string[]> {
  const link = await world.link();
  const secrets = await follow(link, 'hubspot');
  const url = new URL(secrets.at(-1) ?? '');
  url.searchParams.set('code', 'a-code-that-nobody-gave');
  const failed = await link.browser.visit(url.href);
  expect(failed.text).toContain('refused');
  return [...secrets.slice(0, -1), 'a-code-that-nobody-gave'];
}

/** Collects the link’s token, the state, the PKCE challenge, the cookie and the code; returns the callback. */
async function follow(link: WorldLink, provider: string): Promise<string[]> {
  const { consentUrl } = await link.browser.start(link.url, { provider });
  const consentParams = new URL(consentUrl).searchParams;
  const callback = await consent(consentUrl);
  const code = new URL(callback).searchParams.get('code') ?? '';
  const { cookies } = link.browser;
  return [tokenOf(link), consentParams.get('state') ?? '', ...cookies.values(), code, callback];
}

/** The application's secrets: those shown to it once, and those it sends and never sees again. */
async function registerSecrets(): Promise<string[]> {
  const endpoint = await world.crossbook.rest('POST', '/webhook_endpoints', {
    url: 'https://hooks.example/crossbook',
    event_types: [],
  });
  expect(endpoint.status).toBe(201);
  const client_secret = 'the-secret-of-an-own-client';
  const client = { client_id: 'an-own-client', client_secret };
  expect((await world.crossbook.rest('PUT', '/oauth_clients/hubspot', client)).status).toBeLessThan(
    300,
  );
  return [endpoint.body.secret, client_secret];
}

/** The newest tokens of each account, from the completed flows. */
function readProviderTokens(): string[] {
  const { hubspot, salesforce } = world.crossbook.sandbox;
  const accounts = [...hubspot.accounts(), ...salesforce.accounts()];
  return accounts
    .flatMap(({ accessToken, refreshToken }) => [accessToken, refreshToken])
    .filter((token) => token !== '');
}

function tokenOf({ url }: WorldLink): string {
  return url.split('/').at(-1) ?? '';
}

async function readTables(): Promise<unknown[]> {
  const tables = [
    'connect_links',
    'connect_flows',
    'connections',
    'credentials',
    'events',
    'customers',
    'oauth_clients',
    'webhook_endpoints',
  ];
  return Promise.all(tables.map((table) => world.rows(`select * from crossbook.${table}`)));
}
