import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomFillSync,
} from 'node:crypto';
import type { Sealer } from '../../domain/sealer.ts';
import type { Key, KeyRing } from './key-ring.ts';

/**
 * AES-256-GCM under a key that is derived for this purpose alone, so that a sealed cursor can never pass for sealed
 * credentials. Sealed text is `<key id>.<base64url of nonce, ciphertext, tag>`.
 */
export function createSealer(ring: KeyRing, purpose: string): Sealer {
  const current = deriveKey(ring.current, purpose);
  const subkeys = new Map([...ring.keys.values()].map((key) => [key.id, deriveKey(key, purpose)]));
  return {
    seal(plaintext, binding) {
      const nonce = nextNonce();
      const cipher = createCipheriv('aes-256-gcm', current, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(binding, 'utf8'));
      const body =
        typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext);
      const box = Buffer.concat([nonce, body, cipher.final(), cipher.getAuthTag()]);
      return `${ring.current.id}.${box.toString('base64url')}`;
    },
    open(sealed, binding) {
      const subkey = subkeys.get(keyIdOf(sealed));
      return subkey && openBox(subkey, sealed.slice(sealed.indexOf('.') + 1), binding);
    },
  };
}

/** A hash that nobody can compute or try out without the ring. Follows the current key: old hashes are not found. */
export function createKeyedHash(ring: KeyRing, purpose: string): (value: string) => string {
  const subkey = deriveKey(ring.current, purpose);
  return (value) => createHmac('sha256', subkey).update(value, 'utf8').digest('base64url');
}

/** Which key something was sealed with: it stands in front, in the clear. */
export function keyIdOf(sealed: string): string {
  return sealed.slice(0, Math.max(sealed.indexOf('.'), 0));
}

function openBox(subkey: KeyObject, encoded: string, binding: string): string | undefined {
  const box = Buffer.from(encoded, 'base64url');
  // Lenient decoding would let several spellings of one sealed text pass.
  if (box.length < NONCE_BYTES + TAG_BYTES || box.toString('base64url') !== encoded) return undefined;
  const nonce = box.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', subkey, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(binding, 'utf8'));
  decipher.setAuthTag(box.subarray(-TAG_BYTES));
  try {
    const plaintext = decipher.update(box.subarray(NONCE_BYTES, -TAG_BYTES));
    return Buffer.concat([plaintext, decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** A KeyObject: of bytes, Node 24 makes one at each use, which takes ten microseconds. */
export function deriveKey(key: Key, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', key.secret, '', `crossbook/${purpose}`, 32)));
}

/** Random nonces are drawn many at a time: one call for each would cost more than the encryption. */
function nextNonce(): Buffer {
  if (nonceOffset >= nonces.length) {
    randomFillSync(nonces);
    nonceOffset = 0;
  }
  nonceOffset += NONCE_BYTES;
  return Buffer.from(nonces.subarray(nonceOffset - NONCE_BYTES, nonceOffset));
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const nonces = Buffer.alloc(NONCE_BYTES * 256);
let nonceOffset = nonces.length;
