import { describe, expect, test } from 'vitest';
import { parseKeyRing } from '../../src/storage/key-ring.ts';
import { createSigner, createSigningKeys } from '../../src/storage/signing.ts';
import { fc } from '../support/fast-check.ts';

const OLD = `old:${Buffer.alloc(32, 1).toString('base64')}`;
const NEW = `new:${Buffer.alloc(32, 2).toString('base64')}`;
const open = (ring: string, binding = 'here') =>
  createSigner(createSigningKeys(parseKeyRing(ring), 'cursor')).bind(() => binding);

/** Made with Python's hmac and hashlib: HKDF-SHA-256 (info `crossbook/sign/cursor`), then the first 22 characters of HMAC-SHA-256. */
test.each([
  ['f151', 'here', 'v2.old.ZjE1MQ.CmLyNninyTvHZVeePruv1i'],
  [
    ' 003Ab00000ZzZzZIAV',
    '["a","b","hubspot"]@example.org',
    'v2.old.IDAwM0FiMDAwMDBaelp6WklBVg.pm0jsL5WfZFPRLGRTSfmgg',
  ],
  ['b日本', '', 'v2.old.YuaXpeacrA.fhIiPqZFpXTdvtjoCWXXya'],
])('%j bound to %j matches the known vector', (payload, binding, cursor) => {
  expect(open(OLD, binding).sign(payload)).toBe(cursor);
  expect(open(OLD, binding).verify(cursor)).toBe(payload);
});

test('a signed cursor is valid only for the binding it was signed with', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }), (payload) => {
      const cursor = open(OLD).sign(payload);
      expect(open(OLD).verify(cursor)).toBe(payload);
      expect(open(OLD, 'elsewhere').verify(cursor)).toBeUndefined();
      expect(open(NEW).verify(cursor)).toBeUndefined();
      expect(open(OLD).sign(payload)).toBe(cursor);
    }),
  );
});

describe('an altered cursor is invalid', () => {
  const cursor = open(OLD).sign('f151');
  const [version, key, payload, mac = ''] = cursor.split('.');

  test('with any bit of any character flipped', () => {
    for (const [index, character] of [...cursor].entries()) {
      for (let bit = 0; bit < 8; bit += 1) {
        const changed = String.fromCharCode(character.charCodeAt(0) ^ (1 << bit));
        const altered = cursor.slice(0, index) + changed + cursor.slice(index + 1);
        expect(open(OLD).verify(altered), altered).toBeUndefined();
      }
    }
  });

  test('truncated at any position', () => {
    for (let length = 0; length < cursor.length; length += 1) {
      expect(open(OLD).verify(cursor.slice(0, length))).toBeUndefined();
    }
  });

  test('put together at random, ten thousand times', () => {
    const piece = fc.oneof(
      fc.constantFrom(version, key, payload, mac, '', 'v1', 'new', `${payload}=`, `${mac}A`),
      fc.stringMatching(/^[\w-]{0,24}$/),
    );
    const isAnother = (text: string) => text !== cursor;
    const forgery = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join('.'));
    fc.assert(
      fc.property(forgery.filter(isAnother), (text) => open(OLD).verify(text) === undefined),
      { numRuns: 10_000 },
    );
  });

  test.each([
    '',
    'v2',
    '...',
    'v2.old..',
    `${cursor}.`,
    `${cursor}=`,
    `${cursor}A`,
    ` ${cursor}`,
    `${cursor}.x`,
  ])('replaced by %j', (altered) => {
    expect(open(OLD).verify(altered)).toBeUndefined();
  });

  test('with a MAC in another spelling, whose last character differs in unused bits', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const sameBytes = [...alphabet]
      .map((last) => mac.slice(0, -1) + last)
      .filter(
        (one) => Buffer.from(one, 'base64url').equals(Buffer.from(mac, 'base64url')) && one !== mac,
      );
    expect(sameBytes.length).toBeGreaterThan(0);
    for (const one of sameBytes)
      expect(open(OLD).verify(`v2.old.${payload}.${one}`)).toBeUndefined();
  });
});

test('a key ring with a new first key still verifies cursors of the old key', () => {
  const cursor = open(OLD).sign('f151');
  expect(open(`${NEW},${OLD}`).verify(cursor)).toBe('f151');
  expect(open(`${NEW},${OLD}`).sign('f151')).toMatch(/^v2\.new\./);
});

test('the binding is computed once, and only if a cursor is signed or verified', () => {
  let asked = 0;
  const bound = createSigner(createSigningKeys(parseKeyRing(OLD), 'cursor')).bind(() => {
    asked += 1;
    return 'here';
  });
  expect(asked).toBe(0);
  bound.verify(bound.sign('a'));
  bound.sign('b');
  expect(asked).toBe(1);
});
