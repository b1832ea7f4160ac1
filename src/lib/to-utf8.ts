import { transcode } from 'node:buffer';

/**
 * Texts as the bytes of one, in pieces; what is bytes already goes between them as it is. Texts are copied out of the
 * engine as they are and translated there: that takes many characters at a time, also where some are not English, while
 * the engine's own way goes from one to the next. No text may end in the middle of a character. What was bytes already has
 * been counted when it was made.
 */
export function toUtf8(
  parts: Iterable<string | readonly Uint8Array[]>,
  meter?: ByteMeter,
): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let filled = 0;
  for (const part of parts) {
    if (typeof part === 'string') add(part);
    else {
      empty();
      pieces.push(...part);
    }
  }
  empty();
  return pieces;

  function add(text: string): void {
    const size = text.length * BYTES_OF_A_UNIT;
    if (filled + size > room.length) empty();
    if (size > room.length) keep(Buffer.from(text, 'utf8'));
    else filled += room.write(text, filled, 'utf16le');
  }

  function empty(): void {
    const length = filled;
    filled = 0;
    if (length > 0) keep(transcode(room.subarray(0, length), 'utf16le', 'utf8'));
  }

  function keep(piece: Uint8Array): void {
    meter?.consumeBytes(piece.length);
    pieces.push(piece);
  }
}

/** Throws where there are too many of them. */
export interface ByteMeter {
  consumeBytes(count: number): void;
}

const BYTES_OF_A_UNIT = 2;
/** Used again and again, and never left to anybody. */
const room = Buffer.allocUnsafeSlow(512 * 1024);
