import { expect, test } from 'vitest';
import { isRfc3339 } from '../../src/lib/text.ts';

test.each([
  '2025-01-31T09:30:00Z',
  '2025-01-31T09:30:00.123456Z',
  '2024-02-29t00:00:00z',
  '2025-12-31 23:59:59+05:30',
])('%j is a date and time', (text) => {
  expect(isRfc3339(text)).toBe(true);
});

test.each([
  '',
  '5',
  '0',
  'March 7',
  '12/31/2027',
  '2027-02-30T00:00:00Z',
  '2025-02-29T00:00:00Z',
  '2025-13-01T00:00:00Z',
  '2025-00-01T00:00:00Z',
  '2025-01-00T00:00:00Z',
  '2025-01-01T25:00:00Z',
  '2025-01-01',
  '2025-01-01T00:00:00',
  '2025-01-01T00:00:00Z ',
])('%j is no date and time', (text) => {
  expect(isRfc3339(text)).toBe(false);
});
