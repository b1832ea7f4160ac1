import { expect, test } from 'vitest';
import { jsonLength, stringLength } from '../../src/lib/json.ts';
import { fc } from '../support/fast-check.ts';

test('no value is longer than it is reckoned, and strings are exactly as long', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      expect(jsonLength(value)).toBeGreaterThanOrEqual(Buffer.byteLength(JSON.stringify(value)));
    }),
  );
  const units = fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
  });
  fc.assert(
    fc.property(units, (text) => {
      expect(stringLength(text)).toBe(Buffer.byteLength(JSON.stringify(text)));
    }),
  );
});

test('counting ends at the limit, and goes as deep as data does', () => {
  const list = Array.from({ length: 100_000 }, () => 'x'.repeat(100));
  expect(jsonLength(list, 1_000)).toBeLessThan(200_000);
  let deep: unknown = 'end';
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  expect(jsonLength(deep)).toBeGreaterThan(200_000);
});
