import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomFillSync,
  timingSafeEqual,
} from 'node:crypto';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Signer } from '../domain/page.ts';
import { linkNew, openDataDirectory } from '../lib/data-directory.ts';
import { toReason } from '../lib/output.ts';

/**
 * Opens the key ring. The default start generates it; in production the operator provides it, and its absence
 * prevents the start.
 */
export function openKeyRing(source: KeyRingSource) {
  const found = findKeyRing(source);
  if (found) return { ring: found, notes: [] };
  openDataDirectory(source.dataDirectory);
  const path = join(source.dataDirectory, KEY_FILE);
  const notes = createRing(path)
    ? [`Keys       made in ${path}: who loses them loses the credentials`]
    : [];
  const ring = readRing(path);
  if (!ring) throw new Error(`The key file ${path} cannot be read back`);
  /** The notes are messages for the operator. */
  return { ring, notes };
}

/** Finds the key ring without generating one: undefined before the first start. */
export function findKeyRing({
  keys,
  production,
  dataDirectory,
}: KeyRingSource): KeyRing | undefined {
  if (keys !== undefined) return parseKeyRing(keys);
  if (production) throw new Error('CROSSBOOK_KEYS must be set in production: see .env.example.');
  return readRing(join(dataDirectory, KEY_FILE));
}

const KEY_FILE = 'keys';

/** Undefined where none was generated yet. */
function readRing(path: string): KeyRing | undefined {
  try {
    const text = readFileSync(path, 'utf8').trim();
    // A copy or restored backup may be readable by others.
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
    return parseKeyRing(text);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error(`The key file ${path} cannot be used: ${toReason(error)}`);
  }
}

/** Readable by its owner alone. False where another process has just created it. */
function createRing(path: string): boolean {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const id = `local-${randomBytes(4).toString('hex')}`;
  return linkNew(path, `${id}:${randomBytes(KEY_BYTES).toString('base64')}\n`, draft);
}

/** Parses `id:base64,id2:base64`. Errors name an entry by position and id, never by its secret. */
export function parseKeyRing(text: string): KeyRing {
  const parsed = text.split(',').map((entry, index) => parseKey(entry.trim(), index + 1));
  const [current] = parsed;
  if (!current) throw new Error('The key ring is empty');
  const keys = new Map(parsed.map((key) => [key.id, key]));
  if (keys.size < parsed.length) throw new Error('The key ring names a key id twice');
  return { current, keys };
}

function parseKey(entry: string, place: number): Key {
  const colon = entry.indexOf(':');
  const id = entry.slice(0, Math.max(colon, 0));
  if (!KEY_ID.test(id)) {
    throw new Error(
      `Key ${place} of the ring is not id:base64, with an id of 1 to 32 letters, digits, - and _`,
    );
  }
  const encoded = entry.slice(colon + 1);
  const secret = Buffer.from(encoded, 'base64');
  if (!BASE64.test(encoded) || secret.length !== KEY_BYTES) {
    throw new Error(`Key ${place} of the ring ("${id}") is not ${KEY_BYTES} bytes in base64`);
  }
  return { id, secret: createSecretKey(secret) };
}

const KEY_BYTES = 32;

const KEY_ID = /^[A-Za-z0-9_-]{1,32}$/;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

interface KeyRingSource {
  /** `id:base64,…`: the first key encrypts, all decrypt. */
  readonly keys: string | undefined;
  readonly production: boolean;
  readonly dataDirectory: string;
}

/** The first key encrypts, all decrypt, so that keys can be rotated. */
export interface KeyRing {
  readonly current: Key;
  readonly keys: ReadonlyMap<string, Key>;
}

interface Key {
  readonly id: string;
  /** A KeyObject, because it never prints its bytes. */
  readonly secret: KeyObject;
}

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
    /** Undefined where it was tampered with, has another binding, or an unknown key. */
    open(sealed: string, binding: string): string | undefined {
      const subkey = find(keyIdOf(sealed));
      return subkey && openBox(subkey, sealed.slice(sealed.indexOf('.') + 1), binding);
    },
  };
}

/** A keyed hash (HMAC). It uses the current key, so older hashes are not found after a rotation. */
export function createKeyedHash(ring: KeyRing, purpose: string): (value: string) => string {
  const subkey = deriveKey(ring.current, purpose);
  return (value) => createHmac('sha256', subkey).update(value, 'utf8').digest('base64url');
}

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

/** A KeyObject, because Node 24 would convert bytes at each use, which takes ten microseconds. */
function deriveKey(key: Key, purpose: string): KeyObject {
  return createSecretKey(
    Buffer.from(hkdfSync('sha256', key.secret, '', `crossbook/${purpose}`, 32)),
  );
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

/** Signing keys of one purpose: the first key signs, all verify. They differ from the encryption keys. */
export function createSigningKeys(ring: KeyRing, purpose: string) {
  return deriveKeys(ring, `sign/${purpose}`);
}

function deriveKeys({ current, keys }: KeyRing, purpose: string) {
  const subkeys = new Map([...keys.values()].map((key) => [key.id, deriveKey(key, purpose)]));
  return {
    current: { id: current.id, secret: deriveKey(current, purpose) },
    find: (id: string) => subkeys.get(id),
  };
}

/**
 * Signs page cursors and the tokens of connect links: `version.key id.payload.mac`, with HMAC-SHA-256 over the first three parts as spelled, and the
 * binding. Deterministic. The binding enters as a hash, because it may be a list of a thousand emails, and a page has
 * a thousand cursors.
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
      let last: { readonly payload: string; readonly cursor: string } | undefined;
      return {
        sign(payload) {
          // The first and last cursor of a page may be the same.
          if (last?.payload !== payload) {
            const signed = head + Buffer.from(payload, 'utf8').toString('base64url');
            last = { payload, cursor: `${signed}.${toMac(current.secret, signed)}` };
          }
          return last.cursor;
        },
        verify(cursor) {
          const [version, keyId, payload, mac, ...rest] = cursor.split('.');
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

/** Compares in constant time and as text, because base64url has several spellings of one value. */
export function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given, 'utf8'), Buffer.from(expected, 'utf8')];
  return left.length === right.length && timingSafeEqual(left, right);
}

const VERSION = 'v2';
/** In characters of six bits: some 2^128 values, which cannot be guessed. */
const MAC_LENGTH = 22;

/** Authenticated encryption of stored secrets and cached contacts. */
export type Sealer = ReturnType<typeof createSealer>;
