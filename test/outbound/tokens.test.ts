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

describe('a token', () => {
  test('is read once and used without the store for a while', async () => {
    const { tokens, load, calls, clock } = open({ type: 'token', value: 'pat-1' });
    expect(tokens.current()).toBeUndefined();
    expect(await load()).toMatchObject({ value: 'pat-1', authorization: 'Bearer pat-1' });
    expect(tokens.current()?.value).toBe('pat-1');
    expect(calls.reads).toBe(1);
    await clock.advance(15_000);
    expect(tokens.current()).toBeUndefined();
  });

  test('is read once for everybody who waits', async () => {
    const { load, calls } = open({ type: 'token', value: 'pat-1' });
    await Promise.all(Array.from({ length: 1_000 }, load));
    expect(calls.reads).toBe(1);
  });

  test('that was given meanwhile is taken at the next look', async () => {
    const { tokens, load, put } = open({ type: 'token', value: 'pat-1' });
    await load();
    put({ type: 'token', value: 'pat-2' });
    tokens.forget();
    expect((await load()).value).toBe('pat-2');
  });

  test('that is not there is missed in plain words', async () => {
    await expect(open(undefined).load()).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_UNAUTHORIZED',
      message: expect.stringContaining('has no credentials yet'),
    });
  });

  test.each(['', 'a b', 'a\r\nx-evil: 1', 'ä'])('%j fits no header and is never sent', async (value) => {
    const error = await open({ type: 'token', value })
      .load()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'REMOTE_PROVIDER_UNAUTHORIZED' });
    if (value) expect(String(error)).not.toContain(value);
  });
});

describe('refresh before the end', () => {
  test('comes a minute early', async () => {
    const { load, calls } = open(oauth('old', 59));
    expect((await load()).value).toBe('new-1');
    expect(calls.refreshes).toBe(1);
  });

  test.each([-2, 2])('comes in its time though the clock is set by %d hours', async (hours) => {
    const { load, calls, clock } = open(oauth('old', 600));
    await load();
    clock.step(hours * 3_600_000);
    await clock.advance(530_000);
    expect((await load()).value).toBe('old');
    await clock.advance(20_000);
    expect((await load()).value).toBe('new-1');
    expect(calls.refreshes).toBe(1);
  });

  test('does not come earlier than that', async () => {
    const { load, calls } = open(oauth('old', 61));
    expect((await load()).value).toBe('old');
    expect(calls.refreshes).toBe(0);
  });

  test('is not known of where the provider does not say when it ends', async () => {
    const { load } = open({ ...oauth('old', 0), expiresAt: null });
    expect((await load()).value).toBe('old');
  });

  test('is one call for everybody who waits', async () => {
    const { load, calls } = open(oauth('old', -5));
    const all = await Promise.all(Array.from({ length: 1_000 }, load));
    expect(new Set(all.map(({ value }) => value))).toEqual(new Set(['new-1']));
    expect(calls.refreshes).toBe(1);
  });

  test('that fails for now leaves a token in use that still works', async () => {
    const { load, fail, calls, clock, tokens } = open(oauth('old', 30));
    fail(DOWN);
    expect((await load()).value).toBe('old');
    expect(tokens.current()?.value).toBe('old');
    await clock.advance(5_000);
    expect((await load()).value).toBe('old');
    expect(calls.refreshes).toBe(2);
  });

  test('that fails is an error of their own for each who waits', async () => {
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

  test('of a token that lives for seconds does not come with each call', async () => {
    const { load, tokens, calls } = open(oauth('old', -5), 20);
    await load();
    expect(tokens.current()?.value).toBe('new-1');
    await load();
    expect(calls.refreshes).toBe(1);
  });
});

describe('refresh after a refusal', () => {
  test('is one call for a thousand, and for those who come late none', async () => {
    const { tokens, load, source, calls } = open(oauth('old', 600));
    const seen = await load();
    const refreshed = await Promise.all(Array.from({ length: 1_000 }, () => tokens.renew(source, seen)));
    expect(new Set(refreshed.map((token) => token?.value))).toEqual(new Set(['new-1']));
    expect((await tokens.renew(source, seen))?.value).toBe('new-1');
    expect([calls.asks, calls.refreshes]).toEqual([1, 1]);
  });

  test('takes over what another process has refreshed', async () => {
    const { tokens, load, source, put, calls } = open(oauth('old', 600));
    const seen = await load();
    put(oauth('theirs', 600));
    expect((await tokens.renew(source, seen))?.value).toBe('theirs');
    expect(calls.refreshes).toBe(0);
  });

  test('that the provider refuses marks the connection, and is not tried again', async () => {
    const { tokens, load, source, calls, fail } = open(oauth('old', 600));
    const seen = await load();
    fail(new InvalidGrantError('hubspot', UNAUTHORIZED));
    const refusal = {
      code: 'REMOTE_PROVIDER_UNAUTHORIZED',
      message: expect.stringContaining('has to reconnect'),
    };
    await expect(tokens.renew(source, seen)).rejects.toMatchObject(refusal);
    await expect(load()).rejects.toMatchObject(refusal);
    await expect(load()).rejects.toMatchObject(refusal);
    expect([calls.refused, calls.refreshes]).toEqual([[1], 1]);
  });

  test('that nothing can refresh, and that is refused, marks the connection; one that can be refreshed does not', async () => {
    for (const [credentials, marked] of [
      [{ type: 'token', value: 'pat-1' }, [1]],
      [{ ...oauth('old', 600), refreshToken: null }, [1]],
      [oauth('old', 600), []],
    ] as const) {
      const { tokens, load, source, calls } = open(credentials);
      await tokens.refuse(source, await load());
      expect(calls.refused).toEqual(marked);
    }
  });

  test('that another replica has seen refused is not used, until the customer has reconnected', async () => {
    const { tokens, load, source, store, put } = open({ type: 'token', value: 'pat-1' });
    await store.markRefused('', 1, 'refresh_token_refused');
    await expect(load()).rejects.toMatchObject({ origin: 'crossbook', remote: undefined });
    put({ type: 'token', value: 'pat-2' });
    expect((await tokens.load(source)).value).toBe('pat-2');
  });

  test('is forgotten as refused when the customer has reconnected', async () => {
    const { tokens, load, source, fail, put } = open(oauth('old', 600));
    const seen = await load();
    fail(new InvalidGrantError('hubspot', UNAUTHORIZED));
    await tokens.renew(source, seen).catch(() => undefined);
    put(oauth('reconnected', 600));
    expect((await load()).value).toBe('reconnected');
  });

  test('does not mark the connection when the provider is only down', async () => {
    const { tokens, load, source, calls, fail } = open(oauth('old', 600));
    const seen = await load();
    fail(DOWN);
    await expect(tokens.renew(source, seen)).rejects.toMatchObject({ code: 'REMOTE_PROVIDER_UNAVAILABLE' });
    expect(calls.refused).toEqual([]);
  });

  test('is not there for a static token, unless another one was given meanwhile', async () => {
    const { tokens, load, source, put } = open({ type: 'token', value: 'pat-1' });
    const seen = await load();
    expect(await tokens.renew(source, seen)).toBeUndefined();
    put({ type: 'token', value: 'pat-2' });
    expect((await tokens.renew(source, seen))?.value).toBe('pat-2');
  });

  test('pauses when new tokens are refused as well', async () => {
    const { tokens, load, source, clock, calls } = open(oauth('old', 600));
    const refreshed = await tokens.renew(source, await load());
    if (!refreshed) throw new Error('It was not refreshed.');
    tokens.markRejected(refreshed);
    expect(await tokens.renew(source, refreshed)).toBeUndefined();
    await clock.advance(30_000);
    expect((await tokens.renew(source, refreshed))?.value).toBe('new-2');
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
        credentials: { type: 'oauth2', accessToken: `new-${serial}`, refreshToken: 'refresh-0', expiresAt },
      };
    },
  });
  const source = { connection: createConnection('hubspot'), credentials: store };
  const fail = (error: Error) => {
    failure = error;
  };
  return { tokens, source, load: () => tokens.load(source), calls, put, clock, fail, store };
}
