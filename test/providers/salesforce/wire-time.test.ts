import { expect, test } from 'vitest';
import { toTimestamp } from '../../../src/lib/text.ts';
import { toTime } from '../../../src/providers/salesforce/object.ts';
import { fc } from '../../support/fast-check.ts';

const YEARS = {
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59Z'),
  noInvalidDate: true,
};

test('a time in Salesforce’s format becomes the same time in RFC 3339', () => {
  fc.assert(
    fc.property(fc.date(YEARS), (date) => {
      expect(toTime(date.toISOString().replace('Z', '+0000'))).toBe(date.toISOString());
    }),
    { numRuns: 2_000 },
  );
});

test('the fast and the general conversion agree on any input', () => {
  const part = fc.integer({ min: 0, max: 99 }).map((number) => String(number).padStart(2, '0'));
  const almostTime = fc
    .tuple(part, part, part, part, part, part, fc.constantFrom('+0000', 'Z', '+0530', ''))
    .map(([y, mo, d, h, mi, s, zone]) => `20${y}-${mo}-${d}T${h}:${mi}:${s}.000${zone}`);
  fc.assert(
    fc.property(fc.oneof(almostTime, fc.string(), fc.jsonValue()), (value) => {
      expect(toTime(value)).toBe(toTimestamp(value));
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['2021-12-02T18:22:42.123+0530', '2021-12-02T12:52:42.123Z'],
  ['2024-02-29T00:00:00.000+0000', '2024-02-29T00:00:00.000Z'],
  ['2021-12-02', '2021-12-02T00:00:00.000Z'],
  ['2021-13-02T18:22:42.000+0000', null],
  ['yesterday', null],
  [null, null],
])('%j is %j', (value, expected) => {
  expect(toTime(value)).toBe(expected);
});
