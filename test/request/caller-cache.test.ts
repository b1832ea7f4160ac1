import { expect, test, vi } from 'vitest';
import { CALLER_MAX_AGE_MS, createCallerCache } from '../../src/request/caller.ts';
import type { KeyLookups } from '../../src/request/key-lookups.ts';

const CALLER = { application: { id: 'a', name: 'A' }, credentialId: 'k' };
const ADDRESS = '192.0.2.1';

/** `good` and `new` may be keys, `ours` and `over` carry a MAC; nothing else has the form of a key. */
function open() {
  let now = 0;
  let wallAhead = 0;
  const find = vi.fn<KeyLookups['find']>(async ({ key }) =>
    ['good', 'ours'].includes(key.secret) ? CALLER : undefined,
  );
  const verifyToken = vi.fn(async (token: string) =>
    token === 'forged'
      ? undefined
      : { caller: token === 'over' ? undefined : CALLER, expiresAt: 2_000 },
  );
  const callers = createCallerCache({
    parseKey: (secret) =>
      ['good', 'new', 'ours', 'over'].includes(secret)
        ? { publicId: secret, secret, isGenuine: ['ours', 'over'].includes(secret) }
        : undefined,
    lookups: { find },
    verifyToken,
    clock: { now: () => now, wall: () => now + wallAhead },
  });
  const key = (text: string) => callers.findCallerByKey(text, ADDRESS);
  return { callers, key, find, verifyToken, advance, step };

  /** The wall clock is set. */
  function step(byMs: number): void {
    wallAhead += byMs;
  }

  function advance(byMs: number): void {
    now += byMs;
  }
}

test('a frequently used key is looked up once in a few seconds, and is served from the cache meanwhile', async () => {
  const { key, find, advance } = open();
  expect(await key('good')).toBe(CALLER);
  for (let call = 0; call < 100; call += 1) expect(key('good')).toBe(CALLER);
  expect(find).toHaveBeenCalledTimes(1);
  advance(CALLER_MAX_AGE_MS);
  await key('good');
  expect(find).toHaveBeenCalledTimes(2);
});

test('a revoked key is rejected within those seconds', async () => {
  const { key, find, advance } = open();
  await key('good');
  find.mockResolvedValue(undefined);
  advance(CALLER_MAX_AGE_MS);
  expect(await key('good')).toBeUndefined();
});

test.each([-2, 2])(
  'a revoked key is rejected also when the clock is set by %d hours',
  async (hours) => {
    const { key, find, advance, step } = open();
    await key('good');
    find.mockResolvedValue(undefined);
    step(hours * 3_600_000);
    expect(key('good')).toBe(CALLER);
    advance(CALLER_MAX_AGE_MS);
    expect(await key('good')).toBeUndefined();
  },
);

test('a text without the format of a key is never looked up', async () => {
  const { key, find } = open();
  expect(await key('x')).toBeUndefined();
  expect(find).not.toHaveBeenCalled();
});

test('a key with a MAC, and one that was right before, are trusted from any address; others are not', async () => {
  const { key, find, advance } = open();
  for (const text of ['ours', 'good', 'new']) await key(text);
  advance(CALLER_MAX_AGE_MS);
  await key('good');
  expect(find.mock.calls.map(([{ key: asked, isTrusted }]) => [asked.secret, isTrusted])).toEqual([
    ['ours', true],
    ['good', false],
    ['new', false],
    ['good', true],
  ]);
});

test('a wrong key is not cached as wrong: it is valid once it exists', async () => {
  const { key, find } = open();
  expect(await key('new')).toBeUndefined();
  find.mockResolvedValue(CALLER);
  expect(await key('new')).toBe(CALLER);
});

test('an invalid key that this installation created is looked up once in a few seconds', async () => {
  const { callers, key, find, verifyToken, advance } = open();
  for (let call = 0; call < 10; call += 1) {
    expect(await key('over')).toBeUndefined();
    expect(await callers.findCallerByToken('over')).toBeUndefined();
  }
  expect([find, verifyToken].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  advance(CALLER_MAX_AGE_MS);
  await key('over');
  expect(find).toHaveBeenCalledTimes(2);
});

test('a cached token is served immediately, and still expires on time', async () => {
  const { callers, verifyToken, advance } = open();
  expect(await callers.findCallerByToken('token')).toBe(CALLER);
  advance(1_999);
  expect(callers.findCallerByToken('token')).toBe(CALLER);
  advance(1);
  expect(callers.findCallerByToken('token')).toBeUndefined();
  expect(verifyToken).toHaveBeenCalledTimes(1);
});

test('a token without a valid signature is verified each time, and is not cached', async () => {
  const { callers, verifyToken } = open();
  for (let call = 0; call < 3; call += 1) {
    expect(await callers.findCallerByToken('forged')).toBeUndefined();
  }
  expect(verifyToken).toHaveBeenCalledTimes(3);
});

test('a key and a token of the same text have separate cache entries', async () => {
  const { callers, key } = open();
  await callers.findCallerByToken('x');
  expect(await key('x')).toBeUndefined();
});
