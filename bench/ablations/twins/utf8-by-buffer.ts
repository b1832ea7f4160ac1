import type { toUtf8 as original } from '../../../src/lib/json-body.ts';

export const toUtf8: typeof original = (parts, meter) => {
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
};
