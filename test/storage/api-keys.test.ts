import { expect, test } from 'vitest';
import { createApiKeys, matchesSecret } from '../../src/storage/api-keys.ts';
import { ringOf } from '../support/databases.ts';
import { fc } from '../support/fast-check.ts';

const keys = createApiKeys(ringOf('k1', 'k_2'));

test('the MAC of an API key proves that this installation created it, also after another ring key became the first', () => {
  const { text, publicId, secret } = createApiKeys(ringOf('k_2')).create();
  expect(text.startsWith(`cbk_k_2.${publicId}_${secret}_`)).toBe(true);
  expect(keys.parse(text)).toEqual({ publicId, secret, isGenuine: true });
});

test('an API key without a MAC, or with that of a removed ring key, needs a look-up in the database', () => {
  const { text, publicId, secret } = createApiKeys(ringOf('gone')).create();
  for (const one of [text, `cbk_${publicId}_${secret}`]) {
    expect(keys.parse(one)).toEqual({ publicId, secret, isGenuine: false });
  }
});

test('an API key that was altered in any character is invalid', () => {
  const { text } = keys.create();
  const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
  fc.assert(
    fc.property(fc.nat({ max: text.length - 1 }), fc.constantFrom(...alphabet), (at, character) => {
      fc.pre(text[at] !== character && at > text.indexOf('.'));
      expect(keys.parse(text.slice(0, at) + character + text.slice(at + 1))).toBeUndefined();
    }),
    { numRuns: 2_000 },
  );
  for (const other of [`${text}=`, `${text}A`, ` ${text}`, text.slice(0, -1), text.toLowerCase()]) {
    expect(keys.parse(other), other).toBeUndefined();
  }
});

test('a MAC is valid for one public id and one ring key only', () => {
  const [one, other] = [keys.create(), keys.create()];
  const mac = one.text.slice(-22);
  expect(keys.parse(`cbk_k1.${other.publicId}_${one.secret}_${mac}`)).toBeUndefined();
  expect(keys.parse(`cbk_k_2.${one.publicId}_${one.secret}_${mac}`)).toBeUndefined();
  expect(keys.parse(`cbk_${one.publicId}_${one.secret}_${mac}`)).toBeUndefined();
});

test('a missing secret matches no hash', () => {
  expect(matchesSecret('a', undefined)).toBe(false);
  expect(matchesSecret('a', '')).toBe(false);
});
