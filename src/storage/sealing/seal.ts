import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomFillSync,
  timingSafeEqual,
} from 'node:crypto';
import type { CursorSigner } from '../../domain/page.ts';
import type { Key, KeyRing } from './key-ring.ts';

/**
 * AES-256-GCM under a key that is derived for this purpose alone, so that a sealed cache entry can never pass for
 * sealed credentials. Sealed text is `<key id>.<base64url of nonce, ciphertext, tag>`.
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
function deriveKey(key: Key, purpose: string): KeyObject {
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

/** Keys for signatures of one kind: the first of the ring signs, every one of it verifies. None of them seals. */
export function createSigningKeys(ring: KeyRing, purpose: string): SigningKeys {
  const keys = new Map([...ring.keys.values()].map((key) => [key.id, deriveKey(key, `sign/${purpose}`)]));
  return {
    current: { id: ring.current.id, secret: deriveKey(ring.current, `sign/${purpose}`) },
    find: (id) => keys.get(id),
  };
}

/**
 * `version.key id.payload.mac`: HMAC-SHA-256 over the first three parts, as they are spelled, and the binding. The same
 * payload is signed alike each time. The binding enters as its hash, because a list of a thousand emails can be one, and
 * a page has a thousand cursors.
 */
export function createCursorSigner({ current, find }: SigningKeys): CursorSigner {
  const head = `${VERSION}.${current.id}.`;
  return {
    bind(readBinding) {
      let binding: string | undefined;
      const toMac = (key: KeyObject, signed: string): string => {
        binding ??= hash('sha256', readBinding(), 'base64url');
        const mac = createHmac('sha256', key).update(`${signed}.${binding}`, 'utf8').digest('base64url');
        return mac.slice(0, MAC_LENGTH);
      };
      let last: { readonly payload: string; readonly cursor: string } | undefined;
      return {
        sign(payload) {
          // The first and the last cursor of a page of one are the same.
          if (last?.payload !== payload) {
            const signed = head + Buffer.from(payload, 'utf8').toString('base64url');
            last = { payload, cursor: `${signed}.${toMac(current.secret, signed)}` };
          }
          return last.cursor;
        },
        verify(cursor) {
          const [version, keyId, payload, mac, ...rest] = cursor.split('.');
          if (version !== VERSION || !keyId || !payload || !mac || rest.length > 0) return undefined;
          const key = find(keyId);
          if (!key) return undefined;
          const isRight = isSame(mac, toMac(key, `${version}.${keyId}.${payload}`));
          return isRight ? Buffer.from(payload, 'base64url').toString('utf8') : undefined;
        },
      };
    },
  };
}

/** In constant time, and letter by letter: base64url has several spellings of one value, a MAC or a hash has one. */
export function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given, 'utf8'), Buffer.from(expected, 'utf8')];
  return left.length === right.length && timingSafeEqual(left, right);
}

const VERSION = 'v2';
/** In characters, of six bits each: nobody tries out 2^128. */
const MAC_LENGTH = 22;

interface SigningKeys {
  readonly current: { readonly id: string; readonly secret: KeyObject };
  find(id: string): KeyObject | undefined;
}

/** Authenticated encryption for what is stored: secrets and cached answers. */
export interface Sealer {
  /** The binding is not stored: what is sealed for one place opens only there. */
  seal(plaintext: string | Uint8Array, binding: string): string;
  /** Undefined when it was altered, is bound elsewhere, or its key is unknown. */
  open(sealed: string, binding: string): string | undefined;
}
