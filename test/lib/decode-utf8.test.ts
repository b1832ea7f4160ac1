import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { decodeUtf8 } from '../../src/lib/utf8.ts';

test.each([
  ['nothing', ''],
  ['ASCII', 'Ada'],
  ['Latin-1', 'Zoë'],
  ['Chinese', '日本'],
  ['letters of two units', '😀'],
  ['a byte order mark', '\ufeffAda'],
  ['U+0000', 'a\0ë'],
  ['more than is transcoded', 'ë'.repeat(600 * 1024)],
])('%s is decoded as UTF-8', (_, text) => {
  expect(decodeUtf8(Buffer.from(text)) === text).toBe(true);
});

test.each([
  ['a byte that no text has', [0x61, 0xff, 0x62]],
  ['half a character', [0xc3]],
  ['a surrogate', [0xed, 0xa0, 0x80]],
])('%s becomes U+FFFD, as with Node', (_, bytes) => {
  const buffer = Buffer.from(bytes);
  expect(decodeUtf8(buffer)).toBe(buffer.toString('utf8'));
  expect(decodeUtf8(buffer)).toContain('\ufffd');
});

test('any bytes are decoded as by Node', () => {
  for (let length = 0; length < 500; length += 1) {
    const bytes = randomBytes(length);
    expect(decodeUtf8(bytes)).toBe(bytes.toString('utf8'));
  }
});
