import { expect, test } from 'vitest';
import { fc } from '../../../test/support/fast-check.ts';
import { jsonLength, stringLength } from '../src/json/size.ts';

test('the JSON of a value is at most as long as computed, and that of a string exactly', () => {
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

test('counting stops at the limit, and reaches any depth of data', () => {
  const list = Array.from({ length: 100_000 }, () => 'x'.repeat(100));
  expect(jsonLength(list, 1_000)).toBeLessThan(200_000);
  let deep: unknown = 'end';
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  expect(jsonLength(deep)).toBeGreaterThan(200_000);
});
