import { and, eq, sql } from 'drizzle-orm';
import type { Application } from '../domain/caller.ts';
import { isStorable } from '../lib/is-storable.ts';
import { matchesSecret, type PresentedKey } from './api-keys.ts';
import type { Engine } from './engine/engine.ts';
import { apiKeys, applications, customers } from './schema.ts';

/** Who each key belongs to, in one statement. Undefined for every key that is not valid, whatever the reason. */
export function createFindCallers(engine: Engine): FindCallersByKey {
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

  return async (keys) => {
    const publicIds = keys.map(({ publicId }) => publicId).join(',');
    const rows = await engine.repeatable(() => select.execute({ publicIds }));
    const byId = new Map(rows.map((row) => [row.publicId, row]));
    return keys.map(({ publicId, secret }) => {
      const row = byId.get(publicId);
      if (!matchesSecret(secret, row?.secretHash) || !row) return undefined;
      if (row.isRevoked) return undefined;
      return { application: row.application, keyId: publicId };
    });
  };
}

/** Whom a token was signed for, as that customer stands now. Both ids come from a signature that has been verified. */
export function createFindTokenSubject(engine: Engine): FindTokenSubject {
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

  return async ({ applicationId, customerId }) => {
    if (!isStorable(customerId)) return undefined;
    const [row] = await engine.repeatable(() => select.execute({ applicationId, customerId }));
    return row;
  };
}

export type FindTokenSubject = (of: {
  readonly applicationId: string;
  readonly customerId: string;
}) => Promise<
  { readonly application: Application; readonly generation: number; readonly since: Date } | undefined
>;

/** In the order of the keys. */
export type FindCallersByKey = (keys: readonly PresentedKey[]) => Promise<readonly (KeyOwner | undefined)[]>;

export interface KeyOwner {
  readonly application: Application;
  /** The key's public id. */
  readonly keyId: string;
}
