import { expect, test } from 'vitest';
import { isEmail, normalizeEmail, readEmail } from '../../src/domain/email.ts';
import { fc } from '../support/fast-check.ts';

test.each([
  'ada@example.com',
  'ada+crm@example.com',
  "o'brien@example.com",
  '"back\\slash"@example.com',
  'back\\slash@example.com',
  '"very odd"@example.com',
  '"a@b"@example.com',
  '"say \\"hi\\""@example.com',
  'łukasz@exämple.example',
  '😀@example.com',
  'ada@localhost',
  `${'l'.repeat(242)}@example.com`,
])('%s is an email address', (email) => {
  expect(isEmail(email)).toBe(true);
});

test.each([
  '',
  'ada',
  '@',
  'ada@',
  '@example.com',
  'a@b@example.com',
  'a da@example.com',
  '"a"da "@example.com',
  '"a\\"@example.com x',
  '""@@example.com',
  '"a b@example.com',
  'ada@exam ple.com',
  '"a\u0000b"@example.com',
  '"a\nb"@example.com',
  'ada\ud800@example.com',
  '"ada \udfff"@example.com',
  `${'l'.repeat(243)}@example.com`,
])('%j is no email address', (email) => {
  expect(isEmail(email)).toBe(false);
});

test('a long text that is almost an address is rejected quickly', () => {
  const almost = `"${'\\a'.repeat(120)}`;
  for (let round = 0; round < 10_000; round += 1) expect(isEmail(almost)).toBe(false);
});

test('readEmail returns the normalized address of valid text, and nothing for any other text', () => {
  const character = fc.constantFrom(...'ab.Z@@ \t+_-"\\0é\n😀'.split(''), 'İ', '@example.com');
  const text = fc.array(character, { maxLength: 12 }).map((characters) => characters.join(''));
  fc.assert(
    fc.property(text, (given) => {
      const normalized = normalizeEmail(given);
      expect(readEmail(given)).toBe(isEmail(normalized) ? normalized : undefined);
    }),
    { numRuns: 5_000 },
  );
  expect(readEmail(' Ada@Example.COM ')).toBe('ada@example.com');
  expect(readEmail(`${'l'.repeat(243)}@example.com`)).toBeUndefined();
});
