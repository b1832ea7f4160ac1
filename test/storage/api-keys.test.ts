import { expect, test } from 'vitest';
import { createApiKeys, matchesSecret } from '../../src/storage/api-keys.ts';
import { ringOf } from '../support/databases.ts';
import { fc } from '../support/fast-check.ts';

const keys = createApiKeys(ringOf('k1', 'k_2'));

test('a key says by itself that it was made here, also after its ring key is no longer the first', () => {
  const { text, publicId, secret } = createApiKeys(ringOf('k_2')).create();
  expect(text.startsWith(`cbk_k_2.${publicId}_${secret}_`)).toBe(true);
  expect(keys.parse(text)).toEqual({ publicId, secret, isGenuine: true });
});

test('a key without a MAC, or of a ring key that is gone, may be one: only the database can say', () => {
  const { text, publicId, secret } = createApiKeys(ringOf('gone')).create();
  for (const one of [text, `cbk_${publicId}_${secret}`]) {
    expect(keys.parse(one)).toEqual({ publicId, secret, isGenuine: false });
  }
});

test('a key that was altered anywhere is none: no other spelling of it passes', () => {
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

test('a MAC fits no other public id, and no other ring key', () => {
  const [one, other] = [keys.create(), keys.create()];
  const mac = one.text.slice(-22);
  expect(keys.parse(`cbk_k1.${other.publicId}_${one.secret}_${mac}`)).toBeUndefined();
  expect(keys.parse(`cbk_k_2.${one.publicId}_${one.secret}_${mac}`)).toBeUndefined();
  expect(keys.parse(`cbk_${one.publicId}_${one.secret}_${mac}`)).toBeUndefined();
});

test('a secret that is missing matches nothing', () => {
  expect(matchesSecret('a', undefined)).toBe(false);
  expect(matchesSecret('a', '')).toBe(false);
});
