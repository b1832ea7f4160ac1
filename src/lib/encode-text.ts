/** Long text as bytes: what has to be counted and then encoded is gone through once. */
export function encodeText(text: string): Uint8Array {
  // Little of what is nearly all English takes more than one byte; where more of it does, it is encoded anew.
  const bytes = Buffer.allocUnsafeSlow(text.length + (text.length >> 3));
  const { read, written } = encoder.encodeInto(text, bytes);
  return read === text.length ? bytes.subarray(0, written) : Buffer.from(text, 'utf8');
}

const encoder = new TextEncoder();
