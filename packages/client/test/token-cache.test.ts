import { expect, test } from 'vitest';
import { createTokenCache, type LoadToken } from '../src/token-cache.ts';

const HOUR = 60 * 60_000;

function open(load?: LoadToken) {
  let time = Date.parse('2026-11-20T12:00:00.000Z');
  let loads = 0;
  const cache = createTokenCache(
    load ??
      (async () => {
        loads += 1;
        return { token: `token ${loads}`, expiresAt: new Date(time + HOUR).toISOString() };
      }),
    { now: () => time },
  );
  const pass = (ms: number) => {
    time += ms;
  };
  return { cache, pass, now: () => time, countLoads: () => loads };
}

function toJwt(exp: unknown): string {
  const toPart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${toPart({ alg: 'HS256' })}.${toPart({ sub: '¿ÿ?', exp })}.c2lnbmF0dXJl`;
}

test('a token is fetched once for all who wait for it, and kept until shortly before it expires', async () => {
  const { cache, pass, countLoads } = open();
  const first = await Promise.all(Array.from({ length: 50 }, () => cache.get()));
  expect(new Set(first)).toEqual(new Set(['token 1']));
  pass(HOUR - 31_000);
  expect(await cache.get()).toBe('token 1');
  pass(2_000);
  expect(await cache.get()).toBe('token 2');
  expect(countLoads()).toBe(2);
});

test('a short-lived token is renewed in the last fifth of its lifetime', async () => {
  let loads = 0;
  const { cache, pass, now } = open(() => {
    loads += 1;
    return { token: `token ${loads}`, expiresAt: new Date(now() + 10_000).toISOString() };
  });
  expect(await cache.get()).toBe('token 1');
  pass(7_900);
  expect(await cache.get()).toBe('token 1');
  pass(200);
  expect(await cache.get()).toBe('token 2');
});

test('the time in a token counts where none is given alongside it', async () => {
  let loads = 0;
  const { cache, pass, now } = open(() => {
    loads += 1;
    return toJwt(Math.floor(now() / 1_000) + 3_600);
  });
  await cache.get();
  pass(HOUR - 31_000);
  await cache.get();
  expect(loads).toBe(1);
  pass(2_000);
  await cache.get();
  expect(loads).toBe(2);
});

test.each(['opaque', 'a.b.c', toJwt(undefined), toJwt('soon')])(
  'a token whose expiry is unknown is fetched each time: %s',
  async (token) => {
    let loads = 0;
    const { cache } = open(() => {
      loads += 1;
      return token;
    });
    expect([await cache.get(), await cache.get(), loads]).toEqual([token, token, 2]);
  },
);

test('a refused token is fetched again, unless it was replaced meanwhile', async () => {
  const { cache, countLoads } = open();
  await cache.get();
  cache.refuse('token 1');
  expect(await cache.get()).toBe('token 2');
  cache.refuse('token 1');
  expect(await cache.get()).toBe('token 2');
  expect(countLoads()).toBe(2);
});

test('a failed renewal leaves the old token until it expires, and is tried again', async () => {
  let isDown = false;
  const { cache, pass, now } = open(async () => {
    if (isDown) throw new Error('the backend is down');
    return { token: 'token', expiresAt: new Date(now() + HOUR).toISOString() };
  });
  await cache.get();
  isDown = true;
  pass(HOUR - 10_000);
  expect(await cache.get()).toBe('token');
  pass(10_000);
  await expect(cache.get()).rejects.toThrow('the backend is down');
  isDown = false;
  expect(await cache.get()).toBe('token');
});
