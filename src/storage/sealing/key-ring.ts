import { createSecretKey, type KeyObject } from 'node:crypto';

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

export const KEY_BYTES = 32;

const KEY_ID = /^[A-Za-z0-9_-]{1,32}$/;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
