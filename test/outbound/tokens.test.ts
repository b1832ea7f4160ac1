import { describe, expect, test } from 'vitest';
import type { Credentials, OAuth2Credentials } from '../../src/domain/connection.ts';
import { CrossbookError } from '../../src/domain/errors.ts';
import type { RefreshedCredentials } from '../../src/domain/tenant.ts';
import { createTokens, InvalidGrantError } from '../../src/outbound/access-token/tokens.ts';
import { createFakeClock } from '../support/clock.ts';
import { createConnection } from '../support/connection.ts';
import { createFakeCredentials } from '../support/fake-credentials.ts';

const UNAUTHORIZED = new CrossbookError('REMOTE_PROVIDER_UNAUTHORIZED', 'invalid_grant');
const DOWN = new CrossbookError('REMOTE_PROVIDER_UNAVAILABLE', 'down');

describe('an access token', () => {
  test('is read once, and then cached for a while', async () => {
    const { tokens, load, calls, clock } = open({ type: 'token', value: 'pat-1' });
    expect(tokens.current()).toBeUndefined();
    expect(await load()).toMatchObject({ value: 'pat-1', authorization: 'Bearer pat-1' });
    expect(tokens.current()?.value).toBe('pat-1');
    expect(calls.reads).toBe(1);
    await clock.advance(15_000);
    expect(tokens.current()).toBeUndefined();
  });

  test('is read once for all waiting calls', async () => {
    const { load, calls } = open({ type: 'token', value: 'pat-1' });
    await Promise.all(Array.from({ length: 1_000 }, load));
    expect(calls.reads).toBe(1);
  });

  test('is read again after an invalidation', async () => {
    const { tokens, load, put } = open({ type: 'token', value: 'pat-1' });
    await load();
    put({ type: 'token', value: 'pat-2' });
    tokens.forget();
    expect((await load()).value).toBe('pat-2');
  });

  test('that was being read at an invalidation is not kept, nor given to those who come after it', async () => {
    const { tokens, load, put } = open({ type: 'token', value: 'pat-1' });
    const before = load();
    put({ type: 'token', value: 'pat-2' });
    tokens.forget();
    expect((await load()).value).toBe('pat-2');
    await before;
    expect(tokens.current()?.value).not.toBe('pat-1');
  });

  test('gives a readable error when it is missing', async () => {
    await expect(open(undefined).load()).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_UNAUTHORIZED',
      message: expect.stringContaining('has no credentials yet'),
    });
  });

  test.each(['', 'a b', 'a\r\nx-evil: 1', 'ä'])(
    '%j is invalid and is never sent',
    async (value) => {
      const error = await open({ type: 'token', value })
        .load()
        .catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'REMOTE_PROVIDER_UNAUTHORIZED' });
      if (value) expect(String(error)).not.toContain(value);
    },
  );
});

describe('a refresh before the expiry', () => {
  test('is made a minute early', async () => {
    const { load, calls } = open(oauth('old', 59));
    expect((await load()).value).toBe('new-1');
    expect(calls.refreshes).toBe(1);
  });

  test.each([-2, 2])(
    'is made at the right time although the clock is set by %d hours',
    async (hours) => {
      const { load, calls, clock } = open(oauth('old', 600));
      await load();
      clock.step(hours * 3_600_000);
      await clock.advance(530_000);
      expect((await load()).value).toBe('old');
      await clock.advance(20_000);
      expect((await load()).value).toBe('new-1');
      expect(calls.refreshes).toBe(1);
    },
  );

  test('is not made earlier than that', async () => {
    const { load, calls } = open(oauth('old', 61));
    expect((await load()).value).toBe('old');
    expect(calls.refreshes).toBe(0);
  });

  test('is not made when the provider states no expiry', async () => {
    const { load } = open({ ...oauth('old', 0), expiresAt: null });
    expect((await load()).value).toBe('old');
  });

  test('is one call for all waiting calls', async () => {
    const { load, calls } = open(oauth('old', -5));
    const all = await Promise.all(Array.from({ length: 1_000 }, load));
    expect(new Set(all.map(({ value }) => value))).toEqual(new Set(['new-1']));
    expect(calls.refreshes).toBe(1);
  });

  test('keeps a valid token in use when it fails temporarily', async () => {
    const { load, fail, calls, clock, tokens } = open(oauth('old', 30));
    fail(DOWN);
    expect((await load()).value).toBe('old');
    expect(tokens.current()?.value).toBe('old');
    await clock.advance(5_000);
    expect((await load()).value).toBe('old');
    expect(calls.refreshes).toBe(2);
  });

  test('gives each waiting call a separate error when it fails', async () => {
    const { load, fail } = open(oauth('old', -5));
    fail(DOWN);
    const errors = await Promise.all(
      Array.from({ length: 10 }, () => load().catch((error: unknown) => error as CrossbookError)),
    );
    expect(new Set(errors.map((error) => (error as CrossbookError).id)).size).toBe(10);
    expect(new Set(errors.map((error) => (error as CrossbookError).code))).toEqual(
      new Set(['REMOTE_PROVIDER_UNAVAILABLE']),
    );
  });

  test('is not made for each call when tokens live only for seconds', async () => {
    const { load, tokens, calls } = open(oauth('old', -5), 20);
    await load();
    expect(tokens.current()?.value).toBe('new-1');
    await load();
    expect(calls.refreshes).toBe(1);
  });
});

describe('a refresh after a rejected token', () => {
  test('is one call for a thousand calls, and none for late ones', async () => {
    const { tokens, load, source, calls } = open(oauth('old', 600));
    const seen = await load();
    const refreshed = await Promise.all(
      Array.from({ length: 1_000 }, () => tokens.refreshExpired(source, seen)),
    );
    expect(new Set(refreshed.map((token) => token?.value))).toEqual(new Set(['new-1']));
    expect((await tokens.refreshExpired(source, seen))?.value).toBe('new-1');
    expect([calls.asks, calls.refreshes]).toEqual([1, 1]);
  });

  test('uses the token that another process has refreshed', async () => {
    const { tokens, load, source, put, calls } = open(oauth('old', 600));
    const seen = await load();
    put(oauth('theirs', 600));
    expect((await tokens.refreshExpired(source, seen))?.value).toBe('theirs');
    expect(calls.refreshes).toBe(0);
  });

  test('marks the connection when the provider refuses it, and is not repeated', async () => {
    const { tokens, load, source, calls, fail } = open(oauth('old', 600));
    const seen = await load();
    fail(new InvalidGrantError('hubspot', UNAUTHORIZED));
    const refusal = {
      code: 'REMOTE_PROVIDER_UNAUTHORIZED',
      message: expect.stringContaining('has to reconnect'),
    };
    await expect(tokens.refreshExpired(source, seen)).rejects.toMatchObject(refusal);
    await expect(load()).rejects.toMatchObject(refusal);
    await expect(load()).rejects.toMatchObject(refusal);
    expect([calls.refused, calls.refreshes]).toEqual([[1], 1]);
  });

  test('marks the connection only for a rejected token that cannot be refreshed', async () => {
    for (const [credentials, marked] of [
      [{ type: 'token', value: 'pat-1' }, [1]],
      [{ ...oauth('old', 600), refreshToken: null }, [1]],
      [oauth('old', 600), []],
    ] as const) {
      const { tokens, load, source, calls } = open(credentials);
      await tokens.markInvalid(source, await load());
      expect(calls.refused).toEqual(marked);
    }
  });

  test('is not tried after another replica was refused, until the customer has reconnected', async () => {
    const { tokens, load, source, store, put } = open({ type: 'token', value: 'pat-1' });
    await store.markRefused('', 1, 'refresh_token_refused');
    await expect(load()).rejects.toMatchObject({ origin: 'crossbook', remote: undefined });
    put({ type: 'token', value: 'pat-2' });
    expect((await tokens.load(source)).value).toBe('pat-2');
  });

  test('is possible again when the customer has reconnected', async () => {
    const { tokens, load, source, fail, put } = open(oauth('old', 600));
    const seen = await load();
    fail(new InvalidGrantError('hubspot', UNAUTHORIZED));
    await tokens.refreshExpired(source, seen).catch(() => undefined);
    put(oauth('reconnected', 600));
    expect((await load()).value).toBe('reconnected');
  });

  test('does not mark the connection when the provider is only down', async () => {
    const { tokens, load, source, calls, fail } = open(oauth('old', 600));
    const seen = await load();
    fail(DOWN);
    await expect(tokens.refreshExpired(source, seen)).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_UNAVAILABLE',
    });
    expect(calls.refused).toEqual([]);
  });

  test('gives no token for a static token, unless another one was stored meanwhile', async () => {
    const { tokens, load, source, put } = open({ type: 'token', value: 'pat-1' });
    const seen = await load();
    expect(await tokens.refreshExpired(source, seen)).toBeUndefined();
    put({ type: 'token', value: 'pat-2' });
    expect((await tokens.refreshExpired(source, seen))?.value).toBe('pat-2');
  });

  test('pauses when new tokens are rejected as well', async () => {
    const { tokens, load, source, clock, calls } = open(oauth('old', 600));
    const refreshed = await tokens.refreshExpired(source, await load());
    if (!refreshed) throw new Error('It was not refreshed.');
    tokens.pauseRefresh(refreshed);
    expect(await tokens.refreshExpired(source, refreshed)).toBeUndefined();
    await clock.advance(30_000);
    expect((await tokens.refreshExpired(source, refreshed))?.value).toBe('new-2');
    expect(calls.refreshes).toBe(2);
  });
});

function oauth(accessToken: string, expiresInSeconds: number): OAuth2Credentials {
  const expiresAt = new Date(createFakeClock().wall() + expiresInSeconds * 1_000).toISOString();
  return { type: 'oauth2', accessToken, refreshToken: 'refresh-0', expiresAt };
}

function open(credentials: Credentials | undefined, lifeSeconds = 1_800) {
  const clock = createFakeClock();
  const { store, calls, put } = createFakeCredentials(credentials);
  let failure: Error | undefined;
  let serial = 0;
  const tokens = createTokens({
    clock,
    originOf: () => 'https://api.example',
    onStored: async () => undefined,
    async refresh(): Promise<RefreshedCredentials> {
      await Promise.resolve();
      if (failure) throw failure;
      serial++;
      const expiresAt = new Date(clock.wall() + lifeSeconds * 1_000).toISOString();
      return {
        credentials: {
          type: 'oauth2',
          accessToken: `new-${serial}`,
          refreshToken: 'refresh-0',
          expiresAt,
        },
      };
    },
  });
  const source = { connection: createConnection('hubspot'), credentials: store };
  const fail = (error: Error) => {
    failure = error;
  };
  return { tokens, source, load: () => tokens.load(source), calls, put, clock, fail, store };
}
