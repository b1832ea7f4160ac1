/**
 * Texts as the bytes of one, in pieces; what is bytes already goes between them as it is, and has been counted when it was
 * made. No text may end in the middle of a character.
 */
export function toUtf8(
  parts: Iterable<string | readonly Uint8Array[]>,
  meter?: ByteMeter,
): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let text = '';
  for (const part of parts) {
    if (typeof part !== 'string') {
      flush();
      pieces.push(...part);
      continue;
    }
    text += part;
    if (text.length >= PIECE_LENGTH) flush();
  }
  flush();
  return pieces;

  function flush(): void {
    if (text === '') return;
    const piece = Buffer.from(text);
    text = '';
    meter?.consumeBytes(piece.length);
    pieces.push(piece);
  }
}

/** Throws where there are too many of them. */
export interface ByteMeter {
  consumeBytes(count: number): void;
}

/** In characters. The meter stops what is too much after so many more. */
const PIECE_LENGTH = 64 * 1024;
