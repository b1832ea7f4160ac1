import { crc32, deflateSync } from 'node:zlib';

export const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** A PNG, by default of one pixel in RGBA. `data` stands for compressed pixels; null: there are none. */
export function makePng({
  width = 1,
  height = 1,
  depth = 8,
  colorType = 6,
  interlace = 0,
  pixels = Buffer.alloc(5),
  data = deflateSync(pixels),
  before = [],
}: PngParts = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colorType, 0, 0, interlace], 8);
  const body = data === null ? [] : [pngChunk('IDAT', data)];
  return Buffer.concat([SIGNATURE, pngChunk('IHDR', header), ...before, ...body, pngChunk('IEND')]);
}

export function pngChunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

interface PngParts {
  readonly width?: number;
  readonly height?: number;
  readonly depth?: number;
  readonly colorType?: number;
  readonly interlace?: number;
  readonly pixels?: Buffer;
  readonly data?: Buffer | null;
  /** Chunks between the header and the pixels. */
  readonly before?: readonly Buffer[];
}
