import { randomUUID } from 'node:crypto';
import { and, asc, eq, isNull } from 'drizzle-orm';
import type { Application } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import { createApiKey, hashSecret, parseApiKey } from './api-keys.ts';
import type { Engine } from './engine/engine.ts';
import { apiKeys, applications } from './schema.ts';

/** What the operator may do, over all applications. No request of a caller ever comes here. */
export function createAdmin({ engine, clock }: Deps): Admin {
  const { orm } = engine;
  const insertKey = (row: typeof apiKeys.$inferInsert) =>
    engine.repeatable(() => orm.insert(apiKeys).values(row).onConflictDoNothing());
  const admin: Admin = {
    createApplication: (name) => admin.ensureApplication({ id: randomUUID(), name }),
    ensureApplication: async (application) => {
      const row = { id: application.id, name: application.name, createdAt: clock() };
      await engine.repeatable(() => orm.insert(applications).values(row).onConflictDoNothing());
      return application;
    },
    listApplications: () =>
      engine.repeatable(() =>
        orm.select(APPLICATION).from(applications).orderBy(asc(applications.createdAt)),
      ),
    createKey: async ({ applicationId, name }) => {
      await requireApplication(engine, applicationId);
      const { publicId, secret, text } = createApiKey();
      await insertKey({ publicId, applicationId, name, secretHash: hashSecret(secret), createdAt: clock() });
      return { publicId, key: text };
    },
    ensureKey: async ({ applicationId, name, key }) => {
      const parsed = parseApiKey(key);
      if (!parsed) throw new Error('An API key has the form cbk_<public id>_<43 characters of secret>');
      const secretHash = hashSecret(parsed.secret);
      await insertKey({ publicId: parsed.publicId, applicationId, name, secretHash, createdAt: clock() });
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
      const still = and(eq(apiKeys.publicId, publicId), isNull(apiKeys.revokedAt));
      const revoked = await engine.once(() =>
        orm.update(apiKeys).set({ revokedAt: clock() }).where(still).returning({ id: apiKeys.publicId }),
      );
      return revoked.length > 0;
    },
  };
  return admin;
}

async function requireApplication({ orm, repeatable }: Engine, id: string): Promise<void> {
  const found = await repeatable(() =>
    orm.select(APPLICATION).from(applications).where(eq(applications.id, id)),
  );
  if (found.length === 0) throw new CrossbookError('NOT_FOUND', `There is no application ${id}.`);
}

const APPLICATION = { id: applications.id, name: applications.name };
const KEY = {
  publicId: apiKeys.publicId,
  name: apiKeys.name,
  createdAt: apiKeys.createdAt,
  revokedAt: apiKeys.revokedAt,
};

export interface Admin {
  createApplication(name: string): Promise<Application>;
  /** For a fixed application, such as the demo's: nothing happens when it is there already. */
  ensureApplication(application: Application): Promise<Application>;
  listApplications(): Promise<readonly Application[]>;
  /** The key is shown this once: only a hash of its secret is stored. */
  createKey(of: { applicationId: string; name: string }): Promise<{ publicId: string; key: string }>;
  /** For a fixed key. One that was revoked stays revoked. */
  ensureKey(of: { applicationId: string; name: string; key: string }): Promise<void>;
  listKeys(applicationId: string): Promise<readonly KeyRecord[]>;
  /** False when there was nothing to revoke. */
  revokeKey(publicId: string): Promise<boolean>;
}

export interface KeyRecord {
  readonly publicId: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

interface Deps {
  readonly engine: Engine;
  readonly clock: () => Date;
}
