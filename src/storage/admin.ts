import { asc, eq, sql } from 'drizzle-orm';
import { type Application, DEMO_APPLICATION } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import { uuidV5 } from '../lib/digest.ts';
import { type ApiKeys, hashSecret } from './api-keys.ts';
import type { Engine } from './engine/open.ts';
import { apiKeys, applications } from './schema.ts';

/** Operations of the operator, over all applications. Callers' requests never reach this. */
export function createAdmin(engine: Engine, keys: ApiKeys) {
  const { orm } = engine;
  return {
    /** Rejects with CONFLICT where the name is taken. */
    createApplication: async (name: string): Promise<Application> => {
      const application = { id: uuidV5(APPLICATIONS, name), name };
      const made = await engine.query(CREATE_APPLICATION, [application.id, name]);
      if (made.length > 0) return application;
      const detail = `There is an application called ${JSON.stringify(name)} already.`;
      throw new CrossbookError('CONFLICT', detail);
    },
    /** Creates a fixed application, such as the demo's. Idempotent. */
    ensureApplication: ({ id, name }: Application) =>
      engine.repeatable(() => orm.insert(applications).values({ id, name }).onConflictDoNothing()),
    listApplications: () =>
      engine.repeatable(() =>
        orm.select(APPLICATION).from(applications).orderBy(asc(applications.createdAt)),
      ),
    /** Replaces the web origins (CORS) of the application. */
    setOrigins: async (applicationId: string, origins: readonly string[]) => {
      await requireApplication(engine, applicationId);
      const isApplication = eq(applications.id, applicationId);
      await engine.repeatable(() => orm.update(applications).set({ origins }).where(isApplication));
    },
    findOrigins: async (applicationId: string): Promise<readonly string[]> => {
      const isApplication = eq(applications.id, applicationId);
      const [row] = await engine.repeatable(() =>
        orm.select(ORIGINS).from(applications).where(isApplication),
      );
      return row?.origins ?? [];
    },
    /** The origins of all applications that have some. */
    listOrigins: () =>
      engine.repeatable(() =>
        orm.select(ORIGINS).from(applications).where(sql`${applications.origins} <> '{}'`),
      ),
    /**
     * Returns the key, which cannot be read again: only a hash of its secret is stored. Rejects with CONFLICT where
     * an active key of the application has the name.
     */
    createKey: async ({ applicationId, name }: { applicationId: string; name: string }) => {
      await requireApplication(engine, applicationId);
      const { publicId, secret, text } = keys.create();
      const row = { publicId, applicationId, name, secretHash: hashSecret(secret) };
      const { rowCount } = await engine.once(() => orm.insert(apiKeys).values(row).onConflictDoNothing());
      if (rowCount === 0) {
        const detail = `The application has an active key called ${JSON.stringify(name)}: rotate that one, or give this one another name.`;
        throw new CrossbookError('CONFLICT', detail);
      }
      return { publicId, key: text };
    },
    listKeys: (applicationId: string) =>
      engine.repeatable(() =>
        orm
          .select(KEY)
          .from(apiKeys)
          .where(eq(apiKeys.applicationId, applicationId))
          .orderBy(asc(apiKeys.createdAt)),
      ),
    /** False where the key is unknown or revoked already. */
    revokeKey: async (publicId: string) => {
      const revoked = await engine.query(REVOKE_KEY, [publicId]);
      return revoked.length > 0;
    },
    /**
     * Creates a new key of the same name; the old one stays valid for `overlapMs`. Undefined where the old one is not
     * active: revoked, or rotated.
     */
    rotateKey: async (publicId: string, overlapMs: number) => {
      const fresh = keys.create();
      const values = [publicId, fresh.publicId, hashSecret(fresh.secret), overlapMs];
      const [old] = await engine.query<{ endsAt: Date }>(ROTATE_KEY, values);
      return old && { publicId: fresh.publicId, key: fresh.text, oldEndsAt: old.endsAt };
    },
  };
}

async function requireApplication({ orm, repeatable }: Engine, id: string): Promise<void> {
  const found = await repeatable(() =>
    orm.select(APPLICATION).from(applications).where(sql`${applications.id}::text = ${id}`),
  );
  if (found.length === 0) throw new CrossbookError('NOT_FOUND', `There is no application ${id}.`);
}

/** Ids derive from names, so that of two concurrent creations with one name the primary key admits one. */
const APPLICATIONS = '5b1c0d86-7d0c-4a41-9c62-0f6a4f0f7a35';
const APPLICATION = { id: applications.id, name: applications.name };
const ORIGINS = { applicationId: applications.id, origins: applications.origins };

const KEY = {
  publicId: apiKeys.publicId,
  name: apiKeys.name,
  createdAt: apiKeys.createdAt,
  /** May be in the future: the key is valid until then. */
  revokedAt: apiKeys.revokedAt,
};

/** Inserts unless the name is taken, also by an older application whose id is not derived from it. */
const CREATE_APPLICATION = {
  name: 'create_application',
  isOnce: true,
  text: `
insert into crossbook.applications (id, name)
select $1::uuid, $2::text where not exists (select from crossbook.applications where name = $2::text)
on conflict do nothing
returning id`,
};

/** Keys expire by the database's clock, because clocks of processes may differ. */
const REVOKE_KEY = {
  name: 'revoke_key',
  isOnce: true,
  text: `
update crossbook.api_keys set revoked_at = now()
where public_id = $1::text and (revoked_at is null or revoked_at > now())
returning public_id`,
};

/** Inserts a key with a new secret in place of an active one, which expires in $4 ms. */
const ROTATE_KEY = {
  name: 'rotate_key',
  isOnce: true,
  text: `
with old as (
  update crossbook.api_keys set revoked_at = now() + $4::float8 * interval '1 millisecond'
  where public_id = $1::text and revoked_at is null
  returning application_id, name, revoked_at
)
insert into crossbook.api_keys (public_id, application_id, name, secret_hash)
select $2::text, application_id, name, $3::text from old
returning (select revoked_at from old) as "endsAt"`,
};

/**
 * Tracks the use of the demo's data: processes with the sandbox hold a shared lock, and one without it deletes the
 * data when no process holds it.
 */
export function createDemoCleanup(engine: Engine) {
  return {
    /** Held until the database is closed or the process ends. */
    use: () => engine.holdSharedLock(DEMO_LOCK),
    /** Deletes the demo application and its data. False where there is none, or a process uses it. */
    async remove() {
      // The usual start finds nothing and needs no lock.
      if (!(await isThere())) return false;
      return engine.withAdvisoryLock(async (run) => {
        const lock = 'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as free';
        const [row] = await run(lock, [DEMO_LOCK]);
        if (!(row as { free: boolean }).free) return false;
        const removed = await run('delete from crossbook.applications where id = $1::uuid returning id', [
          DEMO_APPLICATION.id,
        ]);
        return removed.length > 0;
      });
    },
    isThere,
  };

  async function isThere(): Promise<boolean> {
    return (await engine.query(FIND_DEMO, [DEMO_APPLICATION.id])).length > 0;
  }
}

const FIND_DEMO = { name: 'find_demo', text: 'select id from crossbook.applications where id = $1::uuid' };
const DEMO_LOCK = 'crossbook:demo data';
