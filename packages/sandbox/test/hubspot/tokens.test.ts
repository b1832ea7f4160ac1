import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HubSpotAccount, openSandbox, type Sandbox } from '../../src/open-sandbox.ts';
import { createClient, createClock } from './client.ts';

const DETAILS = '/account-info/v3/details';
const clock = createClock();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await openSandbox({ now: clock.now });
});
afterAll(() => sandbox.close());

async function post(path: string, form: Readonly<Record<string, string>>) {
  const response = await fetch(sandbox.hubspot.origin + path, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  return {
    status: response.status,
    body: response.status === 204 ? undefined : await response.json(),
  };
}

function refreshForm({ refreshToken, clientId, clientSecret }: HubSpotAccount) {
  return {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: clientId,
    client_secret: clientSecret,
  };
}

test('an access token lives half an hour, and the error after that says when it expired', async () => {
  const account = sandbox.hubspot.createAccount();
  const send = createClient(sandbox, account);
  expect(await send(DETAILS)).toMatchObject({
    status: 200,
    body: { portalId: Number(account.id) },
  });
  clock.pass(30 * 60_000 + 90_000);
  expect(await send(DETAILS)).toMatchObject({
    status: 401,
    body: {
      message: 'The OAuth token used to make this call expired 1 minute(s) ago.',
      category: 'EXPIRED_AUTHENTICATION',
      context: { 'expire time': [new Date(clock.now() - 90_000).toISOString()] },
    },
  });
  expect((await send(DETAILS, undefined, account.staticToken)).status).toBe(200);
});

test('an unknown token gets the error of one that expired in 1970; a missing token gets another error', async () => {
  const send = createClient(sandbox, sandbox.hubspot.demo);
  const unknown = await send(DETAILS, undefined, 'garbage');
  expect(unknown.body).toMatchObject({ context: { 'expire time': ['1970-01-01T00:00:00.000Z'] } });
  expect(unknown.body.message).toMatch(/expired 20\d\d\d day\(s\) ago/);
  expect(await send(DETAILS, undefined, '')).toMatchObject({
    status: 401,
    body: { category: 'INVALID_AUTHENTICATION' },
  });
  const { refreshToken } = sandbox.hubspot.demo;
  expect((await send(DETAILS, undefined, refreshToken)).status).toBe(401);
});

test.each(['/oauth/v1/token', '/oauth/v3/token', '/oauth/2026-03/token'])(
  '%s gives a new access token and the same refresh token',
  async (path) => {
    const account = sandbox.hubspot.createAccount({ accessTokenTtlMs: 600_000 });
    const { accessToken, refreshToken } = account;
    const { status, body } = await post(path, refreshForm(account));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      token_type: 'bearer',
      access_token: account.accessToken,
      refresh_token: refreshToken,
      expires_in: 600,
      hub_id: Number(account.id),
      token_use: 'access_token',
    });
    expect(body).not.toMatchObject({ access_token: accessToken });
    expect((await createClient(sandbox, account)(DETAILS)).status).toBe(200);
    expect(account.callCount('oauth.token')).toBe(1);
  },
);

test('rotation invalidates the old refresh token; the response can also omit the token, or contain only the required fields', async () => {
  const rotating = sandbox.hubspot.createAccount({ quirks: { rotateRefreshTokens: true } });
  const form = refreshForm(rotating);
  expect((await post('/oauth/v3/token', form)).body).toMatchObject({
    refresh_token: rotating.refreshToken,
  });
  expect(rotating.refreshToken).not.toBe(form.refresh_token);
  expect(await post('/oauth/v3/token', form)).toMatchObject({ status: 400 });
  const brief = sandbox.hubspot.createAccount({
    quirks: { shortTokenAnswer: true, withoutRefreshToken: true },
  });
  const { body } = await post('/oauth/v3/token', refreshForm(brief));
  expect(Object.keys(body as object)).toEqual(['token_type', 'access_token', 'expires_in']);
});

test('a refresh can fail with OAuth’s error format or HubSpot’s', async () => {
  const account = sandbox.hubspot.createAccount();
  const form = refreshForm(account);
  expect(await post('/oauth/v3/token', { ...form, client_secret: 'no' })).toMatchObject({
    status: 400,
    body: { error: 'invalid_client', status: 'BAD_CLIENT_SECRET' },
  });
  account.revoke();
  expect(await post('/oauth/v3/token', form)).toEqual({
    status: 400,
    body: {
      error: 'invalid_grant',
      error_description: 'missing or invalid refresh token',
      status: 'BAD_REFRESH_TOKEN',
      message: 'missing or invalid refresh token',
    },
  });
  const send = createClient(sandbox, account);
  expect((await send(DETAILS)).body.category).toBe('INVALID_AUTHENTICATION');
  expect((await send(DETAILS, undefined, account.staticToken)).status).toBe(401);
});

test('introspection returns a token’s account, and revoking a refresh token leaves its access tokens valid', async () => {
  const account = sandbox.hubspot.createAccount();
  const { clientId: client_id, clientSecret: client_secret, accessToken } = account;
  const look = await fetch(`${sandbox.hubspot.origin}/oauth/v1/access-tokens/${accessToken}`);
  expect(await look.json()).toMatchObject({
    hub_id: Number(account.id),
    token_type: 'access',
    expires_in: 1_800,
  });
  const params = { client_id, client_secret, token: accessToken };
  const path = '/oauth/2026-03/token/introspect';
  expect((await post(path, params)).body).toMatchObject({
    active: true,
    hub_id: Number(account.id),
  });
  const refresh = { ...params, token: account.refreshToken };
  const revoke = '/oauth/2026-03/token/revoke';
  expect((await post(revoke, { ...refresh, client_secret: 'another' })).status).toBe(400);
  expect((await post(revoke, refresh)).status).toBe(204);
  expect((await post(path, refresh)).body).toEqual({ active: false });
  // "access tokens last out their 30 min and the app stays installed"
  expect((await post(path, params)).body).toMatchObject({ active: true });
  expect(
    (await createClient(sandbox, account)(DETAILS, undefined, account.staticToken)).status,
  ).toBe(200);
});

test('the old revocation endpoint is a DELETE with an empty response', async () => {
  const account = sandbox.hubspot.createAccount();
  const url = `${sandbox.hubspot.origin}/oauth/v1/refresh-tokens/${account.refreshToken}`;
  expect((await fetch(url)).status).toBe(200);
  const deleted = await fetch(url, { method: 'DELETE' });
  expect([deleted.status, await deleted.text()]).toEqual([204, '']);
  expect((await fetch(url)).status).toBe(404);
});

test('the v1 token endpoint reads parameters from the query too, newer ones from the body only', async () => {
  const account = sandbox.hubspot.createAccount();
  const query = new URLSearchParams(refreshForm(account));
  expect((await post(`/oauth/v1/token?${query}`, {})).status).toBe(200);
  expect((await post(`/oauth/v3/token?${query}`, {})).status).toBe(400);
});

test('a retired API version is 404 or 410, and other versions keep working', async () => {
  const account = sandbox.hubspot.createAccount({
    quirks: { endedVersions: { v1: 404, '2026-03': 410 } },
  });
  const form = refreshForm(account);
  expect((await post('/oauth/v1/token', form)).status).toBe(404);
  expect((await post('/oauth/2026-03/token', form)).status).toBe(410);
  expect((await post('/oauth/v3/token', form)).status).toBe(200);
  expect((await createClient(sandbox, account)('/crm/objects/2026-03/contacts')).status).toBe(410);
  expect((await createClient(sandbox, account)('/crm/v3/objects/contacts')).status).toBe(200);
});

test('a refresh token that was rotated is rejected, and its reuse can revoke all others', async () => {
  for (const spentRefreshTokenEndsAll of [false, true]) {
    const quirks = { rotateRefreshTokens: true, spentRefreshTokenEndsAll };
    const account = sandbox.hubspot.createAccount({ quirks });
    const form = refreshForm(account);
    expect((await post('/oauth/v3/token', form)).status).toBe(200);
    expect((await post('/oauth/v3/token', form)).status).toBe(400);
    const isOver = spentRefreshTokenEndsAll;
    expect((await createClient(sandbox, account)(DETAILS)).status).toBe(isOver ? 401 : 200);
    expect((await post('/oauth/v3/token', refreshForm(account))).status).toBe(isOver ? 400 : 200);
  }
});

test('a missing scope is rejected with its name', async () => {
  const account = sandbox.hubspot.createAccount({
    people: [{ dealIndexes: [1] }],
    quirks: { grantedScopes: ['crm.objects.contacts.read'] },
  });
  const send = createClient(sandbox, account);
  expect((await send('/crm/v3/objects/contacts/501')).status).toBe(200);
  expect(await send('/crm/v4/objects/contacts/501/associations/deals')).toMatchObject({
    status: 403,
    body: {
      category: 'MISSING_SCOPES',
      errors: [{ context: { requiredGranularScopes: ['crm.objects.deals.read'] } }],
    },
  });
  const { body } = await post('/oauth/v3/token', refreshForm(account));
  expect(body).toMatchObject({ scopes: ['crm.objects.contacts.read'] });
});
