import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto';
import { deriveKeys, type KeyRing } from './key-ring.ts';

/**
 * AES-256-GCM with a key derived per purpose, so that a ciphertext of one purpose cannot stand for another. Format:
 * `<key id>.<base64url of nonce, ciphertext, tag>`.
 */
export function createSealer(ring: KeyRing, purpose: string) {
  const { current, find } = deriveKeys(ring, purpose);
  return {
    /** The binding is authenticated but not stored: a ciphertext opens only with the same binding. */
    seal(plaintext: string | Uint8Array, binding: string): string {
      const nonce = nextNonce();
      const cipher = createCipheriv('aes-256-gcm', current.secret, nonce, {
        authTagLength: TAG_BYTES,
      });
      cipher.setAAD(Buffer.from(binding, 'utf8'));
      const body =
        typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext);
      const box = Buffer.concat([nonce, body, cipher.final(), cipher.getAuthTag()]);
      return `${current.id}.${box.toString('base64url')}`;
    },
    /** Undefined if it was tampered with, has another binding, or an unknown key. */
    open(sealed: string, binding: string): string | undefined {
      const subkey = find(keyIdOf(sealed));
      return subkey && openBox(subkey, sealed.slice(sealed.indexOf('.') + 1), binding);
    },
  };
}

/** Authenticated encryption of stored secrets and cached contacts. */
export type Sealer = ReturnType<typeof createSealer>;

/** The id of the encryption key, which is the plain prefix. */
export function keyIdOf(sealed: string): string {
  return sealed.slice(0, Math.max(sealed.indexOf('.'), 0));
}

function openBox(subkey: KeyObject, encoded: string, binding: string): string | undefined {
  const box = Buffer.from(encoded, 'base64url');
  // Rejects non-canonical base64url, or several spellings of one ciphertext would be valid.
  if (box.length < NONCE_BYTES + TAG_BYTES || box.toString('base64url') !== encoded)
    return undefined;
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

/** Nonces are drawn in bulk, because a call per nonce costs more than the encryption. */
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
