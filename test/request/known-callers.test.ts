import { expect, test, vi } from 'vitest';
import { CALLER_MAX_AGE_MS, createKnownCallers } from '../../src/request/known-callers.ts';

const CALLER = { application: { id: 'a', name: 'A' }, credentialId: 'k' };

function open() {
  let now = 0;
  const findByKey = vi.fn(async (key: string) => (key === 'good' ? CALLER : undefined));
  const verifyToken = vi.fn(async () => ({ caller: CALLER, expiresAt: 2_000 }));
  const callers = createKnownCallers({ findByKey, verifyToken, now: () => now });
  return { callers, findByKey, verifyToken, advance };

  function advance(byMs: number): void {
    now += byMs;
  }
}

test('a key that calls again and again is looked up once in a few seconds', async () => {
  const { callers, findByKey, advance } = open();
  for (let call = 0; call < 100; call += 1) expect(await callers.findCallerByKey('good')).toBe(CALLER);
  expect(findByKey).toHaveBeenCalledTimes(1);
  advance(CALLER_MAX_AGE_MS);
  await callers.findCallerByKey('good');
  expect(findByKey).toHaveBeenCalledTimes(2);
});

test('a key that was revoked is refused within those seconds', async () => {
  const { callers, findByKey, advance } = open();
  await callers.findCallerByKey('good');
  findByKey.mockResolvedValue(undefined);
  advance(CALLER_MAX_AGE_MS);
  expect(await callers.findCallerByKey('good')).toBeUndefined();
});

test('a wrong key is never remembered as wrong: once it is made, it counts', async () => {
  const { callers, findByKey } = open();
  expect(await callers.findCallerByKey('new')).toBeUndefined();
  findByKey.mockResolvedValue(CALLER);
  expect(await callers.findCallerByKey('new')).toBe(CALLER);
});

test('a token that is known still ends at its own moment', async () => {
  const { callers, verifyToken, advance } = open();
  expect(await callers.findCallerByToken('token')).toBe(CALLER);
  advance(1_999);
  expect(await callers.findCallerByToken('token')).toBe(CALLER);
  advance(1);
  expect(await callers.findCallerByToken('token')).toBeUndefined();
  expect(verifyToken).toHaveBeenCalledTimes(1);
});

test('a key is not a token, although it may be spelt the same', async () => {
  const { callers } = open();
  await callers.findCallerByToken('x');
  expect(await callers.findCallerByKey('x')).toBeUndefined();
});
