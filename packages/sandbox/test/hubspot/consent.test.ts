import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRawClient } from '../../../../test/support/raw-client.ts';
import { type HubSpotAccount, openSandbox, type Sandbox } from '../../src/open-sandbox.ts';
import { HUBSPOT_CALLBACK as CALLBACK, decide } from '../consent.ts';
import { createClient, createClock } from './client.ts';

const clock = createClock();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await openSandbox({ now: clock.now, enforceLimits: false });
});
afterAll(() => sandbox.close());

const SCOPES = 'oauth crm.objects.contacts.read';

function consentUrl(
  application: HubSpotAccount,
  more: Record<string, string> = {},
  hubId?: string,
): string {
  const query = {
    client_id: application.clientId,
    redirect_uri: CALLBACK,
    scope: SCOPES,
    state: 's1',
    ...more,
  };
  const path = hubId === undefined ? '/oauth/authorize' : `/oauth/${hubId}/authorize`;
  return `${sandbox.hubspot.origin}${path}?${new URLSearchParams(query)}`;
}

async function exchange(
  application: HubSpotAccount,
  code = '',
  more: Record<string, string> = {},
  path = V3,
) {
  const response = await fetch(sandbox.hubspot.origin + path, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      client_id: application.clientId,
      client_secret: application.clientSecret,
      ...more,
    }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function codeOf(
  application: HubSpotAccount,
  account: HubSpotAccount,
  more = {},
): Promise<string> {
  return (await decide(consentUrl(application, more), { account })).back?.['code'] ?? '';
}

test('the consent page offers the accounts, unless the URL names one', async () => {
  const { demo, others } = sandbox.hubspot;
  const page = await (await fetch(consentUrl(demo))).text();
  for (const account of [demo, ...others])
    expect(page).toContain(`${account.name} <small>${account.id}</small>`);
  const fixed = await (await fetch(consentUrl(demo, {}, demo.id))).text();
  expect(fixed).toContain(demo.name);
  expect(fixed).not.toContain('Northwind');
});

test('an allowed consent redirects back with a code, which gives access to that account’s contacts', async () => {
  const { demo, others } = sandbox.hubspot;
  const [northwind = demo] = others;
  const { back, location } = await decide(consentUrl(demo), { account: northwind });
  expect(location).toMatch(
    /^http:\/\/127\.0\.0\.1:3000\/connect\/callback\/hubspot\?code=[0-9a-f-]{36}&state=s1$/,
  );
  const { status, body } = await exchange(demo, back?.['code']);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    token_type: 'bearer',
    expires_in: 1_800,
    hub_id: Number(northwind.id),
    scopes: SCOPES.split(' '),
    refresh_token: expect.stringMatching(/^na1-/),
  });
  const send = createClient(sandbox, northwind);
  const { body: found } = await send(
    '/crm/v3/objects/contacts',
    undefined,
    String(body['access_token']),
  );
  expect(JSON.stringify(found)).toContain('nancy.davolio@northwind.example');
  const refreshed = await exchange(demo, '', {
    grant_type: 'refresh_token',
    refresh_token: String(body['refresh_token']),
  });
  expect(refreshed).toMatchObject({ status: 200, body: { hub_id: Number(northwind.id) } });
});

test.each(['/oauth/v1/token', '/oauth/v3/token', '/oauth/2026-03/token', '/oauth/2026-09/token'])(
  '%s exchanges a code once',
  async (path) => {
    const account = sandbox.hubspot.createAccount();
    const code = await codeOf(account, account);
    expect((await exchange(account, code, {}, path)).status).toBe(200);
    expect(await exchange(account, code, {}, path)).toMatchObject({
      status: 400,
      body: {
        status: 'BAD_AUTH_CODE',
        message: 'missing or unknown auth code',
        error: 'invalid_grant',
        correlationId: expect.any(String),
      },
    });
  },
);

test('a code is bound to its client, its redirect URI and its lifetime; PKCE parameters are ignored', async () => {
  const [account, other] = [sandbox.hubspot.createAccount(), sandbox.hubspot.createAccount()];
  const code = await codeOf(account, account);
  expect((await exchange(other, code)).body).toMatchObject({ status: 'BAD_AUTH_CODE' });
  expect((await exchange(account, code, { client_secret: 'no' })).body).toMatchObject({
    status: 'BAD_CLIENT_SECRET',
  });
  expect((await exchange(account, code, { client_id: 'no' })).body).toMatchObject({
    status: 'BAD_CLIENT_ID',
  });
  expect((await exchange(account, code, { redirect_uri: `${CALLBACK}/` })).body).toMatchObject({
    status: 'BAD_REDIRECT_URI',
  });
  clock.pass(account.quirks.codeTtlMs);
  expect((await exchange(account, code)).body).toMatchObject({ status: 'BAD_AUTH_CODE' });
  const proven = await codeOf(account, account, {
    code_challenge: 'c'.repeat(43),
    code_challenge_method: 'S256',
  });
  expect((await exchange(account, proven, { code_verifier: 'v'.repeat(43) })).status).toBe(200);
});

test('an invalid code can get the error format from before v3', async () => {
  const account = sandbox.hubspot.createAccount({ quirks: { oldAuthCodeErrors: true } });
  const { body } = await exchange(account, 'nothing');
  expect(Object.keys(body)).toEqual(['status', 'message', 'correlationId']);
});

test('a denied consent redirects back without a code; state and description can be missing', async () => {
  const account = sandbox.hubspot.createAccount();
  const deny = async () => (await decide(consentUrl(account), { account, isAllowed: false })).back;
  expect(await deny()).toEqual({
    error: 'access_denied',
    error_description: expect.any(String),
    state: 's1',
  });
  account.setQuirks({ denyWithoutState: true, denyWithoutDescription: true });
  expect(await deny()).toEqual({ error: 'access_denied' });
});

test.each([
  ['an unknown client', { client_id: 'nobody' }, 'BAD_CLIENT_ID'],
  ['another path', { redirect_uri: 'http://127.0.0.1:3000/elsewhere' }, 'BAD_REDIRECT_URI'],
  [
    'another host',
    { redirect_uri: CALLBACK.replace('127.0.0.1', 'evil.example') },
    'BAD_REDIRECT_URI',
  ],
  [
    'a host in the userinfo part',
    { redirect_uri: CALLBACK.replace(':3000', ':3000@evil.example') },
    'BAD_REDIRECT_URI',
  ],
  [
    'the other CRM’s callback',
    { redirect_uri: CALLBACK.replace('hubspot', 'salesforce') },
    'BAD_REDIRECT_URI',
  ],
  ['an added query string', { redirect_uri: `${CALLBACK}?a=b` }, 'BAD_REDIRECT_URI'],
  ['a required scope left out', { scope: 'crm.objects.contacts.read' }, 'SCOPE_MISMATCH'],
  [
    'a scope that the application does not have',
    { scope: `${SCOPES} everything` },
    'SCOPE_MISMATCH',
  ],
])('%s shows an error at the vendor, without a redirect', async (_title, more, code) => {
  const account = sandbox.hubspot.createAccount();
  const { status, page, location } = await decide(consentUrl(account, more), { account });
  expect({ status, location }).toEqual({ status: 400, location: null });
  expect(page).toContain(code);
  expect((await fetch(consentUrl(account, more))).status).toBe(400);
});

test('other redirect URIs can be registered for an application, and a user who is not an administrator cannot install it', async () => {
  const own = 'https://app.example/callback?fixed=1';
  const account = sandbox.hubspot.createAccount({ quirks: { redirectUris: [own] } });
  const { location } = await decide(consentUrl(account, { redirect_uri: own }), { account });
  expect(location).toMatch(/^https:\/\/app\.example\/callback\?fixed=1&code=/);
  expect((await decide(consentUrl(account), { account })).location).toBeNull();
  account.setQuirks({ redirectUris: null, userMayNotInstall: true });
  const { location: none, page } = await decide(consentUrl(account), { account });
  expect(none).toBeNull();
  expect(page).toContain('super admin');
});

test('optional scopes that the account lacks are not granted, and calls that need them are rejected', async () => {
  const account = sandbox.hubspot.createAccount({ people: [{ dealIndexes: [1] }] });
  const token = async (optional_scope: string) => {
    const { body } = await exchange(account, await codeOf(account, account, { optional_scope }));
    return { scopes: body['scopes'], accessToken: String(body['access_token']) };
  };
  const narrow = await token('');
  expect(narrow.scopes).toEqual(SCOPES.split(' '));
  const deals = '/crm/v4/objects/contacts/501/associations/deals';
  expect((await createClient(sandbox, account)(deals, undefined, narrow.accessToken)).status).toBe(
    403,
  );
  const wide = await token('crm.objects.deals.read');
  expect((await createClient(sandbox, account)(deals, undefined, wide.accessToken)).status).toBe(
    200,
  );
  account.setQuirks({ grantedScopes: SCOPES.split(' ') });
  expect((await token('crm.objects.deals.read')).scopes).toEqual(SCOPES.split(' '));
});

test('a second consent to one application shares the grant, unless the quirk for separate grants is on', async () => {
  const [account, other] = [sandbox.hubspot.createAccount(), sandbox.hubspot.createAccount()];
  const refreshToken = async (application: HubSpotAccount) =>
    (await exchange(application, await codeOf(application, account))).body['refresh_token'];
  const first = await refreshToken(account);
  expect(await refreshToken(account)).toBe(first);
  expect(await refreshToken(other)).not.toBe(first);
  account.setQuirks({ grantPerConsent: true });
  expect(await refreshToken(account)).not.toBe(first);
});

test('after a grant was revoked, a consent creates another one', async () => {
  const account = sandbox.hubspot.createAccount();
  const first = (await exchange(account, await codeOf(account, account))).body['refresh_token'];
  await fetch(`${sandbox.hubspot.origin}/oauth/v1/refresh-tokens/${first}`, { method: 'DELETE' });
  const second = (await exchange(account, await codeOf(account, account))).body['refresh_token'];
  expect(second).not.toBe(first);
  expect(second).toMatch(/^na1-/);
});

test('the consent page can set its opener policy, loads no resources and cannot be framed', async () => {
  const account = sandbox.hubspot.createAccount();
  const headers = async () => (await fetch(consentUrl(account))).headers;
  expect((await headers()).get('cross-origin-opener-policy')).toBeNull();
  account.setQuirks({ openerPolicy: 'same-origin' });
  expect((await headers()).get('cross-origin-opener-policy')).toBe('same-origin');
  expect((await headers()).get('content-security-policy')).toMatch(
    /default-src 'none'.*frame-ancestors 'none'/,
  );
});

test('another site can neither post the consent form nor serve the page under its own host name (DNS rebinding)', async () => {
  const account = sandbox.hubspot.createAccount();
  const forged = await decide(consentUrl(account), {
    account,
    headers: { origin: 'https://evil.example' },
  });
  expect(forged).toMatchObject({ status: 200, location: null });
  const url = new URL(consentUrl(account));
  const client = openRawClient(url.origin);
  client.send(
    `GET ${url.pathname}${url.search} HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n`,
  );
  expect(await client.ended).toMatch(/^HTTP\/1\.1 403 /);
});

test('an authorization code is not accepted as a token', async () => {
  const account = sandbox.hubspot.createAccount();
  const code = await codeOf(account, account);
  expect(
    (await createClient(sandbox, account)('/account-info/v3/details', undefined, code)).status,
  ).toBe(401);
  expect((await fetch(`${sandbox.hubspot.origin}/oauth/v1/access-tokens/${code}`)).status).toBe(
    404,
  );
});

const V3 = '/oauth/v3/token';
