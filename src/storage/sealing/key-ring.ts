import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { linkNew, openDataDirectory } from '../../lib/data-directory.ts';
import { toReason } from '../../lib/to-reason.ts';

/** The default start makes its own keys; in production they are the operator's, and their absence stops the start. */
export function openKeyRing({ keys, production, dataDirectory }: KeyRingSource): OpenedKeyRing {
  if (keys !== undefined) return { ring: parseKeyRing(keys), notes: [] };
  if (production) throw new Error('CROSSBOOK_KEYS must be set in production: see .env.example.');
  const { ring, created, path } = loadOrCreateKeyRing(dataDirectory);
  return { ring, notes: created ? [`Keys       made in ${path}: who loses them loses the credentials`] : [] };
}

/** The same, but nothing is made: undefined where the first start is still to come. */
export function findKeyRing({ keys, production, dataDirectory }: KeyRingSource): KeyRing | undefined {
  const isGiven = keys !== undefined || production;
  return isGiven ? openKeyRing({ keys, production, dataDirectory }).ring : loadKeyRing(dataDirectory);
}

/** The key ring of the default start: made once in the directory, readable by its owner alone, and used ever after. */
export function loadOrCreateKeyRing(directory: string): KeyFile {
  const path = pathIn(directory);
  const kept = readRing(path);
  if (kept) return { ring: kept, created: false, path };
  openDataDirectory(directory);
  const created = createRing(path);
  const ring = readRing(path);
  if (!ring) throw new Error(`The key file ${path} cannot be read back`);
  return { ring, created, path };
}

/** Undefined where none was made yet. */
function loadKeyRing(directory: string): KeyRing | undefined {
  return readRing(pathIn(directory));
}

function pathIn(directory: string): string {
  return join(directory, 'keys');
}

function readRing(path: string): KeyRing | undefined {
  try {
    const text = readFileSync(path, 'utf8').trim();
    // A copy or a restored backup may have been left readable to others.
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
    return parseKeyRing(text);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new Error(`The key file ${path} cannot be used: ${toReason(error)}`);
  }
}

function createRing(path: string): boolean {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const id = `local-${randomBytes(4).toString('hex')}`;
  return linkNew(path, `${id}:${randomBytes(KEY_BYTES).toString('base64')}\n`, draft);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
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

interface KeyFile {
  readonly ring: KeyRing;
  /** True the first time: the start says so, because whoever loses the file loses the stored credentials. */
  readonly created: boolean;
  readonly path: string;
}

/** The first key seals, all of them open: that is how keys are changed without losing anything. */
export interface KeyRing {
  readonly current: Key;
  readonly keys: ReadonlyMap<string, Key>;
}

export interface Key {
  readonly id: string;
  /** A KeyObject, because it never prints its bytes. */
  readonly secret: KeyObject;
}
