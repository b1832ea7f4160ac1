import { openSandbox, type Sandbox } from '@crossbook/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hubspot } from '../../src/providers/hubspot/provider.ts';
import { salesforce } from '../../src/providers/salesforce/provider.ts';
import { SELF_SIGNED } from '../fixtures/self-signed.ts';
import { createSandboxPorts } from '../support/sandbox-ports.ts';

const PLAIN = { rawData: false };
const EMAILS = Array.from({ length: 1_000 }, (_, index) => `person.${index}@x.example`);
const PEOPLE = EMAILS.map((email) => ({ email }));

let sandbox: Sandbox;
const { open, close } = createSandboxPorts(() => sandbox);

beforeAll(async () => {
  sandbox = await openSandbox();
});

afterAll(async () => {
  await close();
  await sandbox.close();
});

describe.each([
  ['HubSpot', hubspot, () => sandbox.hubspot.createAccount({ people: PEOPLE })],
  ['Salesforce', salesforce, () => sandbox.salesforce.createAccount({ people: PEOPLE })],
] as const)('%s, with its limits', (_name, provider, createAccount) => {
  test('serves a thousand concurrent single look-ups in about a dozen calls, and rejects none', async () => {
    const account = createAccount();
    const { port } = open(provider, account);
    const found = await Promise.all(EMAILS.map((email) => port.findByKey([email], PLAIN)));
    expect(found.map((map, index) => map.get(EMAILS[index] ?? '')?.[0]?.remoteId)).toEqual(
      EMAILS.map((_, index) => account.recordId(index + 1)),
    );
    expect(account.calls().filter(({ status }) => status === 429)).toEqual([]);
    expect(account.callCount()).toBeLessThanOrEqual(14);
  });

  test('refreshes an expired token once for a thousand look-ups', async () => {
    const account = createAccount();
    const { port, credentials } = open(provider, account);
    account.expireAccessToken();
    const found = await Promise.all(EMAILS.map((email) => port.findByKey([email], PLAIN)));
    expect(found.every((map) => map.size === 1)).toBe(true);
    expect(account.callCount('oauth.token')).toBe(1);
    expect(credentials.stored()?.credentials).toMatchObject({
      accessToken: account.accessToken,
      refreshToken: account.refreshToken,
    });
  });

  test('gives an error that asks to reconnect when it revokes the authorization, and the connection is marked', async () => {
    const account = createAccount();
    const { port, credentials } = open(provider, account);
    account.revoke();
    const error = await port.findByKey(['a@x.example'], PLAIN).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'REMOTE_PROVIDER_UNAUTHORIZED',
      message: expect.stringContaining('has to reconnect'),
      remote: expect.anything(),
    });
    expect(JSON.stringify(error)).not.toContain(account.refreshToken);
    expect(credentials.calls.refused).toEqual([1]);
  });

  test.each(['reset', 'reset-midway'] as const)('is called again after a %s', async (kind) => {
    const account = createAccount();
    const { port } = open(provider, account);
    account.fail({ kind });
    expect(
      (await port.findByKey(['person.7@x.example'], PLAIN)).get('person.7@x.example'),
    ).toHaveLength(1);
  });

  test.each([
    ['hang', 'REMOTE_PROVIDER_TIMEOUT'],
    ['stall', 'REMOTE_PROVIDER_TIMEOUT'],
  ] as const)('is aborted at the deadline on a %s', async (kind, code) => {
    const account = createAccount();
    const { port } = open(provider, account, { settings: { deadlineMs: 200 } });
    account.fail({ kind }, { times: 9 });
    await expect(port.findByKey(['a@x.example'], PLAIN)).rejects.toMatchObject({ code });
  });

  test.each(['oversized', 'gzip-bomb'] as const)(
    'is aborted at the size limit: %s',
    async (kind) => {
      const account = createAccount();
      const { port } = open(provider, account, { settings: { maxAnswerBytes: 1_048_576 } });
      account.fail({ kind, megabytes: 8 });
      await expect(port.findByKey(['a@x.example'], PLAIN)).rejects.toMatchObject({
        code: 'REMOTE_PROVIDER_BAD_RESPONSE',
      });
    },
  );
});

test('a session that expires between two pages is refreshed once, and the search continues', async () => {
  const people = Array.from({ length: 30 }, () => ({ email: 'team@shared.example' }));
  const account = sandbox.salesforce.createAccount({ people, quirks: { maxBatchSize: 10 } });
  const { port } = open(salesforce, account);
  account.fail('session-expired', { operation: 'query.more' });
  const found = await port.findByKey(['team@shared.example'], PLAIN);
  expect(found.get('team@shared.example')).toHaveLength(30);
  expect([account.callCount('oauth.token'), account.callCount('query')]).toEqual([1, 1]);
});

test.each(['session-not-for-rest', 'app-not-attached'])(
  'a session refused as %s is not refreshed, and its call not repeated',
  async (fault) => {
    const account = sandbox.salesforce.createAccount({ people: PEOPLE });
    const { port, credentials } = open(salesforce, account);
    account.fail(fault, { times: 9 });
    await expect(port.findByKey(['a@x.example'], PLAIN)).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_UNAUTHORIZED',
      remote: { code: 401 },
    });
    expect([account.callCount('oauth.token'), account.callCount()]).toEqual([0, 1]);
    expect(credentials.calls.refused).toEqual([]);
  },
);

test('an instance that has moved is followed to its new host, which is stored', async () => {
  const account = sandbox.salesforce.createAccount({ people: PEOPLE });
  const movedInstanceUrl = account.instanceUrl.replace('127.0.0.1', 'localhost');
  const { port, credentials } = open(salesforce, account, {
    sandboxOrigins: [sandbox.salesforce.origin, movedInstanceUrl],
  });
  account.setQuirks({ movedInstanceUrl });
  account.expireAccessToken();
  expect(
    (await port.findByKey(['person.7@x.example'], PLAIN)).get('person.7@x.example'),
  ).toHaveLength(1);
  expect(credentials.stored()?.instanceUrl).toBe(movedInstanceUrl);
});

test('the old refresh token is kept unless the response has a new one', async () => {
  const account = sandbox.hubspot.createAccount({
    people: PEOPLE,
    quirks: { withoutRefreshToken: true },
  });
  const { port, credentials } = open(hubspot, account);
  const before = account.refreshToken;
  account.expireAccessToken();
  await port.findByKey(['a@x.example'], PLAIN);
  expect(credentials.stored()?.credentials).toMatchObject({ refreshToken: before });
  account.setQuirks({ withoutRefreshToken: false, rotateRefreshTokens: true });
  account.expireAccessToken();
  await port.findByKey(['a@x.example'], PLAIN);
  expect(account.refreshToken).not.toBe(before);
  expect(credentials.stored()?.credentials).toMatchObject({ refreshToken: account.refreshToken });
});

test('an untrusted certificate is an error of the provider, and no token is sent', async () => {
  const secure = await openSandbox({ tls: SELF_SIGNED });
  const ports = createSandboxPorts(() => secure);
  try {
    for (const [provider, account] of [
      [hubspot, secure.hubspot.createAccount({ people: PEOPLE })],
      [salesforce, secure.salesforce.createAccount({ people: PEOPLE })],
    ] as const) {
      await expect(
        ports.open(provider, account).port.findByKey(['a@x.example'], PLAIN),
      ).rejects.toMatchObject({
        code: 'REMOTE_PROVIDER_UNAVAILABLE',
        origin: 'remote-provider',
        message: expect.stringContaining('cannot be verified (DEPTH_ZERO_SELF_SIGNED_CERT)'),
      });
      expect(account.callCount()).toBe(0);
    }
  } finally {
    await ports.close();
    await secure.close();
  }
});
