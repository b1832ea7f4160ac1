import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toJsonBody } from '../../src/lib/to-json-body.ts';

test('whatever the value, these are the bytes of its JSON', () => {
  const texts = fc.array(fc.string({ unit: 'binary', maxLength: 2_000 }), { maxLength: 10 });
  fc.assert(
    fc.property(texts, (value) => {
      expect(Buffer.from(toJsonBody(value))).toEqual(Buffer.from(JSON.stringify(value)));
    }),
  );
});

test.each(['', 'a', '’'.repeat(10_000), '😀'.repeat(10_000), 'x'.repeat(100_000), '\ud800'.repeat(5_000)])(
  'a text such as %.5s',
  (text) => {
    expect(Buffer.from(toJsonBody(text))).toEqual(Buffer.from(JSON.stringify(text)));
  },
);

test('only what is long is made into bytes', () => {
  expect(toJsonBody(['short'])).toBe('["short"]');
  expect(toJsonBody('x'.repeat(10_000))).toBeInstanceOf(Uint8Array);
});
