import { expect, test } from 'vitest';
import { toText } from '../../src/lib/text.ts';
import { fc } from '../support/fast-check.ts';

const unit = fc.constantFrom(
  ' ',
  '\t',
  '\u00a0',
  '\ufeff',
  '\u2028',
  '\u007f',
  'a',
  '~',
  'é',
  '明',
  '\ud83d',
);

test('a text is trimmed, and an empty one is null', () => {
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 6 }), (text) => {
      expect(toText(text)).toBe(text.trim() || null);
    }),
  );
});
