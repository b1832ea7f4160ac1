import { describe, expect, test } from 'vitest';
import { parseKeyRing } from '../../src/storage/key-ring.ts';
import { createSealer, keyIdOf } from '../../src/storage/sealing.ts';
import { createKeyedHash } from '../../src/storage/signing.ts';
import { ringOf } from '../support/databases.ts';
import { fc } from '../support/fast-check.ts';

const sealer = createSealer(ringOf('a'), 'test');

describe('a sealer', () => {
  test('decrypts any value that it encrypted', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string(), (plaintext, binding) => {
        expect(sealer.open(sealer.seal(plaintext, binding), binding)).toBe(plaintext);
      }),
    );
    expect(sealer.open(sealer.seal(Buffer.from('bytes'), 'b'), 'b')).toBe('bytes');
  });

  test('encrypts the same value differently each time, and reveals only the key’s id', () => {
    const sealed = Array.from({ length: 1_000 }, () => sealer.seal('secret', 'row'));
    expect(new Set(sealed.map((text) => text.slice(0, 18))).size).toBe(1_000);
    expect(sealed.every((text) => keyIdOf(text) === 'a')).toBe(true);
  });

  test('a value with any flipped bit cannot be decrypted', () => {
    const sealed = sealer.seal('secret', 'row');
    const box = Buffer.from(sealed.slice(2), 'base64url');
    for (let bit = 0; bit < box.length * 8; bit += 1) {
      const altered = Buffer.from(box);
      altered.writeUInt8(altered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(sealer.open(`a.${altered.toString('base64url')}`, 'row')).toBeUndefined();
    }
  });

  test('a value with any other character cannot be decrypted, even if it decodes to the same bytes', () => {
    const sealed = sealer.seal('secret!', 'row');
    for (let index = 0; index <= sealed.length; index += 1) {
      for (const other of ['A', 'B', '_', '=', ' ', '+', '']) {
        const altered = `${sealed.slice(0, index)}${other}${sealed.slice(index + 1)}`;
        if (altered !== sealed) expect(sealer.open(altered, 'row')).toBeUndefined();
      }
    }
  });

  test.each(['', '.', 'a', 'a.', 'a.AAAA', 'zzz.AAAA', '.AAAA', '\0'])(
    '%j is not a sealed value',
    (text) => {
      expect(sealer.open(text, 'row')).toBeUndefined();
    },
  );

  test('a value can be decrypted only with its binding and its purpose', () => {
    const sealed = sealer.seal('secret', 'row 1');
    expect(sealer.open(sealed, 'row 2')).toBeUndefined();
    expect(createSealer(ringOf('a'), 'other').open(sealed, 'row 1')).toBeUndefined();
    expect(createSealer(ringOf('a'), 'test').open(sealed, 'row 1')).toBe('secret');
  });

  test('the new key encrypts, the old one still decrypts, and a removed one does not', () => {
    const old = sealer.seal('secret', 'row');
    const rotated = createSealer(ringOf('b', 'a'), 'test');
    expect(rotated.open(old, 'row')).toBe('secret');
    expect(keyIdOf(rotated.seal('secret', 'row'))).toBe('b');
    expect(createSealer(ringOf('b'), 'test').open(old, 'row')).toBeUndefined();
    const impostor = parseKeyRing(`a:${Buffer.alloc(32, 'other').toString('base64')}`);
    expect(createSealer(impostor, 'test').open(old, 'row')).toBeUndefined();
  });
});

test('a keyed hash depends on the value, the purpose and the key', () => {
  const hash = createKeyedHash(ringOf('a'), 'test');
  expect(hash('ada@example.com')).toBe(
    createKeyedHash(ringOf('a', 'b'), 'test')('ada@example.com'),
  );
  const others = [
    hash('bob@example.com'),
    createKeyedHash(ringOf('a'), 'other')('ada@example.com'),
    createKeyedHash(ringOf('b', 'a'), 'test')('ada@example.com'),
  ];
  expect(new Set([hash('ada@example.com'), ...others]).size).toBe(4);
});

describe('a key ring', () => {
  const key = Buffer.alloc(32, 'x').toString('base64');

  test('accepts base64 in both alphabets, with spaces around the entries', () => {
    const ring = parseKeyRing(` one:${key} , two:${Buffer.alloc(32, 255).toString('base64url')}`);
    expect([ring.current.id, ...ring.keys.keys()]).toEqual(['one', 'one', 'two']);
  });

  test.each([
    ['', /Key 1/],
    [key, /Key 1/],
    [`:${key}`, /Key 1/],
    [`bad id:${key}`, /Key 1/],
    [`a:${key},`, /Key 2/],
    [`a:${key},b:${key.slice(4)}`, /Key 2.*"b".*32 bytes/],
    [`a:${key.replace('e', '*')}`, /Key 1.*32 bytes/],
    [`a:${key},a:${key}`, /twice/],
  ])('%j is rejected with its position', (text, message) => {
    expect(() => parseKeyRing(text)).toThrow(message);
  });

  test('error messages and printed values contain no secret', () => {
    expect(() => parseKeyRing(`a:${key}x!`)).toThrow(expect.not.stringContaining(key));
    expect(JSON.stringify([...parseKeyRing(`a:${key}`).keys])).not.toContain(key);
  });
});
