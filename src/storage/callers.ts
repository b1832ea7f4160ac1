import { eq, sql } from 'drizzle-orm';
import type { Application } from '../domain/caller.ts';
import { matchesSecret, parseApiKey } from './api-keys.ts';
import type { Engine } from './engine/engine.ts';
import { apiKeys, applications } from './schema.ts';

/** Who a key belongs to. Undefined for every key that is not good, whatever the reason. */
export function createFindCaller(engine: Engine): FindCallerByKey {
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
    if (!matchesSecret(secret, row?.secretHash) || !row || row.revokedAt) return undefined;
    return { application: row.application, keyId: publicId };
  };
}

export type FindCallerByKey = (
  key: string,
) => Promise<{ readonly application: Application; readonly keyId: string } | undefined>;
