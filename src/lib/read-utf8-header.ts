import { isUtf8 } from 'node:buffer';

/** Node reads a header's bytes as Latin-1; a client that sends other letters sends them in UTF-8. */
export function readUtf8Header(value: string | undefined): string | undefined {
  if (value === undefined || !BEYOND_ASCII.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

const BEYOND_ASCII = /[\x80-\xff]/;
