import { createHash, createHmac, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import type { KeyRing } from './sealing/key-ring.ts';
import { createSigningKeys } from './sealing/signing-keys.ts';

/**
 * `cbk_<ring key id>.<public id>_<secret>_<mac>`: the public id finds the row, the 256-bit secret proves the right to it,
 * and the MAC says without the database that the key was made here. Keys made before there was a MAC
 * (`cbk_<public id>_<secret>`) stay valid; so do those whose ring key is gone: only the row decides.
 */
export function createApiKeys(ring: KeyRing): ApiKeys {
  const { current, find } = createSigningKeys(ring, 'api key');
  return {
    create() {
      const publicId = randomBytes(8).toString('hex');
      const secret = randomBytes(32).toString('base64url');
      const mac = toMac(current.secret, publicId, secret);
      return { publicId, secret, text: `cbk_${current.id}.${publicId}_${secret}_${mac}` };
    },
    parse(text) {
      const [, ringKeyId, publicId, secret, mac] = FORM.exec(text) ?? [];
      if (publicId === undefined || secret === undefined) return undefined;
      if (ringKeyId === undefined && mac === undefined) return { publicId, secret, isGenuine: false };
      if (ringKeyId === undefined || mac === undefined) return undefined;
      const signer = find(ringKeyId);
      if (!signer) return { publicId, secret, isGenuine: false };
      return isEqual(mac, toMac(signer, publicId, secret))
        ? { publicId, secret, isGenuine: true }
        : undefined;
    },
  };
}

/** A plain hash is enough: nobody tries out 2^256 secrets, and it stays valid when the key ring is changed. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('base64url');
}

/** In constant time. Takes as long where there is no such key. */
export function matchesSecret(secret: string, storedHash: string | undefined): boolean {
  const given = hashSecret(secret);
  return isEqual(given, storedHash ?? given) && storedHash !== undefined;
}

function toMac(signer: KeyObject, publicId: string, secret: string): string {
  const mac = createHmac('sha256', signer).update(`${publicId}_${secret}`, 'utf8').digest();
  return mac.subarray(0, MAC_BYTES).toString('base64url');
}

/** Of the texts, not of the bytes they stand for: base64url has several spellings of one value. */
function isEqual(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left, 'utf8'), Buffer.from(right, 'utf8')];
  return one.length === other.length && timingSafeEqual(one, other);
}

const MAC_BYTES = 16;
const FORM = /^cbk_(?:([\w-]{1,32})\.)?([0-9A-Za-z]{4,32})_([\w-]{43})(?:_([\w-]{22}))?$/;

export interface ApiKeys {
  create(): ApiKey;
  /** Undefined where a text cannot be a key of this installation: no database needs to be asked. */
  parse(text: string): PresentedKey | undefined;
}

export interface ApiKey {
  readonly publicId: string;
  readonly secret: string;
  readonly text: string;
}

export interface PresentedKey {
  readonly publicId: string;
  readonly secret: string;
  /** Its MAC is right: it was made here. Whether it still counts, the row says. */
  readonly isGenuine: boolean;
}
