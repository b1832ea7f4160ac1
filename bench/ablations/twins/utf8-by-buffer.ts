import type { ByteMeter } from '../../../src/lib/to-utf8.ts';

export function toUtf8(
  parts: Iterable<string | readonly Uint8Array[]>,
  meter?: ByteMeter,
): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (const part of parts) {
    if (typeof part !== 'string') pieces.push(...part);
    else {
      const piece = Buffer.from(part);
      meter?.consumeBytes(piece.length);
      pieces.push(piece);
    }
  }
  return pieces;
}
