import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeText } from '../../src/lib/encode-text.ts';

test('whatever the text, these are its bytes in UTF-8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      expect(Buffer.from(encodeText(text))).toEqual(Buffer.from(text, 'utf8'));
    }),
  );
});

test.each(['', 'a', 'é', '’'.repeat(1_000), '😀'.repeat(1_000), 'x'.repeat(100_000), '\ud800'])(
  '%j',
  (text) => {
    expect(Buffer.from(encodeText(text))).toEqual(Buffer.from(text, 'utf8'));
  },
);
