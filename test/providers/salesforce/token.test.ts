import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../../src/domain/errors.ts';
import { isTokenExpired, refresh } from '../../../src/providers/salesforce/oauth.ts';

const NOW = new Date('2026-11-20T10:00:00Z');
const answer = (status: number, body: unknown, headers = {}) => ({
  status,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const token = {
  access_token: '00Dxx0000001gPL!AR8AQ',
  signature: 'SSSbLO',
  scope: 'api refresh_token',
  instance_url: 'https://acme.my.salesforce.com',
  id: 'https://login.salesforce.com/id/00Dxx0000001gPL/005xx000001Sv6A',
  token_type: 'Bearer',
  issued_at: '1278448384422',
};

describe('an expired token', () => {
  const refused = (message: string, errorCode = 'INVALID_SESSION_ID', status = 401) =>
    isTokenExpired(answer(status, [{ message, errorCode }]));

  test('is a 401 with INVALID_SESSION_ID, in either order of keys', () => {
    expect(refused('Session expired or invalid')).toBe(true);
    const turned = '[{"errorCode":"INVALID_SESSION_ID","message":"Session expired or invalid"}]';
    expect(isTokenExpired(answer(401, turned))).toBe(true);
  });

  test.each([
    ['This session is not valid for use with the REST API', 'INVALID_SESSION_ID', 401],
    ['Connected app is not attached to Agent', 'INVALID_SESSION_ID', 401],
    ['Session expired or invalid', 'INVALID_SESSION_ID', 403],
    ['No', 'INVALID_AUTH_HEADER', 403],
    ['No', 'REQUEST_LIMIT_EXCEEDED', 403],
  ])('is not %s (%s, %d)', (message, errorCode, status) => {
    expect(refused(message, errorCode, status)).toBe(false);
  });

  test('is a 401 with INVALID_AUTH_HEADER, where tokens are JWTs', () => {
    expect(refused('INVALID_AUTH_HEADER', 'INVALID_AUTH_HEADER')).toBe(true);
  });

  test.each(['', '<html></html>', '{}'])('is not a 401 that says %j', (body) => {
    expect(isTokenExpired(answer(401, body))).toBe(false);
  });
});

describe('a refresh', () => {
  test('is requested by a form, once', () => {
    const request = refresh.toRequest({
      client: { clientId: 'id&1', clientSecret: 'se cret' },
      refreshToken: '5Aep/+=',
    });
    expect(request).toMatchObject({
      method: 'POST',
      path: '/services/oauth2/token',
      retry: 'never',
    });
    expect(request.headers?.['content-type']).toBe('application/x-www-form-urlencoded');
    expect(Object.fromEntries(new URLSearchParams(request.body))).toEqual({
      grant_type: 'refresh_token',
      refresh_token: '5Aep/+=',
      format: 'json',
      client_id: 'id&1',
      client_secret: 'se cret',
    });
  });

  test('gives a token without an expiry and without a new refresh token', () => {
    expect(refresh.readAnswer(answer(200, token), NOW)).toEqual({
      accessToken: token.access_token,
      refreshToken: null,
      expiresAt: null,
      instanceUrl: 'https://acme.my.salesforce.com',
    });
  });

  test('gives the new refresh token with rotation', () => {
    const rotated = { ...token, refresh_token: '5Aep862' };
    expect(refresh.readAnswer(answer(200, rotated), NOW).refreshToken).toBe('5Aep862');
  });

  test('gives an expiry if Salesforce sends one', () => {
    const ending = { ...token, expires_in: 900 };
    expect(refresh.readAnswer(answer(200, ending), NOW).expiresAt).toBe('2026-11-20T10:15:00.000Z');
  });

  test('gives the current instance URL, or none if Salesforce sends none', () => {
    const moved = { ...token, instance_url: 'https://new-acme.my.salesforce.com' };
    expect(refresh.readAnswer(answer(200, moved), NOW).instanceUrl).toBe(
      'https://new-acme.my.salesforce.com',
    );
    const silent = { ...token, instance_url: null };
    expect(refresh.readAnswer(answer(200, silent), NOW).instanceUrl).toBeUndefined();
  });

  const refusals: [number, unknown, ErrorCode][] = [
    [
      ...([
        400,
        { error: 'invalid_grant', error_description: 'expired access/refresh token' },
      ] as const),
      'REMOTE_PROVIDER_UNAUTHORIZED',
    ],
    [
      400,
      { error_description: 'authentication failure', error: 'invalid_grant' },
      'REMOTE_PROVIDER_UNAUTHORIZED',
    ],
    [400, { error: 'invalid_client_id' }, 'REMOTE_PROVIDER_ERROR'],
    [400, { error: 'invalid_client' }, 'REMOTE_PROVIDER_ERROR'],
    [400, { error: 'inactive_user' }, 'REMOTE_PROVIDER_UNAUTHORIZED'],
    [400, { error: 'inactive_org' }, 'REMOTE_PROVIDER_UNAUTHORIZED'],
    [400, { error: 'unsupported_grant_type' }, 'REMOTE_PROVIDER_ERROR'],
    [401, { error: 'invalid_client' }, 'REMOTE_PROVIDER_ERROR'],
    [400, { error: 'invalid_app_access' }, 'REMOTE_PROVIDER_FORBIDDEN'],
    [400, { error: 'rate_limit_exceeded' }, 'REMOTE_PROVIDER_RATE_LIMITED'],
    [
      ...([
        400,
        { error: 'invalid_grant', error_description: 'token request is already being processed' },
      ] as const),
      'REMOTE_PROVIDER_UNAVAILABLE',
    ],
    [
      400,
      { error: 'invalid_grant', error_description: 'ip restricted' },
      'REMOTE_PROVIDER_FORBIDDEN',
    ],
    [
      ...([
        400,
        { error: 'invalid_grant', error_description: 'IP restricted or invalid login hours' },
      ] as const),
      'REMOTE_PROVIDER_FORBIDDEN',
    ],
    [
      400,
      { error: 'unknown_error', error_description: 'retry your request' },
      'REMOTE_PROVIDER_UNAVAILABLE',
    ],
    [503, '<html></html>', 'REMOTE_PROVIDER_UNAVAILABLE'],
    [400, 'what?', 'REMOTE_PROVIDER_ERROR'],
  ];

  test.each(refusals)('refused with %d %j is %s', (status, body, code) => {
    expect(() => refresh.readAnswer(answer(status, body), NOW)).toThrow(
      expect.objectContaining({ code, answer: expect.objectContaining({ status }) }),
    );
  });

  test.each(['', 'null', '[]', '{}', '{"access_token":""}', '{"access_token":"00D!secret"'])(
    'with the response %j is an error that contains nothing of it',
    (body) => {
      expect(() => refresh.readAnswer(answer(200, body), NOW)).toThrow(
        expect.objectContaining({
          code: 'REMOTE_PROVIDER_BAD_RESPONSE',
          answer: expect.objectContaining({ body: '[withheld]' }),
        }),
      );
    },
  );
});
