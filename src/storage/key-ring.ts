import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
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
    ? [
        `Keys       made in ${path}: keep them, because stored credentials cannot be decrypted without them`,
      ]
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

/** Undefined if none was generated yet. */
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

/** Readable by its owner alone. False if another process has just created it. */
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

/** Keys of one purpose: the first key of the ring is in use, all are found by their ids. */
export function deriveKeys({ current, keys }: KeyRing, purpose: string) {
  const subkeys = new Map([...keys.values()].map((key) => [key.id, deriveKey(key, purpose)]));
  return {
    current: { id: current.id, secret: deriveKey(current, purpose) },
    find: (id: string) => subkeys.get(id),
  };
}

/** A KeyObject, because Node 24 would convert bytes at each use, which takes ten microseconds. */
export function deriveKey(key: Key, purpose: string): KeyObject {
  return createSecretKey(
    Buffer.from(hkdfSync('sha256', key.secret, '', `crossbook/${purpose}`, 32)),
  );
}
