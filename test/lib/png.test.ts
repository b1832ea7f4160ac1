import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { cleanPng } from '../../src/lib/png.ts';
import { makePng, pngChunk, SIGNATURE } from '../support/png.ts';

const RED = Buffer.from([0, 255, 0, 0, 255]);

function typesOf(png: Buffer): string[] {
  const types: string[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    types.push(png.toString('latin1', at + 4, at + 8));
  return types;
}

test('an image keeps its pixels, and loses everything else', async () => {
  const extra = [
    pngChunk('tEXt', Buffer.from('Author\0Somebody')),
    pngChunk('eXIf', Buffer.from('where it was taken')),
  ];
  const clean = (await cleanPng(makePng({ pixels: RED, before: extra }), 512)) as Buffer;
  expect(typesOf(clean)).toEqual(['IHDR', 'IDAT', 'IEND']);
  expect(clean.includes('Somebody')).toBe(false);
  const at = clean.indexOf('IDAT');
  const data = clean.subarray(at + 4, at + 4 + clean.readUInt32BE(at - 4));
  expect(inflateSync(data)).toEqual(RED);
  expect(crc32(clean.subarray(at, at + 4 + data.length))).toBe(
    clean.readUInt32BE(at + 4 + data.length),
  );
});

test('bytes behind the compressed pixels are dropped', async () => {
  const data = Buffer.concat([deflateSync(RED), Buffer.from('<script>hidden</script>')]);
  const clean = await cleanPng(makePng({ data }), 512);
  expect(Buffer.isBuffer(clean) && clean.includes('script')).toBe(false);
});

test('a palette and its transparency are kept, and an interlaced image is counted right', async () => {
  const palette = [
    pngChunk('PLTE', Buffer.from([255, 0, 0])),
    pngChunk('tRNS', Buffer.from([128])),
  ];
  const indexed = { colorType: 3, depth: 1, pixels: Buffer.from([0, 0]), before: palette };
  expect(typesOf((await cleanPng(makePng(indexed), 512)) as Buffer)).toEqual([
    'IHDR',
    'PLTE',
    'tRNS',
    'IDAT',
    'IEND',
  ]);
  // Of 3 × 3 pixels the seven passes have 1, 0, 0, 1, 2, 2 and 3 pixels, in 6 rows.
  const interlaced = { width: 3, height: 3, interlace: 1, pixels: Buffer.alloc(9 * 4 + 6) };
  expect(Buffer.isBuffer(await cleanPng(makePng(interlaced), 512))).toBe(true);
});

describe('is refused:', () => {
  const bomb = deflateSync(Buffer.alloc(50_000_000));
  test.each([
    ['a JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]), 'not a PNG'],
    ['an SVG', Buffer.from('<svg onload="alert(1)"/>'), 'not a PNG'],
    ['nothing', Buffer.alloc(0), 'not a PNG'],
    ['only a signature', SIGNATURE, 'not a PNG'],
    ['an image that ends early', makePng({ pixels: RED }).subarray(0, -6), 'not a PNG'],
    ['something behind the end', Buffer.concat([makePng({ pixels: RED }), RED]), 'not a PNG'],
    ['a wrong checksum', damage(makePng({ pixels: RED })), 'not a PNG'],
    ['an image that is too wide', makePng({ width: 513, pixels: RED }), '513 × 1 pixels'],
    ['an image without a size', makePng({ width: 0, pixels: RED }), 'not a PNG'],
    ['an unknown color type', makePng({ colorType: 5, pixels: RED }), 'not a PNG'],
    ['too few pixels', makePng({ pixels: RED.subarray(1) }), 'pixels are damaged'],
    ['too many pixels', makePng({ data: bomb }), 'pixels are damaged'],
    ['pixels that are not compressed', makePng({ data: RED }), 'pixels are damaged'],
    ['no pixels', makePng({ data: null }), 'missing or not in order'],
    [
      'a chunk that a decoder must know',
      makePng({ pixels: RED, before: [pngChunk('ABCD')] }),
      'order',
    ],
    [
      'a palette that is missing',
      makePng({ colorType: 3, depth: 8, pixels: Buffer.alloc(2) }),
      'palette',
    ],
  ])('%s', async (_what, png, reason) => {
    expect(await cleanPng(png, 512)).toContain(reason);
  });
});

function damage(png: Buffer): Buffer {
  const copy = Buffer.from(png);
  copy.writeUInt8(copy.readUInt8(20) ^ 1, 20);
  return copy;
}
