import { createHash, hash, timingSafeEqual } from 'node:crypto';

/** A hash that stands for a secret in caches and comparisons, so that the secret is not kept. */
export function digest(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** A deterministic UUID of a name in a namespace (RFC 9562, version 5). */
export function uuidV5(namespace: string, name: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name, 'utf8')
    .digest()
    .subarray(0, 16);
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Compares in constant time and as text, because base64url has several spellings of one value. */
export function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given, 'utf8'), Buffer.from(expected, 'utf8')];
  return left.length === right.length && timingSafeEqual(left, right);
}
