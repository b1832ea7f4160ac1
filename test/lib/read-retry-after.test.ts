import { expect, test } from 'vitest';
import { readRetryAfter } from '../../src/lib/http-message.ts';

const date = 'Fri, 20 Nov 2026 21:00:00 GMT';

test.each([
  ['7', 7_000],
  ['0', 0],
  [' 2.5 ', 2_500],
  ['Fri, 20 Nov 2026 21:00:30 GMT', 30_000],
  ['Fri, 20 Nov 2026 20:00:00 GMT', 0],
  ['Friday, 20-Nov-26 21:00:07 GMT', 7_000],
  ['2026', 2_026_000],
  ['99999999', 86_400_000],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400_000],
  ['12 hours', undefined],
  ['Fri, soon', undefined],
  ['soon', undefined],
  ['-5', undefined],
  ['', undefined],
])('%j is %s', (value, expected) => {
  expect(readRetryAfter({ 'retry-after': value, date })).toBe(expected);
});

test('a missing Retry-After gives no time to wait', () => {
  expect(readRetryAfter({})).toBeUndefined();
});

test('a date as Retry-After without a Date header gives no time to wait', () => {
  expect(readRetryAfter({ 'retry-after': date })).toBeUndefined();
});
