import { createHash, createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSandbox, type SalesforceAccount, type Sandbox } from '../../src/open-sandbox.ts';
import { SALESFORCE_CALLBACK as CALLBACK, decide } from '../consent.ts';

let now = Date.UTC(2026, 10, 20, 12);
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await openSandbox({ now: () => now, enforceLimits: false });
});
afterAll(() => sandbox.close());

const VERIFIER = 'v'.repeat(64);
const toChallenge = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');
const PKCE = { code_challenge: toChallenge(VERIFIER), code_challenge_method: 'S256' };

function consentUrl(application: SalesforceAccount, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: application.clientId,
    redirect_uri: CALLBACK,
    scope: 'api refresh_token',
    state: 's1',
    ...PKCE,
    ...more,
  });
  for (const [name, value] of [...query]) if (value === '') query.delete(name);
  return `${sandbox.salesforce.origin}/services/oauth2/authorize?${query}`;
}

async function post(path: string, form: Record<string, string>) {
  const body = new URLSearchParams(form);
  const response = await fetch(`${sandbox.salesforce.origin}/services/oauth2/${path}`, {
    method: 'POST',
    body,
  });
  const text = await response.text();
  return {
    status: response.status,
    body: (text === '' ? {} : JSON.parse(text)) as Record<string, string>,
  };
}

function exchange(
  { clientId, clientSecret }: SalesforceAccount,
  code = '',
  more: Record<string, string> = {},
) {
  return post('token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
    client_id: clientId,
    client_secret: clientSecret,
    ...more,
  });
}

function refresh({ clientId, clientSecret }: SalesforceAccount, refresh_token = '') {
  const client = { client_id: clientId, client_secret: clientSecret };
  return post('token', { grant_type: 'refresh_token', refresh_token, ...client });
}

async function codeOf(
  application: SalesforceAccount,
  account = application,
  more = {},
): Promise<string> {
  return (await decide(consentUrl(application, more), { account })).back?.['code'] ?? '';
}

const works = async (accessToken = '') =>
  (
    await fetch(`${sandbox.salesforce.origin}/services/data/v66.0/limits`, {
      headers: { authorization: `Bearer ${accessToken}` },
    })
  ).status === 200;

test('an allowed consent redirects back with a code, which gives access to that org’s contacts', async () => {
  const { demo, others } = sandbox.salesforce;
  const [northwind = demo] = others;
  const { location, back } = await decide(consentUrl(demo), { account: northwind });
  expect(location).toMatch(/\/connect\/callback\/salesforce\?code=aPrx[0-9a-f]+&state=s1$/);
  const { status, body } = await exchange(demo, back?.['code']);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    scope: 'api refresh_token',
    token_type: 'Bearer',
    instance_url: sandbox.salesforce.origin,
    id: expect.stringMatching(new RegExp(`/id/${northwind.id}/005\\w{15}$`)),
    refresh_token: expect.stringMatching(/^5Aep861/),
  });
  const vouched = createHmac('sha256', demo.clientSecret).update(
    `${body['id']}${body['issued_at']}`,
  );
  expect(body['signature']).toBe(vouched.digest('base64'));
  const query = `q=${encodeURIComponent("SELECT Email FROM Contact WHERE LastName = 'Davolio'")}`;
  const found = await fetch(`${sandbox.salesforce.origin}/services/data/v66.0/query?${query}`, {
    headers: { authorization: `Bearer ${body['access_token']}` },
  });
  expect(await found.json()).toMatchObject({
    records: [{ Email: 'nancy.davolio@northwind.example' }],
  });
  expect((await refresh(demo, body['refresh_token'])).body).toMatchObject({
    scope: 'api refresh_token',
  });
});

test('a code can be exchanged once, within fifteen minutes', async () => {
  const account = sandbox.salesforce.createAccount();
  const expired = {
    status: 400,
    body: { error: 'invalid_grant', error_description: 'expired authorization code' },
  };
  const used = await codeOf(account);
  expect((await exchange(account, used)).status).toBe(200);
  expect(await exchange(account, used)).toEqual(expired);
  const late = await codeOf(account);
  now += 15 * 60_000;
  expect(await exchange(account, late)).toEqual(expired);
  expect((await exchange(account, 'nothing')).body).toEqual({
    error: 'invalid_grant',
    error_description: 'invalid authorization code',
  });
});

test('a code is bound to its client and its redirect URI', async () => {
  const [account, other] = [sandbox.salesforce.createAccount(), sandbox.salesforce.createAccount()];
  const code = await codeOf(account);
  expect((await exchange(other, code)).body['error']).toBe('invalid_grant');
  expect((await exchange(account, code, { client_secret: 'no' })).body['error']).toBe(
    'invalid_client',
  );
  expect((await exchange(account, code, { client_id: 'no' })).body['error']).toBe(
    'invalid_client_id',
  );
  expect((await exchange(account, code, { redirect_uri: `${CALLBACK}/` })).body['error']).toBe(
    'redirect_uri_mismatch',
  );
  expect((await exchange(account, code)).status).toBe(200);
});

test.each([
  ['none', '', 'invalid_grant', 'invalid_request'],
  ['another', 'w'.repeat(64), 'invalid_request', 'invalid_grant'],
  ['too short', 'v'.repeat(42), 'invalid_request', 'invalid_grant'],
  ['too long', 'v'.repeat(129), 'invalid_request', 'invalid_grant'],
])(
  'a code exchange with a wrong PKCE verifier is rejected: %s',
  async (_title, code_verifier, error, swapped) => {
    const account = sandbox.salesforce.createAccount();
    const isOurs = /^v+$/.test(code_verifier);
    const code_challenge = toChallenge(isOurs ? code_verifier : VERIFIER);
    const code = await codeOf(account, account, { code_challenge });
    expect((await exchange(account, code, { code_verifier })).body['error']).toBe(error);
    account.setQuirks({ verifierErrorsSwapped: true });
    expect((await exchange(account, code, { code_verifier })).body['error']).toBe(swapped);
    account.setQuirks({ takesLongVerifiers: true });
    const isLong = code_verifier.length > 128;
    expect((await exchange(account, code, { code_verifier })).status).toBe(isLong ? 200 : 400);
  },
);

test('a consent without PKCE is rejected, except for legacy applications', async () => {
  const account = sandbox.salesforce.createAccount();
  const without = { code_challenge: '', code_challenge_method: '' };
  expect((await decide(consentUrl(account, without), { account })).back).toEqual({
    error: 'invalid_request',
    error_description: 'missing required code challenge',
    state: 's1',
  });
  account.setQuirks({ pkceIsOptional: true });
  const code = await codeOf(account, account, without);
  expect((await exchange(account, code, { code_verifier: '' })).status).toBe(200);
});

test.each([
  ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
  ['an unknown scope', { scope: 'api everything' }, 'invalid_scope'],
  ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['an invalid challenge', { code_challenge: 'short' }, 'invalid_request'],
])('%s redirects back with an error, without a consent page', async (_title, more, error) => {
  const account = sandbox.salesforce.createAccount();
  const response = await fetch(consentUrl(account, more), { redirect: 'manual' });
  expect(response.status).toBe(302);
  expect(response.headers.get('location')).toMatch(new RegExp(`\\?error=${error}&.*&state=s1$`));
});

test.each([
  ['an unknown client', { client_id: 'nobody' }, 'invalid_client_id'],
  ['another path', { redirect_uri: 'http://127.0.0.1:3000/' }, 'redirect_uri_mismatch'],
  [
    'the other CRM’s callback',
    { redirect_uri: CALLBACK.replace('salesforce', 'hubspot') },
    'redirect_uri_mismatch',
  ],
  [
    'another host',
    { redirect_uri: CALLBACK.replace('127.0.0.1', '127.0.0.1.evil.example') },
    'redirect_uri_mismatch',
  ],
])('%s shows an error at the vendor, without a redirect', async (_title, more, error) => {
  const account = sandbox.salesforce.createAccount();
  const { status, page, location } = await decide(consentUrl(account, more), { account });
  expect({ status, location }).toEqual({ status: 400, location: null });
  expect(page).toContain(error);
});

test('a denied consent redirects back, with either spelling of the error, with or without state', async () => {
  const account = sandbox.salesforce.createAccount();
  const deny = async () =>
    (await decide(consentUrl(account), { account, isAllowed: false })).location;
  expect(await deny()).toBe(
    `${CALLBACK}?error=access_denied&error_description=end-user+denied+authorization&state=s1`,
  );
  account.setQuirks({
    deniedWithHyphen: true,
    denyWithoutState: true,
    denyWithoutDescription: true,
  });
  expect(await deny()).toBe(`${CALLBACK}?error=access-denied`);
});

test.each([
  'OAUTH_APP_BLOCKED',
  'OAUTH_EC_APP_NOT_FOUND',
  'OAUTH_AUTHORIZATION_BLOCKED',
  'OAUTH_APP_ACCESS_DENIED',
  'OAUTH_APPROVAL_ERROR_GENERIC',
])('%s redirects back in place of a code', async (callbackError) => {
  const account = sandbox.salesforce.createAccount({ quirks: { callbackError } });
  expect((await decide(consentUrl(account), { account })).back).toEqual({
    error: callbackError,
    error_description: expect.any(String),
    state: 's1',
  });
});

test('an org that blocks uninstalled apps refuses consents, code exchanges and refreshes until one is installed', async () => {
  const account = sandbox.salesforce.createAccount();
  const uninstalled = {
    error: 'invalid_client',
    error_description: 'app must be installed into org',
  };
  const code = await codeOf(account);
  account.setQuirks({ blocksUninstalledApps: true });
  expect((await decide(consentUrl(account), { account })).back).toEqual({
    ...uninstalled,
    state: 's1',
  });
  expect((await exchange(account, code)).body).toEqual(uninstalled);
  expect((await refresh(account, account.refreshToken)).body).toEqual(uninstalled);
  account.setQuirks({ blocksUninstalledApps: false });
  expect((await exchange(account, code)).status).toBe(200);
  expect((await refresh(account, account.refreshToken)).status).toBe(200);
});

test('without the scope, or where the policy forbids it, there is no refresh token', async () => {
  const account = sandbox.salesforce.createAccount();
  const keys = async (scope: string) =>
    Object.keys((await exchange(account, await codeOf(account, account, { scope }))).body);
  expect(await keys('api offline_access')).toContain('refresh_token');
  expect(await keys('api')).not.toContain('refresh_token');
  account.setQuirks({ withoutRefreshToken: true });
  expect(await keys('api refresh_token')).not.toContain('refresh_token');
});

test('each login host accepts its own orgs: the production host, the test host, an org’s domain', async () => {
  const { salesforce } = sandbox;
  const [northwind = salesforce.demo, trial = salesforce.demo] = salesforce.others;
  const at = {
    login: salesforce.toLoginOrigin('login.salesforce.com'),
    test: salesforce.toLoginOrigin('test.salesforce.com'),
    own: salesforce.toLoginOrigin('northwind.my.salesforce.com'),
    trial: salesforce.toLoginOrigin('northwind--test.sandbox.my.salesforce.com'),
  };
  expect(at.own).toMatch(/^http:\/\/northwind\.my\.salesforce\.localhost:\d+$/);
  const go = async (account: SalesforceAccount, host: keyof typeof at) =>
    (await visit(at[host], consentUrl(salesforce.demo), account)).isLetIn;
  expect(await Promise.all([go(northwind, 'login'), go(northwind, 'own')])).toEqual([true, true]);
  expect(await Promise.all([go(trial, 'test'), go(trial, 'trial')])).toEqual([true, true]);
  expect(await Promise.all([go(northwind, 'test'), go(trial, 'login')])).toEqual([false, false]);
  expect(await Promise.all([go(salesforce.demo, 'own'), go(northwind, 'trial')])).toEqual([
    false,
    false,
  ]);
  northwind.setQuirks({ forbidsCommonLogin: true });
  expect(await Promise.all([go(northwind, 'login'), go(northwind, 'own')])).toEqual([false, true]);
  expect((await visit(at.login, consentUrl(salesforce.demo), northwind)).page).toContain(
    'its own domain alone',
  );
  northwind.setQuirks({ forbidsCommonLogin: false });
});

test('tokens of one consent are revoked together, and no others', async () => {
  const account = sandbox.salesforce.createAccount();
  const grant = async () => (await exchange(account, await codeOf(account))).body;
  const [first, second] = [await grant(), await grant()];
  expect((await post('revoke', { token: first['refresh_token'] ?? '' })).status).toBe(200);
  expect([await works(first['access_token']), await works(second['access_token'])]).toEqual([
    false,
    true,
  ]);
  expect((await refresh(account, first['refresh_token'])).body['error']).toBe('invalid_grant');
  expect((await refresh(account, second['refresh_token'])).status).toBe(200);
  expect((await post('revoke', { token: 'nothing' })).status).toBe(400);
});

test('reuse of a rotated refresh token revokes the new one of the same consent', async () => {
  const account = sandbox.salesforce.createAccount({ quirks: { rotateRefreshTokens: true } });
  const grant = async () => (await exchange(account, await codeOf(account))).body;
  const [first, second] = [await grant(), await grant()];
  const rotated = (await refresh(account, first['refresh_token'])).body;
  expect(rotated['refresh_token']).not.toBe(first['refresh_token']);
  expect((await refresh(account, first['refresh_token'])).status).toBe(400);
  expect((await refresh(account, rotated['refresh_token'])).status).toBe(400);
  expect([await works(rotated['access_token']), await works(second['access_token'])]).toEqual([
    false,
    true,
  ]);
});

test('one user has at most five consents to one application: the sixth revokes the oldest', async () => {
  const [account, other] = [sandbox.salesforce.createAccount(), sandbox.salesforce.createAccount()];
  const grant = async () =>
    (await exchange(other, await codeOf(other, account))).body['refresh_token'];
  const { refreshToken } = account;
  const first = await grant();
  for (let consent = 2; consent <= 5; consent += 1) await grant();
  expect((await refresh(other, first)).status).toBe(200);
  await grant();
  expect((await refresh(other, first)).status).toBe(400);
  expect((await refresh(account, refreshToken)).status).toBe(200);
});

test('a code exchange from a restricted IP address is rejected, and the code stays valid', async () => {
  const account = sandbox.salesforce.createAccount();
  const code = await codeOf(account);
  account.fail('ip-restricted', { operation: 'oauth.token' });
  expect((await exchange(account, code)).body).toEqual({
    error: 'invalid_grant',
    error_description: 'ip restricted',
  });
  expect((await exchange(account, code)).status).toBe(200);
});

/** Browsers resolve names below localhost to this machine; Node asks the system resolver, which may not. */
async function visit(origin: string, url: string, account: SalesforceAccount) {
  const { default: http } = await import('node:http');
  const target = new URL(url);
  return new Promise<{ isLetIn: boolean; page: string }>((resolve, reject) => {
    const request = http.request(
      target,
      { method: 'POST', headers: { host: new URL(origin).host } },
      (answer) => {
        let page = '';
        answer.setEncoding('utf8').on('data', (text: string) => {
          page += text;
        });
        answer.once('end', () =>
          resolve({ isLetIn: /[?&]code=/.test(answer.headers.location ?? ''), page }),
        );
      },
    );
    request.once('error', reject);
    request.end(`decision=allow&account=${account.id}`);
  });
}
