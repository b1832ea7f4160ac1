import { type Application, DEMO_APPLICATION } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import { uuidV5 } from '../lib/digest.ts';
import { type ApiKeys, hashSecret } from './api-keys.ts';
import { inTransaction } from './engine/client.ts';
import type { Engine } from './engine/open.ts';
import type { apiKeys } from './schema.ts';

/** Operations of the operator, over all applications. Callers' requests never reach this. */
export function createAdmin(engine: Engine, keys: ApiKeys) {
  return {
    /** Rejects with CONFLICT where the name is taken. */
    createApplication: async (name: string): Promise<Application> => {
      const application = { id: uuidV5(APPLICATIONS, name), name };
      const made = await engine.query(CREATE_APPLICATION, [application.id, name]);
      if (made.length > 0) return application;
      throw new CrossbookError(
        'CONFLICT',
        `There is an application called ${JSON.stringify(name)} already.`,
      );
    },
    /** Creates a fixed application, such as the demo's. Idempotent. */
    ensureApplication: ({ id, name }: Application) => engine.query(ENSURE_APPLICATION, [id, name]),
    listApplications: () => engine.query<Application>(LIST_APPLICATIONS, []),
    /** Replaces the web origins (CORS) of the application. */
    setOrigins: async (applicationId: string, origins: readonly string[]) => {
      await requireApplication(engine, applicationId);
      await engine.query(SET_ORIGINS, [applicationId, origins]);
    },
    findOrigins: async (applicationId: string): Promise<readonly string[]> => {
      const [row] = await engine.query<OriginsRow>(FIND_ORIGINS, [applicationId]);
      return row?.origins ?? [];
    },
    /** The origins of all applications that have some. */
    listOrigins: () => engine.query<OriginsRow>(LIST_ORIGINS, []),
    /**
     * Returns the key, which cannot be read again: only a hash of its secret is stored. Rejects with CONFLICT where
     * an active key of the application has the name.
     */
    createKey: async ({ applicationId, name }: { applicationId: string; name: string }) => {
      await requireApplication(engine, applicationId);
      const { publicId, secret, text } = keys.create();
      const made = await engine.query(CREATE_KEY, [
        publicId,
        applicationId,
        name,
        hashSecret(secret),
      ]);
      if (made.length === 0) {
        throw new CrossbookError(
          'CONFLICT',
          `The application has an active key called ${JSON.stringify(name)}: rotate that one, or give this one another name.`,
        );
      }
      return { publicId, key: text };
    },
    listKeys: (applicationId: string) => engine.query<KeyRow>(LIST_KEYS, [applicationId]),
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

async function requireApplication(engine: Engine, id: string): Promise<void> {
  const found = await engine.query(FIND_APPLICATION, [id]);
  if (found.length === 0) throw new CrossbookError('NOT_FOUND', `There is no application ${id}.`);
}

/** Ids derive from names, so that of two concurrent creations with one name the primary key admits one. */
const APPLICATIONS = '5b1c0d86-7d0c-4a41-9c62-0f6a4f0f7a35';

const FIND_APPLICATION = {
  name: 'find_application',
  text: 'select id from crossbook.applications where id::text = $1::text',
};

const LIST_APPLICATIONS = {
  name: 'list_applications',
  text: 'select id, name from crossbook.applications order by created_at',
};

const ENSURE_APPLICATION = {
  name: 'ensure_application',
  text: 'insert into crossbook.applications (id, name) values ($1::uuid, $2::text) on conflict do nothing',
};

const SET_ORIGINS = {
  name: 'set_origins',
  text: 'update crossbook.applications set origins = $2::text[] where id = $1::uuid',
};

const FIND_ORIGINS = {
  name: 'find_origins',
  text: 'select id as "applicationId", origins from crossbook.applications where id = $1::uuid',
};

const LIST_ORIGINS = {
  name: 'list_origins',
  text: `select id as "applicationId", origins from crossbook.applications where origins <> '{}'`,
};

const CREATE_KEY = {
  name: 'create_key',
  isOnce: true,
  text: `
insert into crossbook.api_keys (public_id, application_id, name, secret_hash)
values ($1::text, $2::uuid, $3::text, $4::text) on conflict do nothing
returning public_id`,
};

const LIST_KEYS = {
  name: 'list_keys',
  text: `
select public_id as "publicId", name, created_at as "createdAt", revoked_at as "revokedAt"
from crossbook.api_keys where application_id = $1::uuid order by created_at`,
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
      return engine.session((run) =>
        inTransaction(run, async () => {
          const lock = 'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as free';
          const [row] = await run(lock, [DEMO_LOCK]);
          if (!row?.['free']) return false;
          const removed = await run(
            'delete from crossbook.applications where id = $1::uuid returning id',
            [DEMO_APPLICATION.id],
          );
          return removed.length > 0;
        }),
      );
    },
    isThere,
  };

  async function isThere(): Promise<boolean> {
    return (await engine.query(FIND_DEMO, [DEMO_APPLICATION.id])).length > 0;
  }
}

const FIND_DEMO = {
  name: 'find_demo',
  text: 'select id from crossbook.applications where id = $1::uuid',
};
const DEMO_LOCK = 'crossbook:demo data';

interface OriginsRow {
  readonly applicationId: string;
  readonly origins: readonly string[];
}

type KeyRow = Pick<typeof apiKeys.$inferSelect, 'publicId' | 'name' | 'createdAt' | 'revokedAt'>;
