import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { AuthorizationFailure } from '../../../src/domain/oauth.ts';
import { findMissing } from '../../../src/domain/record-access.ts';
import { RemoteFailure } from '../../../src/domain/remote.ts';
import { checkLoginUrl } from '../../../src/domain/urls.ts';
import { authorization, refresh } from '../../../src/providers/salesforce/oauth.ts';

const NOW = new Date('2026-11-20T21:00:00.000Z');
const CLIENT = { clientId: '3MVG9', clientSecret: 's&=cret' };
const ACME = 'https://acme.my.salesforce.com';
const ID = 'https://login.salesforce.com/id/00Dxx0000001gPLEAY/005xx000001SwiUAAS';

function sign(body: Readonly<Record<string, unknown>>, secret = CLIENT.clientSecret) {
  const message = `${body['id']}${body['issued_at']}`;
  return { ...body, signature: createHmac('sha256', secret).update(message).digest('base64') };
}

const ANSWER = sign({
  access_token: 'a',
  refresh_token: 'r',
  scope: 'refresh_token api',
  instance_url: ACME,
  id: ID,
  token_type: 'Bearer',
  issued_at: '1278448384422',
});

function answer(status: number, body: unknown) {
  return { status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

function read(body: unknown, status = 200): unknown {
  try {
    return authorization.readGrant(answer(status, body), CLIENT, NOW);
  } catch (error) {
    return error;
  }
}

function formOf({ body }: { readonly body?: string }) {
  return Object.fromEntries(new URLSearchParams(body));
}

test('consent is requested at the login host, always with PKCE', () => {
  const consent = authorization.toConsentUrl({
    clientId: '3MVG9',
    redirectUri: 'https://crossbook.example/back',
    state: 's',
    loginOrigin: ACME,
    codeChallenge: 'challenge',
    isPopup: true,
    requiredScopes: ['api', 'refresh_token'],
    optionalScopes: ['api', 'id'],
  });
  const { origin, pathname, searchParams } = new URL(consent);
  expect([origin, pathname]).toEqual([ACME, '/services/oauth2/authorize']);
  expect(Object.fromEntries(searchParams)).toEqual({
    response_type: 'code',
    client_id: '3MVG9',
    redirect_uri: 'https://crossbook.example/back',
    scope: 'api refresh_token id',
    state: 's',
    display: 'popup',
    prompt: 'consent',
    code_challenge: 'challenge',
    code_challenge_method: 'S256',
  });
});

test('a code is exchanged where the customer logged in, with verifier and secret', () => {
  const request = authorization.toExchange({
    client: CLIENT,
    code: 'c+1==',
    codeVerifier: 'v',
    redirectUri: 'https://crossbook.example/back',
  });
  expect(request).toMatchObject({ method: 'POST', path: '/services/oauth2/token' });
  expect(formOf(request)).toMatchObject({
    grant_type: 'authorization_code',
    code: 'c+1==',
    redirect_uri: 'https://crossbook.example/back',
    client_id: '3MVG9',
    client_secret: 's&=cret',
    code_verifier: 'v',
  });
  expect(authorization.tokenOrigin(ACME)).toBe(ACME);
});

test('a response with a valid signature names the organisation', () => {
  expect(read(ANSWER)).toEqual({
    accessToken: 'a',
    refreshToken: 'r',
    expiresAt: null,
    instanceUrl: ACME,
    scopes: ['refresh_token', 'api'],
    account: {
      id: '00Dxx0000001gPLEAY',
      userId: '005xx000001SwiUAAS',
      name: 'acme.my.salesforce.com',
      url: ACME,
    },
  });
});

test.each([
  ['none', { ...ANSWER, signature: undefined }],
  ['another client’s', sign(ANSWER, 'other')],
  ['of another id', { ...ANSWER, id: ID.replace('gPL', 'gPM') }],
  ['of another time', { ...ANSWER, issued_at: '1278448384423' }],
  ['cut', { ...ANSWER, signature: String(ANSWER.signature).slice(0, 8) }],
  ['empty', { ...ANSWER, signature: '' }],
  ['no text', { ...ANSWER, signature: 1 }],
  ['for an id that names nobody', sign({ ...ANSWER, id: 'https://login.salesforce.com/id/x/y' })],
])('a response with an invalid signature is rejected: %s', (_title, body) => {
  expect(read(body)).toMatchObject({
    failure: 'VENDOR_REFUSED',
    message: expect.stringContaining('signature'),
  });
});

test.each([
  ['NO_REFRESH_TOKEN', { ...ANSWER, refresh_token: undefined }],
  ['VENDOR_REFUSED', { ...ANSWER, instance_url: undefined }],
  ['VENDOR_REFUSED', { ...ANSWER, instance_url: 'nowhere' }],
])('%s: %j', (failure, body) => {
  expect(read(body)).toMatchObject({ failure });
});

test.each([
  [
    400,
    { error: 'invalid_grant', error_description: 'expired authorization code' },
    'UNAUTHORIZED',
  ],
  [400, { error: 'invalid_request', error_description: 'invalid code verifier' }, 'ERROR'],
  [400, { error: 'invalid_client', error_description: 'invalid client credentials' }, 'ERROR'],
  [400, { error: 'invalid_grant', error_description: 'ip restricted' }, 'FORBIDDEN'],
  [503, '<html>', 'UNAVAILABLE'],
  [200, '{"access_token"', 'BAD_RESPONSE'],
])('a code exchange with the response %i %j fails with %s', (status, body, code) => {
  const error = read(body, status);
  expect(error).toBeInstanceOf(RemoteFailure);
  expect(error).toMatchObject({ code: `REMOTE_PROVIDER_${code}` });
});

describe('a refusal that an administrator of the organisation has to settle', () => {
  test.each([
    ['invalid_client', 'app must be installed into org'],
    ['invalid_client', 'External client app is not installed in this org'],
    ['invalid_app_access', 'user is not admin approved to access this app'],
    ['invalid_grant', 'user is not admin approved to access this app'],
    ['OAUTH_APP_BLOCKED', 'this app is blocked by admin'],
    ['OAUTH_APP_ACCESS_DENIED', undefined],
    ['OAUTH_EC_APP_NOT_FOUND', undefined],
    ['OAUTH_APPROVAL_ERROR_GENERIC', 'An unexpected error has occured during authentication.'],
    ['server_error', 'OAUTH_APPROVAL_ERROR_GENERIC : An unexpected error has occured'],
  ])(
    '%s, "%s": the link asks for the administrator, and a refresh keeps the connection',
    (error, description) => {
      expect(authorization.readDenial(error, description ?? null)).toBe('ADMIN_APPROVAL_REQUIRED');
      const refusal = { error, error_description: description };
      expect(read(refusal, 400)).toMatchObject({
        name: AuthorizationFailure.name,
        failure: 'ADMIN_APPROVAL_REQUIRED',
      });
      expect(() => refresh.readAnswer(answer(400, refusal), NOW)).toThrow(
        expect.objectContaining({ code: 'REMOTE_PROVIDER_FORBIDDEN' }),
      );
    },
  );

  test('is not a wrong client secret, which has the same code', () => {
    const refusal = { error: 'invalid_client', error_description: 'invalid client credentials' };
    expect(authorization.readDenial('invalid_client', 'invalid client credentials')).toBe(
      'VENDOR_REFUSED',
    );
    expect(read(refusal, 400)).toMatchObject({ code: 'REMOTE_PROVIDER_ERROR' });
  });
});

test.each([
  [['api'], ['refresh_token']],
  [['refresh_token', 'id'], ['api']],
  [['full', 'offline_access'], []],
])('the granted scopes %j lack %j', (granted, missing) => {
  expect(findMissing(authorization, authorization.baseScopes, granted)).toEqual(missing);
});

test.each([
  ['access_denied', 'end-user denied authorization', 'ACCESS_DENIED'],
  ['access-denied', null, 'ACCESS_DENIED'],
  ['OAUTH_APP_BLOCKED', 'this app is blocked by admin', 'ADMIN_APPROVAL_REQUIRED'],
  ['OAUTH_EC_APP_NOT_FOUND', null, 'ADMIN_APPROVAL_REQUIRED'],
  ['access_denied', 'user is not admin approved to access this app', 'ADMIN_APPROVAL_REQUIRED'],
  ['OAUTH_AUTHORIZATION_BLOCKED', 'Cross-org OAuth flows are not supported', 'VENDOR_REFUSED'],
  ['invalid_scope', 'the requested scope is not allowed', 'VENDOR_REFUSED'],
])('a redirect back with %s, "%s", is %s', (error, description, failure) => {
  expect(authorization.readDenial(error, description)).toBe(failure);
});

test('a grant is revoked by its refresh token, and an unknown one counts as revoked', () => {
  const { revocation } = authorization;
  const request = revocation?.toRequest({ client: CLIENT, refreshToken: 'r+1' });
  expect(request).toMatchObject({ method: 'POST', path: '/services/oauth2/revoke' });
  expect(formOf(request ?? {})).toEqual({ token: 'r+1' });
  const gone = [200, 400, 302, 503].map((status) => revocation?.isRevoked(answer(status, '')));
  expect(gone).toEqual([true, true, false, false]);
  expect(revocation?.origin(ACME)).toBe(ACME);
});

test.each([
  [null, 'https://login.salesforce.com'],
  ['https://test.salesforce.com', 'https://test.salesforce.com'],
  ['acme.my.salesforce.com', ACME],
  [' https://Acme.my.salesforce.com/?ec=302#x ', ACME],
  ['https://acme--dev.sandbox.my.salesforce.com/', 'https://acme--dev.sandbox.my.salesforce.com'],
])('%s is accepted as the login host', (text, origin) => {
  expect(checkLoginUrl(text, authorization)).toEqual({ origin });
});

test.each([
  'https://acme.lightning.force.com',
  'http://acme.my.salesforce.com',
  'https://acme.my.salesforce.com.evil.example',
  'https://evil.example/?acme.my.salesforce.com',
  'https://user@acme.my.salesforce.com',
  'https://acme.my.salesforce.com:8443',
  'https://evil.example\\@acme.my.salesforce.com',
  'https://na44.salesforce.com',
  'javascript:alert(1)',
  'javascript://acme.my.salesforce.com/%0aalert(1)',
  '127.0.0.1',
  '',
])('%j is rejected as the login host', (text) => {
  expect(checkLoginUrl(text, authorization)).toHaveProperty('problem');
});
