/**
 * A value as the body of an answer. What is short stays text, and travels with its headers. What is long is made into
 * bytes at once: it is gone through once, and the text is gone before anybody could keep it.
 */
export function toJsonBody(value: unknown): string | Uint8Array<ArrayBuffer> {
  const text = JSON.stringify(value);
  return text.length > SHORT ? encode(text) : text;
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  // Little of what is nearly all English takes more than one byte; where more of it does, it is encoded anew.
  const bytes = Buffer.allocUnsafeSlow(text.length + (text.length >> 3));
  const { read, written } = encoder.encodeInto(text, bytes);
  return read === text.length ? bytes.subarray(0, written) : Buffer.from(text, 'utf8');
}

const SHORT = 4_096;
const encoder = new TextEncoder();
