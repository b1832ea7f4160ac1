import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Client, openClient } from './client.ts';

describe('the token endpoint', () => {
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

  test('gives a new access token, and says neither when it ends nor the refresh token', async () => {
    client.account.expireAccessToken();
    expect(await works()).toBe(false);
    const { body } = await client.token(form());
    expect(Object.keys(body)).toEqual([
      ...['access_token', 'signature', 'scope', 'instance_url', 'id', 'token_type', 'issued_at'],
      'api_instance_url',
    ]);
    expect(body).toMatchObject({
      access_token: client.account.accessToken,
      instance_url: client.sandbox.salesforce.origin,
      issued_at: String(Date.UTC(2026, 10, 20, 12)),
    });
    expect(await works()).toBe(true);
  });

  test('takes the client’s id and secret as Basic too', async () => {
    const { clientId, clientSecret, refreshToken } = client.account;
    const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    const basic = { grant_type: 'refresh_token', refresh_token: refreshToken };
    expect((await client.token(basic, { authorization })).status).toBe(200);
  });

  test('with rotation on, there is a new refresh token and the old one is dead', async () => {
    client.account.setQuirks({ rotateRefreshTokens: true });
    const old = client.account.refreshToken;
    const { body } = await client.token(form());
    expect(body.refresh_token).toBe(client.account.refreshToken);
    expect(body.refresh_token).not.toBe(old);
    expect((await client.token(form())).status).toBe(200);
  });

  test('whoever comes with a refresh token that was replaced ends the new one and all access tokens', async () => {
    client.account.setQuirks({ rotateRefreshTokens: true });
    const old = client.account.refreshToken;
    await client.token(form());
    expect(await works()).toBe(true);
    expect((await client.token(form({ refresh_token: old }))).body).toEqual({
      ...{ error: 'invalid_grant', error_description: 'expired access/refresh token' },
    });
    expect(await works()).toBe(false);
    expect((await client.token(form())).body.error).toBe('invalid_grant');
  });

  test('a refresh token that nobody uses for thirty days is dead; each use restarts the count', async () => {
    const day = 86_400_000;
    client.account.setQuirks({ refreshTokenIdleMs: 30 * day });
    for (const days of [29, 29, 30]) {
      client.advance(days * day);
      expect((await client.token(form())).status).toBe(200);
    }
    client.advance(30 * day + 1);
    expect((await client.token(form())).body.error_description).toBe('expired access/refresh token');
  });

  test('a session slides where it does, and ends where it does not', async () => {
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

  test('the sixth approval of a user and an application ends the oldest', async () => {
    const first = client.account.refreshToken;
    for (let approval = 2; approval <= 5; approval += 1) client.account.approve();
    expect((await client.token(form({ refresh_token: first }))).status).toBe(200);
    client.account.approve();
    expect((await client.token(form({ refresh_token: first }))).body.error).toBe('invalid_grant');
    expect((await client.token(form())).status).toBe(200);
  });

  test('an access token may be a JWT, of which nothing but the header is blamed', async () => {
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

  test('the second of two refreshers is told that the first is not done', async () => {
    client.account.setQuirks({ refreshBusyMs: 1_000, rotateRefreshTokens: true });
    const given = form();
    expect((await client.token(given)).status).toBe(200);
    expect((await client.token(given)).body.error_description).toBe(
      'token request is already being processed',
    );
    expect(await works()).toBe(true);
  });

  test('the time of issue may be in seconds, as older documents say', async () => {
    client.account.setQuirks({ issuedAtInSeconds: true });
    const { body } = await client.token(form());
    expect(body.issued_at).toBe(String(Date.UTC(2026, 10, 20, 12) / 1_000));
  });

  test('an organisation that moved answers at its new place only', async () => {
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
    ['another grant', { grant_type: 'password' }, 'unsupported_grant_type'],
  ])('%s is refused in the manner of OAuth', async (_title, more, error) => {
    const { status, body } = await client.token(form(more));
    expect(status).toBe(400);
    expect(body).toEqual({ error, error_description: expect.any(String) });
  });

  test('a secret may be left out only where the organisation allows it', async () => {
    const { client_secret: _secret, ...rest } = form();
    expect((await client.token(rest)).status).toBe(400);
    client.account.setQuirks({ secretIsOptional: true });
    expect((await client.token(rest)).status).toBe(200);
  });

  test('a token can be looked at, used to say who it is, and revoked', async () => {
    const { accessToken, refreshToken } = client.account;
    const post = (name: string, token: string) =>
      client.ask(`/services/oauth2/${name}`, {
        form: new URLSearchParams(form({ token })),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    expect((await post('introspect', accessToken)).body).toMatchObject({
      active: true,
      token_type: 'access_token',
    });
    expect((await client.ask('/services/oauth2/userinfo')).body).toMatchObject({
      organization_id: client.account.id,
    });
    expect((await post('revoke', refreshToken)).status).toBe(200);
    expect((await post('introspect', accessToken)).body).toEqual({ active: false });
    expect(await client.ask('/services/oauth2/userinfo')).toMatchObject({
      status: 403,
      text: 'Bad_OAuth_Token',
    });
    expect((await client.token(form())).body.error).toBe('invalid_grant');
  });
});
