import { expect, test } from 'vitest';
import { toTimestamp } from '../../src/lib/text.ts';
import { fc } from '../support/fast-check.ts';

test.each([
  ['2024-09-11T13:27:39.356Z', '2024-09-11T13:27:39.356Z'],
  ['2024-09-11T13:27:39Z', '2024-09-11T13:27:39.000Z'],
  ['2021-12-02T18:22:42.000+0000', '2021-12-02T18:22:42.000Z'],
  ['2021-12-02T18:22:42.000-05:00', '2021-12-02T23:22:42.000Z'],
  ['2024-09-11', '2024-09-11T00:00:00.000Z'],
  ['2024-09-11T13:27:39', '2024-09-11T13:27:39.000Z'],
  ['2024-09-11 13:27:39', '2024-09-11T13:27:39.000Z'],
  ['2024-02-30T00:00:00.000Z', '2024-03-01T00:00:00.000Z'],
  ['2024-12-31T23:59:59.999Z', '2024-12-31T23:59:59.999Z'],
  [' 2024-09-11T13:27:39Z ', '2024-09-11T13:27:39.000Z'],
  ['1726061259356', '2024-09-11T13:27:39.356Z'],
  [1726061259356, '2024-09-11T13:27:39.356Z'],
])('%j is %s', (value, expected) => {
  expect(toTimestamp(value)).toBe(expected);
});

test.each([
  null,
  undefined,
  '',
  ' ',
  'yesterday',
  '17',
  '2024',
  '2024-13-45',
  'March 7',
  {},
  [],
  true,
  1e300,
  Number.NaN,
])('%j is no date and time', (value) => {
  expect(toTimestamp(value)).toBeNull();
});

test('any value gives RFC 3339 or null, and never throws', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.anything(),
        fc.string(),
        fc.double(),
        fc.date({ noInvalidDate: true }).map((at) => at.toISOString()),
      ),
      (value) => {
        const at = toTimestamp(value);
        if (at !== null) expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      },
    ),
  );
});
