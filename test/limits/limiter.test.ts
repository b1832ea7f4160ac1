import { beforeEach, expect, test } from 'vitest';
import { createFixedWindowCounter } from '../../src/limits/limits.ts';

let now: number;
const count = () => createFixedWindowCounter({ windowMs: 60_000, now: () => now });

beforeEach(() => {
  now = 5_000;
});

test('each key has a separate count, in a minute that begins with its first request', () => {
  const { add } = count();
  expect(add('a', 1)).toEqual({ count: 1, resetMs: 60_000 });
  now += 20_000;
  expect(add('b', 1)).toEqual({ count: 1, resetMs: 60_000 });
  expect(add('a', 1)).toEqual({ count: 2, resetMs: 40_000 });
  now += 39_999;
  expect(add('a', 1)).toEqual({ count: 3, resetMs: 1 });
});

test('a count is reset after its minute, and not sooner', () => {
  const { add } = count();
  for (let index = 0; index < 5; index += 1) add('a', 1);
  now += 60_000;
  expect(add('a', 1)).toEqual({ count: 1, resetMs: 60_000 });
});

test('unused keys are removed', () => {
  const { add, size } = count();
  for (let index = 0; index < 1_000; index += 1) add(`once ${index}`, 1);
  now += 30_000;
  add('later', 1);
  expect(size()).toBe(1_001);
  now += 30_000;
  add('last', 1);
  expect(size()).toBe(2);
});

test('a key with a new minute is not removed with the keys of its first minute', () => {
  const { add, size } = count();
  add('a', 1);
  add('b', 1);
  now += 60_000;
  add('a', 1);
  now += 59_000;
  add('c', 1);
  expect(size()).toBe(2);
  expect(add('a', 1).count).toBe(2);
});

test('a request counts by its weight', () => {
  const { add } = count();
  expect(add('a', 5).count).toBe(5);
  expect(add('a', 2).count).toBe(7);
});
