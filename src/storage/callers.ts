import { and, eq, sql } from 'drizzle-orm';
import type { Application } from '../domain/caller.ts';
import { isStorable } from '../lib/is-storable.ts';
import { matchesSecret, parseApiKey } from './api-keys.ts';
import type { Engine } from './engine/engine.ts';
import { apiKeys, applications, customers } from './schema.ts';

/** Who a key belongs to. Undefined for every key that is not good, whatever the reason. */
export function createFindCaller(engine: Engine, clock: () => Date): FindCallerByKey {
  const select = engine.orm
    .select({
      application: { id: applications.id, name: applications.name },
      secretHash: apiKeys.secretHash,
      revokedAt: apiKeys.revokedAt,
    })
    .from(apiKeys)
    .innerJoin(applications, eq(applications.id, apiKeys.applicationId))
    .where(eq(apiKeys.publicId, sql.placeholder('publicId')))
    .prepare('find_caller');

  return async (key) => {
    const parsed = parseApiKey(key);
    if (!parsed) return undefined;
    const { publicId, secret } = parsed;
    const [row] = await engine.repeatable(() => select.execute({ publicId }));
    if (!matchesSecret(secret, row?.secretHash) || !row) return undefined;
    if (row.revokedAt && row.revokedAt <= clock()) return undefined;
    return { application: row.application, keyId: publicId };
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

export type FindCallerByKey = (
  key: string,
) => Promise<{ readonly application: Application; readonly keyId: string } | undefined>;
