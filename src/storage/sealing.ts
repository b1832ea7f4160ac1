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
import type { CursorSigner } from '../domain/page.ts';
import { linkNew, openDataDirectory } from '../lib/data-directory.ts';
import { toReason } from '../lib/output.ts';

/** The default start makes its own keys; in production they are the operator's, and their absence stops the start. */
export function openKeyRing(source: KeyRingSource): OpenedKeyRing {
  const given = readGivenRing(source);
  if (given) return { ring: given, notes: [] };
  const { ring, created, path } = loadOrCreateKeyRing(source.dataDirectory);
  return { ring, notes: created ? [`Keys       made in ${path}: who loses them loses the credentials`] : [] };
}

/** The same, but nothing is made: undefined where the first start is still to come. */
export function findKeyRing(source: KeyRingSource): KeyRing | undefined {
  return readGivenRing(source) ?? readRing(join(source.dataDirectory, KEY_FILE));
}

function readGivenRing({ keys, production }: KeyRingSource): KeyRing | undefined {
  if (keys !== undefined) return parseKeyRing(keys);
  if (production) throw new Error('CROSSBOOK_KEYS must be set in production: see .env.example.');
  return undefined;
}

/** The key ring of the default start: made once in the directory, readable by its owner alone, and used ever after. */
export function loadOrCreateKeyRing(directory: string) {
  const path = join(directory, KEY_FILE);
  const kept = readRing(path);
  if (kept) return { ring: kept, created: false, path };
  openDataDirectory(directory);
  const created = createRing(path);
  const ring = readRing(path);
  if (!ring) throw new Error(`The key file ${path} cannot be read back`);
  return { ring, created, path };
}

const KEY_FILE = 'keys';

/** Undefined where none was made yet. */
function readRing(path: string): KeyRing | undefined {
  try {
    const text = readFileSync(path, 'utf8').trim();
    // A copy or a restored backup may have been left readable to others.
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
    return parseKeyRing(text);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error(`The key file ${path} cannot be used: ${toReason(error)}`);
  }
}

function createRing(path: string): boolean {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const id = `local-${randomBytes(4).toString('hex')}`;
  return linkNew(path, `${id}:${randomBytes(KEY_BYTES).toString('base64')}\n`, draft);
}

/** Reads `id:base64,id2:base64`. Messages name an entry by its place and id, never by its secret. */
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
  /** `id:base64,…`; the first seals, all open. */
  readonly keys: string | undefined;
  readonly production: boolean;
  readonly dataDirectory: string;
}

interface OpenedKeyRing {
  readonly ring: KeyRing;
  /** For the person who starts it. */
  readonly notes: readonly string[];
}

/** The first key seals, all of them open: that is how keys are changed without losing anything. */
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
 * AES-256-GCM under a key that is derived for this purpose alone, so that a sealed cache entry can never pass for
 * sealed credentials. Sealed text is `<key id>.<base64url of nonce, ciphertext, tag>`.
 */
export function createSealer(ring: KeyRing, purpose: string): Sealer {
  const { current, find } = deriveKeys(ring, purpose);
  return {
    seal(plaintext, binding) {
      const nonce = nextNonce();
      const cipher = createCipheriv('aes-256-gcm', current.secret, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(binding, 'utf8'));
      const body =
        typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext);
      const box = Buffer.concat([nonce, body, cipher.final(), cipher.getAuthTag()]);
      return `${current.id}.${box.toString('base64url')}`;
    },
    open(sealed, binding) {
      const subkey = find(keyIdOf(sealed));
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
 * `version.key id.payload.mac`: HMAC-SHA-256 over the first three parts, as they are spelled, and the binding. The same
 * payload is signed alike each time. The binding enters as its hash, because a list of a thousand emails can be one, and
 * a page has a thousand cursors.
 */
export function createCursorSigner({ current, find }: ReturnType<typeof createSigningKeys>): CursorSigner {
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

/** Authenticated encryption for what is stored: secrets and cached answers. */
export interface Sealer {
  /** The binding is not stored: what is sealed for one place opens only there. */
  seal(plaintext: string | Uint8Array, binding: string): string;
  /** Undefined when it was altered, is bound elsewhere, or its key is unknown. */
  open(sealed: string, binding: string): string | undefined;
}
