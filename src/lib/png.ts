import { promisify } from 'node:util';
import { crc32, deflate, inflate } from 'node:zlib';

/**
 * Reads a PNG and writes it again with nothing but its pixels: the critical chunks, and which color is transparent.
 * Every chunk is checked, and the pixels are decompressed, counted and compressed again. Resolves to a text that says
 * what is wrong with an image that cannot be used.
 */
export async function cleanPng(png: Buffer, maxSide: number): Promise<Buffer | string> {
  const chunks = readChunks(png);
  const [header, ...others] = chunks ?? [];
  const image = header && readHeader(header);
  if (!header || !image) return 'it is not a PNG image, or it is damaged';
  if (image.width > maxSide || image.height > maxSide)
    return `it has ${image.width} × ${image.height} pixels, and may have ${maxSide} × ${maxSide}`;
  const kept = [header, ...others.filter(({ type }) => KEPT.has(type))];
  const order = kept.map(({ type }) => type).join(' ');
  if (!ORDER.test(order) || others.some(isUnknownCritical))
    return 'its parts are missing or not in order';
  const palette = kept.find(({ type }) => type === 'PLTE');
  const isPaletteRight = palette
    ? palette.data.length % 3 === 0 && palette.data.length <= 768 && palette.data.length > 0
    : image.colorType !== INDEXED;
  if (!isPaletteRight) return 'its palette is missing or damaged';
  const compressed = kept.flatMap(({ type, data }) => (type === 'IDAT' ? [data] : []));
  const pixels = await readPixels(Buffer.concat(compressed), countBytes(image));
  if (!pixels) return 'its pixels are damaged';
  const data = await promisify(deflate)(pixels, { level: 9 });
  const described = kept.filter(({ type }) => type !== 'IDAT' && type !== 'IEND');
  const written = [...described, { type: 'IDAT', data }, { type: 'IEND', data: Buffer.alloc(0) }];
  return Buffer.concat([SIGNATURE, ...written.flatMap(writeChunk)]);
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const KEPT: ReadonlySet<string> = new Set(['PLTE', 'tRNS', 'IDAT', 'IEND']);
const ORDER = /^IHDR( PLTE)?( tRNS)?( IDAT)+ IEND$/;

/** Undefined if the lengths or checksums are wrong, or something follows the end. */
function readChunks(png: Buffer): readonly Chunk[] | undefined {
  if (!png.subarray(0, 8).equals(SIGNATURE)) return undefined;
  const chunks: Chunk[] = [];
  let at = 8;
  while (at + 12 <= png.length) {
    const end = at + 8 + png.readUInt32BE(at);
    if (end + 4 > png.length) return undefined;
    const type = png.toString('latin1', at + 4, at + 8);
    if (crc32(png.subarray(at + 4, end)) !== png.readUInt32BE(end)) return undefined;
    chunks.push({ type, data: png.subarray(at + 8, end) });
    at = end + 4;
    if (type === 'IEND') return at === png.length ? chunks : undefined;
  }
  return undefined;
}

/** The case of its first letter says that a decoder must know a chunk. */
function isUnknownCritical({ type }: Chunk): boolean {
  return /^[A-Z]/.test(type) && !KEPT.has(type);
}

function readHeader({ type, data }: Chunk): Header | undefined {
  if (type !== 'IHDR' || data.length !== 13) return undefined;
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  const [depth = 0, colorType = 0, compression, filter, interlace = 0] = data.subarray(8);
  const isKnown = DEPTHS[colorType]?.includes(depth) && compression === 0 && filter === 0;
  if (!isKnown || interlace > 1 || width === 0 || height === 0) return undefined;
  return {
    width,
    height,
    colorType,
    isInterlaced: interlace === 1,
    bits: depth * (SAMPLES[colorType] ?? 1),
  };
}

const INDEXED = 3;
/** The depths of each color type. */
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  [INDEXED]: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, [INDEXED]: 1, 4: 2, 6: 4 };

/** The bytes of the pixels: each row has one more, for its filter. An interlaced image consists of seven. */
function countBytes({ width, height, bits, isInterlaced }: Header): number {
  const passes = isInterlaced ? PASSES : [[0, 0, 1, 1] as const];
  return passes.reduce((sum, [x, y, stepX, stepY]) => {
    const columns = Math.ceil((width - x) / stepX);
    const rows = Math.ceil((height - y) / stepY);
    return columns > 0 && rows > 0 ? sum + rows * (1 + Math.ceil((columns * bits) / 8)) : sum;
  }, 0);
}

/** Adam7: the first column and row of each pass, and the steps to the next. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** Stops at the first byte too many, so that a small file cannot take much memory. */
async function readPixels(compressed: Buffer, expected: number): Promise<Buffer | undefined> {
  try {
    const pixels = await promisify(inflate)(compressed, { maxOutputLength: expected });
    return pixels.length === expected ? pixels : undefined;
  } catch {
    return undefined;
  }
}

function writeChunk({ type, data }: Chunk): readonly Buffer[] {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return [length, body, checksum];
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

interface Header {
  readonly width: number;
  readonly height: number;
  readonly colorType: number;
  readonly isInterlaced: boolean;
  /** Bits of a pixel. */
  readonly bits: number;
}
