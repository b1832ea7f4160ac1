import { describe, expect, test } from 'vitest';
import { PageSizes } from '../../../src/domain/page-sizes.ts';
import type { Send } from '../../../src/domain/remote.ts';
import type { RefreshedToken } from '../../../src/domain/token-refresh.ts';
import { openCrm, salesforce } from '../../../src/providers/salesforce/provider.ts';
import { byDomain } from '../../support/by-domain.ts';
import { createConnection } from '../../support/connection.ts';
import { createFakeFacts } from '../../support/fake-facts.ts';
import { type TestContacts, toRedacted } from '../../support/redacted.ts';
import { createSend } from '../../support/send.ts';
import { type Org, useOrgs } from './open-org.ts';

const open = useOrgs();
const access = salesforce.crm;
if (access === undefined) throw new Error('Salesforce can be searched.');
const NOW = new Date('2026-11-20T10:00:00Z');
const QUERY = '/services/data/v66.0/query/?q=SELECT%20Id%20FROM%20Contact';
const PEOPLE = Array.from({ length: 30 }, () => ({ email: 'team@shared.example' }));

async function refresh(
  { account }: Org,
  refreshToken = account.refreshToken,
): Promise<RefreshedToken> {
  const { clientId, clientSecret } = account;
  const request = access?.refresh.toRequest({ client: { clientId, clientSecret }, refreshToken });
  if (access === undefined || request === undefined) throw new Error('There is no way to refresh.');
  return access.refresh.readAnswer(await createSend({ origin: account.instanceUrl })(request), NOW);
}

/** The part of the outbound client that these tests need: one refresh when the token has expired. */
function refreshing(org: Org): Send {
  let token = org.account.accessToken;
  return async (request) => {
    const send = () => createSend({ origin: org.account.instanceUrl, token })(request);
    const answer = await send();
    if (!access?.needsRefresh(answer)) return answer;
    token = (await refresh(org)).accessToken;
    return send();
  };
}

function openRefreshing(org: Org): TestContacts {
  const connection = createConnection('salesforce');
  return toRedacted(
    openCrm({
      send: refreshing(org),
      connection,
      openFacts: createFakeFacts,
      pageSizes: new PageSizes(),
      remember: (_name, read) => read(),
    }),
  );
}

describe('a session', () => {
  test('is refreshed when it expires between two pages, and the search continues', async () => {
    const org = open(PEOPLE, { maxBatchSize: 10 });
    org.account.fail('session-expired', { operation: 'query.more' });
    const port = openRefreshing(org);
    const found = await port.findByKey(['team@shared.example'], { rawData: false });
    expect(found.get('team@shared.example')).toHaveLength(30);
    expect([org.account.callCount('oauth.token'), org.account.callCount('query')]).toEqual([1, 1]);
  });

  test('is refreshed permanently when it has expired', async () => {
    const org = open(PEOPLE);
    org.account.expireAccessToken();
    const port = openRefreshing(org);
    expect(await port.count(byDomain('shared.example'))).toBe(30);
    expect(await port.count(byDomain('shared.example'))).toBe(30);
    expect(org.account.callCount('oauth.token')).toBe(1);
  });

  test('in JWT form is refreshed when it has expired', async () => {
    const org = open(PEOPLE);
    org.account.fail('auth-header-invalid', { operation: 'query' });
    const port = openRefreshing(org);
    expect(await port.count(byDomain('shared.example'))).toBe(30);
    expect(org.account.callCount('oauth.token')).toBe(1);
  });

  test.each(['session-not-for-rest', 'app-not-attached'])(
    'refused as %s is not refreshed',
    async (fault) => {
      const org = open(PEOPLE);
      org.account.fail(fault, { times: 5 });
      const port = openRefreshing(org);
      await expect(port.count(byDomain('shared.example'))).rejects.toMatchObject({
        code: 'REMOTE_PROVIDER_UNAUTHORIZED',
      });
      expect([org.account.callCount('oauth.token'), org.account.callCount()]).toEqual([0, 1]);
    },
  );
});

describe('a refresh', () => {
  test('gives a working access token, without an expiry or a new refresh token', async () => {
    const org = open(PEOPLE);
    const { accessToken, ...rest } = await refresh(org);
    expect(rest).toEqual({
      refreshToken: null,
      expiresAt: null,
      instanceUrl: org.account.instanceUrl,
    });
    const send = createSend({ origin: org.account.instanceUrl, token: accessToken });
    expect((await send({ method: 'GET', path: QUERY, budget: 'api', retry: 'safe' })).status).toBe(
      200,
    );
  });

  test('gives a new refresh token with rotation; a use of the old one fails and revokes the new one', async () => {
    const org = open(PEOPLE, { rotateRefreshTokens: true });
    const old = org.account.refreshToken;
    const { refreshToken } = await refresh(org, old);
    expect(refreshToken).not.toBe(old);
    const { accessToken, refreshToken: newest } = await refresh(org, refreshToken ?? '');
    expect(accessToken).toMatch(/^00D/);
    for (const dead of [old, newest ?? ''])
      await expect(refresh(org, dead)).rejects.toMatchObject({
        code: 'REMOTE_PROVIDER_UNAUTHORIZED',
      });
  });

  test('gives the current URL of the instance', async () => {
    const movedInstanceUrl = 'https://acme-new.my.salesforce.com';
    expect((await refresh(open(PEOPLE, { movedInstanceUrl }))).instanceUrl).toBe(movedInstanceUrl);
  });

  test.each([
    ['refresh-refused', 'REMOTE_PROVIDER_UNAUTHORIZED'],
    ['authentication-failure', 'REMOTE_PROVIDER_UNAUTHORIZED'],
    ['inactive-user', 'REMOTE_PROVIDER_UNAUTHORIZED'],
    ['inactive-org', 'REMOTE_PROVIDER_UNAUTHORIZED'],
    ['ip-restricted', 'REMOTE_PROVIDER_FORBIDDEN'],
    ['login-hours', 'REMOTE_PROVIDER_FORBIDDEN'],
    ['refresh-in-progress', 'REMOTE_PROVIDER_UNAVAILABLE'],
    ['token-rate-limited', 'REMOTE_PROVIDER_RATE_LIMITED'],
    ['maintenance', 'REMOTE_PROVIDER_UNAVAILABLE'],
  ])('with the outcome %s is %s', async (fault, code) => {
    const org = open(PEOPLE);
    org.account.fail(fault);
    await expect(refresh(org)).rejects.toMatchObject({ code });
  });

  test('with a wrong secret is a configuration error of this installation', async () => {
    const org = open(PEOPLE);
    const account = {
      ...org.account,
      refreshToken: org.account.refreshToken,
      clientSecret: 'wrong',
    };
    await expect(refresh({ ...org, account })).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_ERROR',
      answer: { status: 400 },
    });
  });
});

describe('the daily limit', () => {
  test.each([
    ['plain', { remaining: 99_999, max: 100_000 }],
    ['per-app', { remaining: 249, max: 250 }],
    ['bursts', { remaining: 99_999, max: 100_000 }],
  ] as const)('is read from every response in its %s form', async (limitInfo, expected) => {
    const answer = await open(PEOPLE, { limitInfo }).send({
      method: 'GET',
      path: QUERY,
      budget: 'api',
      retry: 'safe',
    });
    expect(access.readRateLimitStatus(answer, 'general')).toEqual({
      ...expected,
      intervalMs: 86_400_000,
    });
  });
});
