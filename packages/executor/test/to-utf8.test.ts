import { expect, test } from 'vitest';
import { fc } from '../../../test/support/fast-check.ts';
import { toUtf8 } from '../src/json/write.ts';

test('short and long texts become their UTF-8 bytes, in order', async () => {
  const text = fc
    .tuple(fc.string({ unit: 'grapheme' }), fc.nat(40_000))
    .map(([one, times]) => one.repeat(times % 4_000));
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 12 }), async (texts) => {
      expect(Buffer.concat(await toUtf8(texts)).equals(Buffer.from(texts.join('')))).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('a text that is longer than the whole buffer stays in order', async () => {
  const texts = ['a', '’'.repeat(300_000), 'b', '😀'.repeat(200_000), 'c'];
  expect(Buffer.concat(await toUtf8(texts)).toString()).toBe(texts.join(''));
});

test('parts that are bytes already stay in order', async () => {
  const bytes = [Buffer.from('“b'), Buffer.from('”')];
  const pieces = await toUtf8(['’a', bytes, 'c', [], 'd’', bytes]);
  expect(Buffer.concat(pieces).toString()).toBe('’a“b”cd’“b”');
  expect(pieces).toContain(bytes[0]);
});

test('no parts give no bytes', async () => {
  expect(await toUtf8([])).toHaveLength(0);
  expect(await toUtf8(['', ''])).toHaveLength(0);
});
