import { expect, test } from 'vitest';
import { backoff } from '../../src/lib/backoff.ts';

test('a pause doubles with each earlier failure, up to the longest', () => {
  expect([0, 1, 2, 3, 4].map((failures) => backoff(100, 1_000, failures))).toEqual([
    100, 200, 400, 800, 1_000,
  ]);
  expect(backoff(100, 1_000, Number.MAX_SAFE_INTEGER)).toBe(1_000);
});

test('a pause may grow faster', () => {
  expect([0, 1, 2].map((failures) => backoff(5, 1_000, failures, 4))).toEqual([5, 20, 80]);
});
