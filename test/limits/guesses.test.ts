import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { digest } from '../../src/lib/digest.ts';
import { createGuessLimits } from '../../src/limits/guesses.ts';

test('after so many wrong keys from one address no more of them are looked up, from there alone', async () => {
  const { limits, guess } = open(3);
  await guess('192.0.2.1', 3);
  expect(() => limits.check('192.0.2.1', 'another')).toThrow(
    expect.objectContaining({ code: 'TOO_MANY_REQUESTS', retryAfterMs: expect.any(Number) }),
  );
  expect(() => limits.check('192.0.2.2', 'another')).not.toThrow();
});

test('a key that was right before still is, from wherever', async () => {
  const { limits, guess } = open(3);
  limits.right(digest('good'));
  await guess('192.0.2.1', 5);
  expect(() => limits.check('192.0.2.1', 'good')).not.toThrow();
  expect(() => limits.check('192.0.2.1', 'bad')).toThrow();
});

test('when the minute is over it may try again', async () => {
  const { limits, guess, later } = open(3);
  await guess('192.0.2.1', 3);
  later(60_001);
  expect(() => limits.check('192.0.2.1', 'another')).not.toThrow();
});

test('one network of IPv6 is one address, however many it has', async () => {
  const { limits, guess } = open(3);
  for (const host of ['1', '2', '3']) await guess(`2001:db8:1:2::${host}`, 1);
  expect(() => limits.check('2001:db8:1:2::4', 'another')).toThrow();
  expect(() => limits.check('2001:db8:1:3::4', 'another')).not.toThrow();
});

test('of the keys that were right the newest ten thousand are remembered', async () => {
  const { limits, guess } = open(1);
  for (let key = 0; key <= 10_000; key++) limits.right(digest(`key ${key}`));
  await guess('192.0.2.1', 1);
  expect(() => limits.check('192.0.2.1', 'key 0')).toThrow();
  expect(() => limits.check('192.0.2.1', 'key 1')).not.toThrow();
});

function open(perMinute: number) {
  let now = Date.now();
  const limits = createGuessLimits({
    perMinute,
    redis: undefined,
    hash: (text) => createHmac('sha256', 'test').update(text).digest('base64url'),
    now: () => now,
  });
  const guess = async (address: string, times: number) => {
    for (let time = 0; time < times; time++) await limits.wrong(address);
  };
  return {
    limits,
    guess,
    later: (ms: number) => {
      now += ms;
    },
  };
}
