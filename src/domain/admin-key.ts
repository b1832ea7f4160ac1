import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * `cba_` and 256 random bits. Whoever has it manages applications and keys over HTTP. The installation knows its hash
 * alone; one of 256 bits needs no slow hash.
 */
export function createAdminKey(): { readonly key: string; readonly hash: string } {
  const key = `cba_${randomBytes(32).toString('base64url')}`;
  return { key, hash: toHash(key).toString('hex') };
}

/** Takes as long for a key that is nearly right. What is too short to be random is none, whatever hash was set. */
export function isAdminKey(key: string, hash: string): boolean {
  return timingSafeEqual(toHash(key), Buffer.from(hash, 'hex')) && FORM.test(key);
}

const FORM = /^cba_[\w-]{43}$/;

function toHash(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
