import { expect, test } from 'vitest';
import { AuthorizationFailure, type Grant } from '../../../src/domain/oauth.ts';
import { RemoteFailure } from '../../../src/domain/remote.ts';
import { checkLoginUrl } from '../../../src/domain/urls.ts';
import { authorization } from '../../../src/providers/hubspot/oauth.ts';

const NOW = new Date('2026-11-20T21:00:00.000Z');
const CLIENT = { clientId: 'id', clientSecret: 's&=cret' };
const CONTACTS = 'crm.objects.contacts.read';
const TOKENS = { token_type: 'bearer', access_token: 'a', refresh_token: 'r', expires_in: 1800 };

function answer(status: number, body: unknown) {
  return { status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

function read(body: unknown, status = 200): Grant {
  return authorization.readGrant(answer(status, body), CLIENT, NOW);
}

function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

function formOf({ body }: { readonly body?: string }) {
  return Object.fromEntries(new URLSearchParams(body));
}

test('consent is requested at HubSpot’s page, with separate required and optional scopes', () => {
  const consent = authorization.toConsentUrl({
    clientId: 'id',
    redirectUri: 'https://crossbook.example/connect/callback/hubspot',
    state: 's+1',
    loginOrigin: 'https://app.hubspot.com',
    codeChallenge: 'challenge',
    isPopup: true,
    requiredScopes: ['oauth', CONTACTS],
    optionalScopes: ['tickets', CONTACTS],
  });
  const { origin, pathname, search, searchParams } = new URL(consent);
  expect([origin, pathname]).toEqual(['https://app.hubspot.com', '/oauth/authorize']);
  expect(search).toContain(`scope=oauth%20${CONTACTS}&`);
  expect(Object.fromEntries(searchParams)).toEqual({
    client_id: 'id',
    redirect_uri: 'https://crossbook.example/connect/callback/hubspot',
    scope: `oauth ${CONTACTS}`,
    optional_scope: 'tickets',
    state: 's+1',
  });
});

test('a code is sent only in the body, to the versioned endpoint of HubSpot’s origin', () => {
  const request = authorization.toExchange({
    client: CLIENT,
    code: 'c+1',
    codeVerifier: 'v',
    redirectUri: 'https://crossbook.example/back',
  });
  expect(request).toMatchObject({ method: 'POST', path: '/oauth/2026-03/token' });
  expect(formOf(request)).toEqual({
    grant_type: 'authorization_code',
    code: 'c+1',
    redirect_uri: 'https://crossbook.example/back',
    client_id: 'id',
    client_secret: 's&=cret',
  });
  expect(authorization.tokenOrigin('https://app-eu1.hubspot.com')).toBe('https://api.hubapi.com');
});

test('a full token response names the account', () => {
  expect(read({ ...TOKENS, hub_id: 48000100, user_id: 7, scopes: ['oauth', CONTACTS] })).toEqual({
    accessToken: 'a',
    refreshToken: 'r',
    expiresAt: '2026-11-20T21:30:00.000Z',
    scopes: ['oauth', CONTACTS],
    instanceUrl: 'https://app.hubspot.com/contacts/48000100',
    account: {
      id: '48000100',
      name: null,
      userId: '7',
      url: 'https://app.hubspot.com/contacts/48000100',
    },
  });
});

test('a short token response leads to an introspection', () => {
  const grant = read(TOKENS);
  expect(grant).toMatchObject({ account: null, scopes: [], instanceUrl: null });
  const request = authorization.identify?.toRequest(grant, CLIENT);
  expect(request).toMatchObject({ method: 'POST', path: '/oauth/2026-03/token/introspect' });
  expect(formOf(request ?? {})).toMatchObject({
    token: 'a',
    client_id: 'id',
    client_secret: 's&=cret',
  });
  const known = { active: true, hub_id: 48000100, hub_domain: 'northwind.example', user_id: 7 };
  const identified = authorization.identify?.readAccount(
    answer(200, { ...known, scopes: ['oauth', CONTACTS] }),
    grant,
  );
  expect(identified).toMatchObject({
    accessToken: 'a',
    refreshToken: 'r',
    scopes: ['oauth', CONTACTS],
    account: { id: '48000100', name: 'northwind.example', userId: '7' },
  });
});

test.each([
  [200, { active: false, hub_id: 1 }],
  [200, { active: true }],
  [200, { active: true, hub_id: '../1' }],
  [200, 'no JSON'],
  [400, { status: 'BAD_CLIENT_ID' }],
  [502, '<html>'],
])(
  'an introspection with %j %j gives no account, and does not appear in the error',
  (status, body) => {
    const error = caught(() =>
      authorization.identify?.readAccount(answer(status, body), read(TOKENS)),
    );
    expect(error).toBeInstanceOf(RemoteFailure);
    expect((error as RemoteFailure).answer.body).toBe('[withheld]');
  },
);

test.each([
  { status: 'BAD_AUTH_CODE', message: 'missing or unknown auth code', correlationId: 'x' },
  {
    status: 'BAD_AUTH_CODE',
    error: 'invalid_grant',
    error_description: 'missing or unknown auth code',
  },
  { error: 'invalid_grant', error_description: 'missing or unknown auth code' },
])('an invalid code gives an error for %j', (body) => {
  const error = caught(() => read(body, 400));
  expect(error).toBeInstanceOf(AuthorizationFailure);
  expect(error).toMatchObject({
    failure: 'VENDOR_REFUSED',
    message: expect.stringContaining('code'),
  });
});

test.each([
  [400, { status: 'BAD_CLIENT_SECRET', error: 'invalid_client' }, 'REMOTE_PROVIDER_ERROR'],
  [400, { status: 'BAD_REDIRECT_URI', error: 'invalid_grant' }, 'REMOTE_PROVIDER_ERROR'],
  [401, { status: 'BAD_CLIENT_ID' }, 'REMOTE_PROVIDER_ERROR'],
  [503, '<html>', 'REMOTE_PROVIDER_UNAVAILABLE'],
  [429, {}, 'REMOTE_PROVIDER_RATE_LIMITED'],
  [200, '{"access_token"', 'REMOTE_PROVIDER_BAD_RESPONSE'],
])('a code exchange with the response %i %j fails with %s', (status, body, code) => {
  const error = caught(() => read(body, status));
  expect(error).toBeInstanceOf(RemoteFailure);
  expect(error).toMatchObject({ code });
});

test('a token response without a refresh token is rejected, because access would end after half an hour', () => {
  const error = caught(() => read({ ...TOKENS, refresh_token: undefined }));
  expect(error).toMatchObject({ failure: 'NO_REFRESH_TOKEN' });
});

test.each([
  ['access_denied', 'ACCESS_DENIED'],
  ['access-denied', 'ACCESS_DENIED'],
  ['temporarily_unavailable', 'VENDOR_UNAVAILABLE'],
  ['anything else', 'VENDOR_REFUSED'],
])('a redirect back with %s is %s', (error, failure) => {
  expect(authorization.readDenial(error, null)).toBe(failure);
});

test('a grant is revoked by its refresh token, sent only in the body', () => {
  const request = authorization.revocation?.toRequest({ client: CLIENT, refreshToken: 'r+1' });
  expect(request).toMatchObject({ method: 'POST', path: '/oauth/2026-03/token/revoke' });
  expect(formOf(request ?? {})).toEqual({
    token: 'r+1',
    token_type_hint: 'refresh_token',
    client_id: 'id',
    client_secret: 's&=cret',
  });
});

test.each([
  [204, '', true],
  [200, '{}', true],
  [400, '{"status":"BAD_REFRESH_TOKEN"}', true],
  [400, '{"error":"invalid_token"}', true],
  [404, '', true],
  [400, '{"status":"BAD_CLIENT_ID","error":"invalid_client"}', false],
  [401, '', false],
  [503, '<html>', false],
])('after the response %i %s the grant is revoked: %s', (status, body, isGone) => {
  expect(authorization.revocation?.isRevoked(answer(status, body))).toBe(isGone);
});

test.each([
  [null, 'https://app.hubspot.com'],
  ['https://app-eu1.hubspot.com/login?x=1', 'https://app-eu1.hubspot.com'],
  ['app-na2.hubspot.com', 'https://app-na2.hubspot.com'],
])('%s is accepted as the login host', (text, origin) => {
  expect(checkLoginUrl(text, authorization)).toEqual({ origin });
});

test.each([
  'https://api.hubapi.com',
  'https://hubspot.com',
  'https://app.hubspot.com.evil.example',
])('%s is rejected as the login host', (text) => {
  expect(checkLoginUrl(text, authorization)).toHaveProperty('problem');
});
