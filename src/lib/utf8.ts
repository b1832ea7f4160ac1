import { isAscii, transcode } from 'node:buffer';

/**
 * Decodes UTF-8 as `toString` does, with U+FFFD for invalid bytes. V8's own decoder takes three to four times as long as
 * soon as one letter is not ASCII, half as long as parsing the same JSON. Longer texts are left to it, because
 * transcoding needs a second buffer of twice their size.
 */
export function decodeUtf8(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  if (bytes.length > MAX_TRANSCODED) return bytes.toString('utf8');
  try {
    return transcode(bytes, 'utf8', 'utf16le').toString('utf16le');
  } catch {
    return bytes.toString('utf8');
  }
}

const MAX_TRANSCODED = 1024 * 1024;
