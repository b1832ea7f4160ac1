import { createHmac, hash, type KeyObject } from 'node:crypto';
import type { Signer } from '../domain/page.ts';
import { isSame } from '../lib/digest.ts';
import { deriveKey, deriveKeys, type KeyRing } from './key-ring.ts';

/** Signing keys of one purpose: the first key signs, all verify. They differ from the encryption keys. */
export function createSigningKeys(ring: KeyRing, purpose: string) {
  return deriveKeys(ring, `sign/${purpose}`);
}

/**
 * Signs page cursors and the tokens of connect links: `version.key id.payload.mac`, with HMAC-SHA-256 over the first
 * three parts as spelled, and the binding. Deterministic. The binding enters as a hash, because it may be a list of a
 * thousand emails, and a page has a thousand cursors.
 */
export function createSigner({ current, find }: ReturnType<typeof createSigningKeys>): Signer {
  const head = `${VERSION}.${current.id}.`;
  return {
    bind(readBinding) {
      let binding: string | undefined;
      const toMac = (key: KeyObject, signed: string): string => {
        binding ??= hash('sha256', readBinding(), 'base64url');
        const mac = createHmac('sha256', key)
          .update(`${signed}.${binding}`, 'utf8')
          .digest('base64url');
        return mac.slice(0, MAC_LENGTH);
      };
      let last: { readonly payload: string; readonly token: string } | undefined;
      return {
        sign(payload) {
          // The first and last cursor of a page may be the same.
          if (last?.payload !== payload) {
            const signed = head + Buffer.from(payload, 'utf8').toString('base64url');
            last = { payload, token: `${signed}.${toMac(current.secret, signed)}` };
          }
          return last.token;
        },
        verify(token) {
          const [version, keyId, payload, mac, ...rest] = token.split('.');
          if (version !== VERSION || !keyId || !payload || !mac || rest.length > 0)
            return undefined;
          const key = find(keyId);
          if (!key) return undefined;
          const isRight = isSame(mac, toMac(key, `${version}.${keyId}.${payload}`));
          return isRight ? Buffer.from(payload, 'base64url').toString('utf8') : undefined;
        },
      };
    },
  };
}

const VERSION = 'v2';
/** In characters of six bits: some 2^128 values, which cannot be guessed. */
const MAC_LENGTH = 22;

/**
 * A keyed hash that names its key, so that a text can still be compared after a rotation, as long as the ring has the
 * key.
 */
export function createVersionedHash(ring: KeyRing, purpose: string): VersionedHash {
  const { current, find } = deriveKeys(ring, purpose);
  const toMac = (key: KeyObject, text: string) =>
    createHmac('sha256', key).update(text, 'utf8').digest('base64url');
  return {
    hash: (text) => `${current.id}.${toMac(current.secret, text)}`,
    isHashOf(hashed, text) {
      const [keyId = '', mac = ''] = hashed.split('.');
      const key = find(keyId);
      return key !== undefined && isSame(mac, toMac(key, text));
    },
  };
}

export interface VersionedHash {
  hash(text: string): string;
  isHashOf(hashed: string, text: string): boolean;
}

/** A keyed hash (HMAC). It uses the current key, so older hashes are not found after a rotation. */
export function createKeyedHash(ring: KeyRing, purpose: string): (value: string) => string {
  const subkey = deriveKey(ring.current, purpose);
  return (value) => createHmac('sha256', subkey).update(value, 'utf8').digest('base64url');
}
