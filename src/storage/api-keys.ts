import { createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import { digest } from '../lib/digest.ts';
import { isStorable } from '../lib/text.ts';
import type { Engine } from './engine/open.ts';
import { apiKeys, applications, customers } from './schema.ts';
import { createSigningKeys, isSame, type KeyRing } from './sealing.ts';

/** The owners of keys, in their order, in one statement. Undefined for every key that is not valid, whatever the reason. */
export function createFindCallers(engine: Engine) {
  const select = engine.orm
    .select({
      publicId: apiKeys.publicId,
      application: { id: applications.id, name: applications.name },
      secretHash: apiKeys.secretHash,
      // By the clock of the database: every process and every command agrees on it.
      isRevoked: sql<boolean>`coalesce(${apiKeys.revokedAt} <= now(), false)`,
    })
    .from(apiKeys)
    .innerJoin(applications, eq(applications.id, apiKeys.applicationId))
    // No public id holds a comma.
    .where(sql`${apiKeys.publicId} = any(string_to_array(${sql.placeholder('publicIds')}, ','))`)
    .prepare('find_callers');

  return async (keys: readonly PresentedKey[]) => {
    const publicIds = keys.map(({ publicId }) => publicId).join(',');
    const rows = await engine.repeatable(() => select.execute({ publicIds }));
    const byId = new Map(rows.map((row) => [row.publicId, row]));
    return keys.map(({ publicId, secret }) => {
      const row = byId.get(publicId);
      if (!matchesSecret(secret, row?.secretHash) || !row || row.isRevoked) return undefined;
      return { application: row.application, keyId: publicId };
    });
  };
}

/** Whom a token was signed for, as that customer stands now. Both ids come from a signature that has been verified. */
export function createFindTokenSubject(engine: Engine) {
  const select = engine.orm
    .select({
      application: { id: applications.id, name: applications.name },
      generation: customers.tokenGeneration,
      since: customers.createdAt,
    })
    .from(customers)
    .innerJoin(applications, eq(applications.id, customers.applicationId))
    .where(
      and(
        eq(customers.applicationId, sql.placeholder('applicationId')),
        eq(customers.customerId, sql.placeholder('customerId')),
      ),
    )
    .prepare('find_token_subject');

  return async ({ applicationId, customerId }: TokenSubjectKey) => {
    if (!isStorable(customerId)) return undefined;
    const [row] = await engine.repeatable(() => select.execute({ applicationId, customerId }));
    return row;
  };
}

/**
 * `cbk_<ring key id>.<public id>_<secret>_<mac>`: the public id finds the row, the 256-bit secret proves the right to it,
 * and the MAC says without the database that the key was made here. Keys made before there was a MAC
 * (`cbk_<public id>_<secret>`) stay valid; so do those whose ring key is gone: only the row decides.
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
    /** Undefined where a text cannot be a key of this installation: no database needs to be asked. */
    parse(text: string): PresentedKey | undefined {
      const [, ringKeyId, publicId, secret, mac] = FORM.exec(text) ?? [];
      if (publicId === undefined || secret === undefined) return undefined;
      if ((ringKeyId === undefined) !== (mac === undefined)) return undefined;
      const signer = ringKeyId && find(ringKeyId);
      if (!signer || mac === undefined) return { publicId, secret, isGenuine: false };
      return isSame(mac, toMac(signer, publicId, secret)) ? { publicId, secret, isGenuine: true } : undefined;
    },
  };
}

/** In constant time. Takes as long where there is no such key. */
export function matchesSecret(secret: string, storedHash: string | undefined): boolean {
  const given = hashSecret(secret);
  return isSame(given, storedHash ?? given) && storedHash !== undefined;
}

/** A plain hash is enough: 2^256 secrets cannot be tried out, and it stays valid when the key ring is changed. */
export const hashSecret = digest;

function toMac(signer: KeyObject, publicId: string, secret: string): string {
  const mac = createHmac('sha256', signer).update(`${publicId}_${secret}`, 'utf8').digest();
  return mac.subarray(0, MAC_BYTES).toString('base64url');
}

const MAC_BYTES = 16;
const FORM = /^cbk_(?:([\w-]{1,32})\.)?([0-9A-Za-z]{4,32})_([\w-]{43})(?:_([\w-]{22}))?$/;

export type ApiKeys = ReturnType<typeof createApiKeys>;

interface PresentedKey {
  readonly publicId: string;
  readonly secret: string;
  /** Its MAC is right: it was made here. Whether it still counts, the row says. */
  readonly isGenuine: boolean;
}

interface TokenSubjectKey {
  readonly applicationId: string;
  readonly customerId: string;
}
