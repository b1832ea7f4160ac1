import { createHmac, type KeyObject, randomBytes } from 'node:crypto';
import type { Application, PresentedKey, TokenSubject } from '../domain/caller.ts';
import { digest, isSame } from '../lib/digest.ts';
import { isStorable } from '../lib/text.ts';
import type { CustomerKey } from './customer-rows.ts';
import type { Engine } from './engine/postgres.ts';
import type { KeyRing } from './key-ring.ts';
import { createSigningKeys } from './signing.ts';

/** Finds the callers of many keys in one statement, in order. Undefined for every invalid key, whatever the reason. */
export function createFindCallers(engine: Engine) {
  return async (keys: readonly PresentedKey[]) => {
    const rows = await engine.query<KeyRow>(FIND_KEYS, [keys.map(({ publicId }) => publicId)]);
    const byId = new Map(rows.map((row) => [row.publicId, row]));
    return keys.map(({ publicId, secret }) => {
      const row = byId.get(publicId);
      if (!matchesSecret(secret, row?.secretHash) || !row || row.isRevoked) return undefined;
      return { application: row.application, keyId: publicId };
    });
  };
}

/** The current state of the customer that a token was signed for. Both ids come from a verified signature. */
export function createFindTokenSubject(engine: Engine) {
  return async ({ applicationId, customerId }: CustomerKey) => {
    if (!isStorable(customerId)) return undefined;
    const [row] = await engine.query<TokenSubject>(FIND_TOKEN_SUBJECT, [applicationId, customerId]);
    return row;
  };
}

const APPLICATION = `json_build_object('id', application.id, 'name', application.name) as application`;

/** Uses the database's clock, on which all processes and commands agree. */
const FIND_KEYS = {
  name: 'find_callers',
  text: `
select public_id as "publicId", ${APPLICATION}, secret_hash as "secretHash",
  coalesce(revoked_at <= now(), false) as "isRevoked"
from crossbook.api_keys as key join crossbook.applications as application on application.id = key.application_id
where public_id = any ($1::text[]) and application.deleted_at is null`,
};

const FIND_TOKEN_SUBJECT = {
  name: 'find_token_subject',
  text: `
select ${APPLICATION}, customer.token_generation as generation, customer.created_at as since
from crossbook.customers as customer
join crossbook.applications as application on application.id = customer.application_id
where customer.application_id = $1::uuid and customer.customer_id = $2::text and application.deleted_at is null`,
};

/**
 * API keys: `cbk_<ring key id>.<public id>_<secret>_<mac>`. The public id finds the row, the 256-bit secret
 * authenticates, and the MAC proves without the database that the key was issued here. Older keys without a MAC
 * (`cbk_<public id>_<secret>`) stay valid, as do those whose ring key is gone: the database row
 * determines whether a key is valid.
 */
export function createApiKeys(ring: KeyRing) {
  const { current, find } = createSigningKeys(ring, 'api key');
  return {
    create() {
      const publicId = randomBytes(8).toString('hex');
      const secret = randomBytes(32).toString('base64url');
      const mac = toMac(current.secret, publicId, secret);
      return { publicId, secret, text: `cbk_${current.id}.${publicId}_${secret}_${mac}` };
    },
    /** Undefined if a string cannot be a key of this installation; the database is not queried. */
    parse(text: string): PresentedKey | undefined {
      const [, ringKeyId, publicId, secret, mac] = FORM.exec(text) ?? [];
      if (publicId === undefined || secret === undefined) return undefined;
      if ((ringKeyId === undefined) !== (mac === undefined)) return undefined;
      const signer = ringKeyId && find(ringKeyId);
      if (!signer || mac === undefined) return { publicId, secret, isGenuine: false };
      return isSame(mac, toMac(signer, publicId, secret))
        ? { publicId, secret, isGenuine: true }
        : undefined;
    },
  };
}

/** Compares in constant time, also if there is no such key. */
export function matchesSecret(secret: string, storedHash: string | undefined): boolean {
  const secretHash = hashSecret(secret);
  return isSame(secretHash, storedHash ?? secretHash) && storedHash !== undefined;
}

/** A plain hash suffices for secrets of 256 bits, and survives a change of the key ring. */
export const hashSecret = digest;

function toMac(signer: KeyObject, publicId: string, secret: string): string {
  const mac = createHmac('sha256', signer).update(`${publicId}_${secret}`, 'utf8').digest();
  return mac.subarray(0, MAC_BYTES).toString('base64url');
}

const MAC_BYTES = 16;
const FORM = /^cbk_(?:([\w-]{1,32})\.)?([0-9A-Za-z]{4,32})_([\w-]{43})(?:_([\w-]{22}))?$/;

export type ApiKeys = ReturnType<typeof createApiKeys>;

interface KeyRow {
  readonly publicId: string;
  readonly application: Application;
  readonly secretHash: string;
  readonly isRevoked: boolean;
}
