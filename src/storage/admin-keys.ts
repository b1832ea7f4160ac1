import { and, asc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import { CrossbookError } from '../domain/errors.ts';
import { ROTATE_KEY } from './admin-statements.ts';
import { type ApiKeys, hashSecret } from './api-keys.ts';
import type { Engine } from './engine/engine.ts';
import { apiKeys } from './schema.ts';

/** The keys of all applications: made, listed, ended. */
export function createKeyAdmin({ engine, keys, requireApplication }: Deps): KeyAdmin {
  const { orm } = engine;
  return {
    createKey: async ({ applicationId, name }) => {
      await requireApplication(applicationId);
      const { publicId, secret, text } = keys.create();
      const row = { publicId, applicationId, name, secretHash: hashSecret(secret) };
      const made = await engine.once(() =>
        orm.insert(apiKeys).values(row).onConflictDoNothing().returning({ id: apiKeys.publicId }),
      );
      if (made.length === 0) throw nameTaken(name);
      return { publicId, key: text };
    },
    listKeys: (applicationId) =>
      engine.repeatable(() =>
        orm
          .select(KEY)
          .from(apiKeys)
          .where(eq(apiKeys.applicationId, applicationId))
          .orderBy(asc(apiKeys.createdAt)),
      ),
    revokeKey: async (publicId) => {
      const counts = or(isNull(apiKeys.revokedAt), gt(apiKeys.revokedAt, NOW));
      const still = and(eq(apiKeys.publicId, publicId), counts);
      const revoked = await engine.once(() =>
        orm.update(apiKeys).set({ revokedAt: NOW }).where(still).returning({ id: apiKeys.publicId }),
      );
      return revoked.length > 0;
    },
    rotateKey: async (publicId, overlapMs) => {
      const fresh = keys.create();
      const values = [publicId, fresh.publicId, hashSecret(fresh.secret), overlapMs];
      const [old] = await engine.once(() => engine.query<{ endsAt: Date }>(ROTATE_KEY, values));
      return old && { publicId: fresh.publicId, key: fresh.text, oldEndsAt: old.endsAt };
    },
  };
}

function nameTaken(name: string): CrossbookError {
  const detail = `The application has an active key called ${JSON.stringify(name)}: rotate that one, or give this one another name.`;
  return new CrossbookError('CONFLICT', detail);
}

/** When a key ends is told by the clock of the database: the processes' own need not agree. */
const NOW = sql`now()`;

const KEY = {
  publicId: apiKeys.publicId,
  name: apiKeys.name,
  createdAt: apiKeys.createdAt,
  revokedAt: apiKeys.revokedAt,
};

export interface KeyAdmin {
  /**
   * The key is shown this once: only a hash of its secret is stored. Rejects with CONFLICT where another key of the
   * application that does not end has the name.
   */
  createKey(of: { applicationId: string; name: string }): Promise<CreatedKey>;
  listKeys(applicationId: string): Promise<readonly KeyRecord[]>;
  /** False when there was nothing to revoke. */
  revokeKey(publicId: string): Promise<boolean>;
  /** A fresh key of the same name; the old one goes on for so long. Undefined where that is not active: revoked, or rotated. */
  rotateKey(
    publicId: string,
    overlapMs: number,
  ): Promise<(CreatedKey & { readonly oldEndsAt: Date }) | undefined>;
}

export interface CreatedKey {
  readonly publicId: string;
  readonly key: string;
}

export interface KeyRecord {
  readonly publicId: string;
  readonly name: string;
  readonly createdAt: Date;
  /** May lie ahead: until then the key counts. */
  readonly revokedAt: Date | null;
}

interface Deps {
  readonly engine: Engine;
  readonly keys: ApiKeys;
  /** Rejects with NOT_FOUND. */
  requireApplication(id: string): Promise<void>;
}
