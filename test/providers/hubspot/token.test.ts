import { openSandbox } from '@crossbook/sandbox';
import { expect, test } from 'vitest';
import { toErrorBody } from '../../../src/domain/errors.ts';
import { refresh } from '../../../src/providers/hubspot/oauth.ts';
import { createSend } from '../../support/send.ts';

const NOW = new Date('2026-11-20T21:00:00.000Z');
const SECRET = 'na1-very-secret';

function answer(status: number, body: unknown) {
  return { status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

function refusal(status: number, body: unknown) {
  try {
    refresh.readAnswer(answer(status, body), NOW);
  } catch (error) {
    return error as Parameters<typeof toErrorBody>[0];
  }
  throw new Error('It was no refusal.');
}

test('a refresh request is a form at the versioned endpoint of HubSpot’s origin', () => {
  const client = { clientId: 'id', clientSecret: 's&=cret' };
  const request = refresh.toRequest({ client, refreshToken: 'r+1' });
  expect(request).toMatchObject({ method: 'POST', path: '/oauth/2026-03/token', budget: 'token' });
  expect(Object.fromEntries(new URLSearchParams(request.body))).toEqual({
    grant_type: 'refresh_token',
    client_id: 'id',
    client_secret: 's&=cret',
    refresh_token: 'r+1',
  });
  expect(refresh.origin('https://app-eu1.hubspot.com/contacts/1')).toBe('https://api.hubapi.com');
});

test.each([
  [
    { access_token: 'a', refresh_token: 'r', expires_in: 1800 },
    { refreshToken: 'r', expiresAt: '2026-11-20T21:30:00.000Z' },
  ],
  [
    { access_token: 'a', expires_in: '60' },
    { refreshToken: null, expiresAt: '2026-11-20T21:01:00.000Z' },
  ],
  [
    { access_token: 'a', refresh_token: null, expires_in: null },
    { refreshToken: null, expiresAt: null },
  ],
  [
    { access_token: 'a', expires_in: 'soon', hub_id: 1, scopes: [] },
    { refreshToken: null, expiresAt: null },
  ],
])('the response %j gives a new token', (body, expected) => {
  expect(refresh.readAnswer(answer(200, body), NOW)).toEqual({
    accessToken: 'a',
    instanceUrl: undefined,
    ...expected,
  });
});

test.each([
  [
    400,
    {
      status: 'BAD_REFRESH_TOKEN',
      error: 'invalid_grant',
      message: 'missing or invalid refresh token',
    },
    'REMOTE_PROVIDER_UNAUTHORIZED',
  ],
  [400, { status: 'BAD_HUB', message: 'portal deleted' }, 'REMOTE_PROVIDER_UNAUTHORIZED'],
  [400, { error: 'invalid_grant' }, 'REMOTE_PROVIDER_UNAUTHORIZED'],
  [400, { status: 'BAD_SOMETHING', error: 'invalid_grant' }, 'REMOTE_PROVIDER_UNAUTHORIZED'],
  [400, { status: 'BAD_CLIENT_ID', error: 'invalid_grant' }, 'REMOTE_PROVIDER_ERROR'],
  [400, { status: 'BAD_CLIENT_ID', error: 'invalid_client' }, 'REMOTE_PROVIDER_ERROR'],
  [401, { error: 'invalid_client' }, 'REMOTE_PROVIDER_ERROR'],
  [429, { message: 'You have reached your secondly limit.' }, 'REMOTE_PROVIDER_RATE_LIMITED'],
  [500, { error: 'invalid_grant' }, 'REMOTE_PROVIDER_UNAVAILABLE'],
  [502, '<html></html>', 'REMOTE_PROVIDER_UNAVAILABLE'],
  [200, '{"access_token":', 'REMOTE_PROVIDER_BAD_RESPONSE'],
  [200, { access_token: '' }, 'REMOTE_PROVIDER_BAD_RESPONSE'],
])('%i %j is %s', (status, body, code) => {
  expect(refusal(status, body).code).toBe(code);
});

test('an error contains no token that HubSpot echoes', () => {
  for (const [status, body] of [
    [200, { token_type: 'bearer', refresh_token: SECRET }],
    [200, `{"access_token":"${SECRET}`],
    [400, { status: 'BAD_REFRESH_TOKEN', context: { refresh_token: [SECRET] } }],
    [500, `<html>${SECRET}</html>`],
  ] as const)
    expect(JSON.stringify(toErrorBody(refusal(status, body), 'app'))).not.toContain(SECRET);
});

test('the sandbox refreshes as HubSpot does, and rejects a revoked token', async () => {
  const sandbox = await openSandbox();
  try {
    const account = sandbox.hubspot.createAccount();
    const send = createSend({ origin: sandbox.hubspot.origin });
    const ask = () =>
      send(refresh.toRequest({ client: account, refreshToken: account.refreshToken }));
    const refreshed = refresh.readAnswer(await ask(), NOW);
    expect(refreshed).toMatchObject({
      accessToken: account.accessToken,
      refreshToken: account.refreshToken,
    });
    account.setQuirks({ shortTokenAnswer: true, withoutRefreshToken: true });
    expect(refresh.readAnswer(await ask(), NOW).refreshToken).toBeNull();
    account.revoke();
    const dead = await ask();
    expect(() => refresh.readAnswer(dead, NOW)).toThrow('HubSpot refused the refresh token.');
  } finally {
    await sandbox.close();
  }
});
