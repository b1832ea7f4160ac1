import { expect, test } from 'vitest';
import { trimmed } from '../../src/lib/text.ts';
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

test('trims exactly what `trim` trims', () => {
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 6 }), (text) => {
      expect(trimmed(text)).toBe(text.trim());
    }),
  );
});
