import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Client, openClient } from './client.ts';

describe('Salesforce’s token endpoint', () => {
  let client: Client;
  beforeEach(async () => {
    client = await openClient([{ lastName: 'One' }]);
  });
  afterEach(() => client.sandbox.close());

  const form = (more: Record<string, string> = {}): Record<string, string> => ({
    grant_type: 'refresh_token',
    refresh_token: client.account.refreshToken,
    client_id: client.account.clientId,
    client_secret: client.account.clientSecret,
    ...more,
  });
  const works = async () => (await client.query('SELECT COUNT() FROM Contact')).status === 200;

  test('returns a new access token, without its lifetime and without the refresh token', async () => {
    client.account.expireAccessToken();
    expect(await works()).toBe(false);
    const { body } = await client.token(form());
    expect(Object.keys(body)).toEqual([
      'access_token',
      'signature',
      'scope',
      'instance_url',
      'id',
      'token_type',
      'issued_at',
      'api_instance_url',
    ]);
    expect(body).toMatchObject({
      access_token: client.account.accessToken,
      instance_url: client.sandbox.salesforce.origin,
      issued_at: String(Date.UTC(2026, 10, 20, 12)),
    });
    expect(await works()).toBe(true);
  });

  test('accepts the client’s id and secret as HTTP Basic too', async () => {
    const { clientId, clientSecret, refreshToken } = client.account;
    const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    const basic = { grant_type: 'refresh_token', refresh_token: refreshToken };
    expect((await client.token(basic, { authorization })).status).toBe(200);
  });

  test('with rotation returns a new refresh token and invalidates the old one', async () => {
    client.account.setQuirks({ rotateRefreshTokens: true });
    const old = client.account.refreshToken;
    const { body } = await client.token(form());
    expect(body.refresh_token).toBe(client.account.refreshToken);
    expect(body.refresh_token).not.toBe(old);
    expect((await client.token(form())).status).toBe(200);
  });

  test('revokes the new refresh token and all access tokens when a rotated one is reused', async () => {
    client.account.setQuirks({ rotateRefreshTokens: true });
    const old = client.account.refreshToken;
    await client.token(form());
    expect(await works()).toBe(true);
    expect((await client.token(form({ refresh_token: old }))).body).toEqual({
      error: 'invalid_grant',
      error_description: 'expired access/refresh token',
    });
    expect(await works()).toBe(false);
    expect((await client.token(form())).body.error).toBe('invalid_grant');
  });

  test('expires a refresh token after thirty days without use; each use restarts the period', async () => {
    const day = 86_400_000;
    client.account.setQuirks({ refreshTokenIdleMs: 30 * day });
    for (const days of [29, 29, 30]) {
      client.advance(days * day);
      expect((await client.token(form())).status).toBe(200);
    }
    client.advance(30 * day + 1);
    expect((await client.token(form())).body.error_description).toBe(
      'expired access/refresh token',
    );
  });

  test('issues sessions that slide where configured, and end where not', async () => {
    const hour = 3_600_000;
    client.account.setQuirks({ sessionSlides: true });
    for (let turn = 0; turn < 4; turn += 1) {
      client.advance(hour + 1);
      expect(await works()).toBe(true);
    }
    client.account.setQuirks({ sessionSlides: false });
    client.advance(hour);
    expect(await works()).toBe(true);
    client.advance(hour);
    expect(await works()).toBe(false);
  });

  test('revokes the oldest approval of a user and an application when the sixth is request', async () => {
    const first = client.account.refreshToken;
    for (let approval = 2; approval <= 5; approval += 1) client.account.approve();
    expect((await client.token(form({ refresh_token: first }))).status).toBe(200);
    client.account.approve();
    expect((await client.token(form({ refresh_token: first }))).body.error).toBe('invalid_grant');
    expect((await client.token(form())).status).toBe(200);
  });

  test('can issue JWTs, whose expiry is reported as an invalid auth header', async () => {
    client.account.setQuirks({ jwtAccessTokens: true });
    await client.token(form());
    expect(client.account.accessToken).toMatch(/^eyJ[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(await works()).toBe(true);
    client.account.expireAccessToken();
    expect(await client.query('SELECT COUNT() FROM Contact')).toMatchObject({
      status: 401,
      body: [{ errorCode: 'INVALID_AUTH_HEADER' }],
    });
  });

  test('rejects the second of two concurrent refreshes while the first is processed', async () => {
    client.account.setQuirks({ refreshBusyMs: 1_000, rotateRefreshTokens: true });
    const request = form();
    expect((await client.token(request)).status).toBe(200);
    expect((await client.token(request)).body.error_description).toBe(
      'token request is already being processed',
    );
    expect(await works()).toBe(true);
  });

  test('can return the issue time in seconds, as older documents say', async () => {
    client.account.setQuirks({ issuedAtInSeconds: true });
    const { body } = await client.token(form());
    expect(body.issued_at).toBe(String(Date.UTC(2026, 10, 20, 12) / 1_000));
  });

  test('responds only at the new URL of an org that moved', async () => {
    const movedInstanceUrl = client.account.instanceUrl.replace('127.0.0.1', 'localhost');
    client.account.setQuirks({ movedInstanceUrl });
    const { body } = await client.token(form());
    expect(body.instance_url).toBe(movedInstanceUrl);
    expect(await works()).toBe(false);
    const response = await fetch(`${movedInstanceUrl}/services/data/v66.0/limits`, {
      headers: { authorization: `Bearer ${client.account.accessToken}` },
    });
    expect(response.status).toBe(200);
  });

  test.each([
    ['an unknown refresh token', { refresh_token: 'unknown' }, 'invalid_grant'],
    ['another client', { client_id: 'other' }, 'invalid_client_id'],
    ['a wrong secret', { client_secret: 'wrong' }, 'invalid_client'],
    ['another grant type', { grant_type: 'password' }, 'unsupported_grant_type'],
  ])('rejects %s with an OAuth error', async (_title, more, error) => {
    const { status, body } = await client.token(form(more));
    expect(status).toBe(400);
    expect(body).toEqual({ error, error_description: expect.any(String) });
  });

  test('accepts a request without a client secret only where the org allows it', async () => {
    const { client_secret: _secret, ...rest } = form();
    expect((await client.token(rest)).status).toBe(400);
    client.account.setQuirks({ secretIsOptional: true });
    expect((await client.token(rest)).status).toBe(200);
  });

  test('supports introspection, userinfo and revocation', async () => {
    const { accessToken, refreshToken } = client.account;
    const post = (name: string, token: string) =>
      client.send(`/services/oauth2/${name}`, {
        form: new URLSearchParams(form({ token })),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    expect((await post('introspect', accessToken)).body).toMatchObject({
      active: true,
      token_type: 'access_token',
    });
    expect((await client.send('/services/oauth2/userinfo')).body).toMatchObject({
      organization_id: client.account.id,
    });
    expect((await post('revoke', refreshToken)).status).toBe(200);
    expect((await post('introspect', accessToken)).body).toEqual({ active: false });
    expect(await client.send('/services/oauth2/userinfo')).toMatchObject({
      status: 403,
      text: 'Bad_OAuth_Token',
    });
    expect((await client.token(form())).body.error).toBe('invalid_grant');
  });
});
