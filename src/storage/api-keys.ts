import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** `cbk_<public id>_<secret>`: the id finds the row, the 256-bit secret proves the right to it. */
export function createApiKey(): ApiKey {
  return toApiKey(randomBytes(8).toString('hex'), randomBytes(32).toString('base64url'));
}

/** Undefined where a text cannot be a key. */
export function parseApiKey(key: string): ApiKey | undefined {
  const match = /^cbk_([0-9A-Za-z]{4,32})_([\w-]{43})$/.exec(key);
  return match?.[1] && match[2] ? toApiKey(match[1], match[2]) : undefined;
}

/** A plain hash is enough: nobody tries out 2^256 secrets, and it stays valid when the key ring is changed. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('base64url');
}

/** In constant time. Takes as long where there is no such key. */
export function matchesSecret(secret: string, storedHash: string | undefined): boolean {
  const given = Buffer.from(hashSecret(secret), 'utf8');
  const stored = Buffer.from(storedHash ?? '', 'utf8');
  const comparable = stored.length === given.length;
  return timingSafeEqual(given, comparable ? stored : given) && comparable;
}

function toApiKey(publicId: string, secret: string): ApiKey {
  return { publicId, secret, text: `cbk_${publicId}_${secret}` };
}

export interface ApiKey {
  readonly publicId: string;
  readonly secret: string;
  readonly text: string;
}
