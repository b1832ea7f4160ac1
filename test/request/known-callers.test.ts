import { expect, test, vi } from 'vitest';
import { digest } from '../../src/lib/digest.ts';
import { CALLER_MAX_AGE_MS, createKnownCallers } from '../../src/request/known-callers.ts';

const CALLER = { application: { id: 'a', name: 'A' }, credentialId: 'k' };

function open() {
  let now = 0;
  const findByKey = vi.fn(async (key: string) => (key === 'good' ? CALLER : undefined));
  const verifyToken = vi.fn(async () => ({ caller: CALLER, expiresAt: 2_000 }));
  const onRight = vi.fn();
  const callers = createKnownCallers({ findByKey, verifyToken, onRight, now: () => now });
  return { callers, findByKey, verifyToken, onRight, advance };

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

test('a credential that is right is told of when it is looked up, by its digest; a wrong one never', async () => {
  const { callers, onRight } = open();
  for (let call = 0; call < 3; call += 1) await callers.findCallerByKey('good');
  await callers.findCallerByKey('bad');
  await callers.findCallerByToken('token');
  expect(onRight.mock.calls).toEqual([[digest('good')], [digest('token')]]);
});

test('a key is not a token, although it may be spelt the same', async () => {
  const { callers } = open();
  await callers.findCallerByToken('x');
  expect(await callers.findCallerByKey('x')).toBeUndefined();
});
