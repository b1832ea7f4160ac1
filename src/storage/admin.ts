import { randomUUID } from 'node:crypto';
import { and, eq, isNull, sql } from 'drizzle-orm';
import { type Application, DEMO_APPLICATION } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import { quote } from '../lib/text.ts';
import { type ApiKeys, hashSecret } from './api-keys.ts';
import { inTransaction } from './engine/client.ts';
import type { Engine } from './engine/postgres.ts';
import type { Transaction } from './events.ts';
import { type apiKeys, applications } from './schema.ts';
import type { SharedStoreDeps } from './store-deps.ts';

/** Operations of the operator, over all applications. Callers' requests never reach this. */
export function createAdmin(
  { engine, secrets: { keyCheck } }: Pick<SharedStoreDeps, 'engine' | 'secrets'>,
  keys: ApiKeys,
) {
  return {
    /** Rejects with CONFLICT if the name is taken. */
    createApplication: (name: string): Promise<Application> =>
      withName(engine, name, async (tx) => {
        const application = { id: randomUUID(), name };
        await tx.insert(applications).values(application);
        return application;
      }),
    /** Rejects with CONFLICT if the name is taken, also by the application itself. */
    renameApplication: (id: string, name: string): Promise<Application> =>
      withName(engine, name, async (tx) => {
        const { rowCount } = await tx.update(applications).set({ name }).where(isOpen(id));
        if (rowCount === 0) throw noApplication(id);
        return { id, name };
      }),
    /**
     * Marks an application as deleted, and deletes its keys and webhook endpoints: nobody can call for it, and nothing
     * more is delivered. False if it is marked already, or unknown.
     */
    markDeleted: async (id: string) => (await engine.query(MARK_DELETED, [id])).length > 0,
    /** What is stored for an application. */
    countStored: async (id: string, limit: number): Promise<StoredCounts> => {
      const [row] = await engine.query<StoredCounts>(COUNT_STORED, [id, limit]);
      if (!row) throw noApplication(id);
      return row;
    },
    /** Creates a fixed application, such as the demo's. Idempotent. */
    ensureApplication: ({ id, name }: Application) => engine.query(ENSURE_APPLICATION, [id, name]),
    /** Those that are being deleted have the time of the deletion. */
    listApplications: () => engine.query<ListedRow>(LIST_APPLICATIONS, []),
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
     * Returns the key, which cannot be read again: only a hash of its secret is stored. Rejects with CONFLICT if
     * an active key of the application has the name.
     */
    createKey: async ({ applicationId, name }: { applicationId: string; name: string }) => {
      await requireApplication(engine, applicationId);
      const { publicId, secret, text } = keys.create();
      const check = keyCheck.seal(CHECKED, publicId);
      const made = await engine.query(CREATE_KEY, [
        publicId,
        applicationId,
        name,
        hashSecret(secret),
        check.sealed,
        check.keyId,
      ]);
      if (made.length === 0) {
        throw new CrossbookError(
          'CONFLICT',
          `The application has an active key called ${quote(name)}: rotate that one, or give this one another name.`,
        );
      }
      return { publicId, key: text };
    },
    listKeys: (applicationId: string) => engine.query<KeyRow>(LIST_KEYS, [applicationId]),
    /** False if the key is unknown or revoked already. */
    revokeKey: async (publicId: string) => {
      const revoked = await engine.query(REVOKE_KEY, [publicId]);
      return revoked.length > 0;
    },
    /**
     * Creates a new key of the same name; the old one stays valid for `overlapMs`. Undefined if the old one is not
     * active: revoked, or rotated.
     */
    rotateKey: async (publicId: string, overlapMs: number) => {
      const fresh = keys.create();
      const check = keyCheck.seal(CHECKED, fresh.publicId);
      const values = [
        publicId,
        fresh.publicId,
        hashSecret(fresh.secret),
        overlapMs,
        check.sealed,
        check.keyId,
      ];
      const [old] = await engine.query<{ endsAt: Date }>(ROTATE_KEY, values);
      return old && { publicId: fresh.publicId, key: fresh.text, oldEndsAt: old.endsAt };
    },
  };
}

async function requireApplication(engine: Engine, id: string): Promise<void> {
  const found = await engine.query(FIND_APPLICATION, [id]);
  if (found.length === 0) throw noApplication(id);
}

function noApplication(id: string): CrossbookError {
  return new CrossbookError('NOT_FOUND', `There is no application ${id}.`);
}

/**
 * Runs a change that gives an application this name. A lock admits one such change at a time, so that the check sees
 * the names of all others. Older installations may have two applications of one name, so there is no unique index.
 */
function withName<T>(
  { once, orm }: Engine,
  name: string,
  change: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return once(() =>
    orm.transaction(async (tx) => {
      await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${NAMES_LOCK}, 0))`);
      const [taken] = await tx
        .select({ deletedAt: applications.deletedAt })
        .from(applications)
        .where(eq(applications.name, name))
        .limit(1);
      if (!taken) return change(tx);
      throw new CrossbookError(
        'CONFLICT',
        taken.deletedAt
          ? `The application called ${quote(name)} is being deleted: its name is available again when all of its data is deleted.`
          : `An application called ${quote(name)} already exists.`,
      );
    }),
  );
}

const isOpen = (id: string) => and(eq(applications.id, id), isNull(applications.deletedAt));
const NAMES_LOCK = 'crossbook:application names';

const FIND_APPLICATION = {
  name: 'find_application',
  text: 'select id from crossbook.applications where id::text = $1::text and deleted_at is null',
};

const LIST_APPLICATIONS = {
  name: 'list_applications',
  text: 'select id, name, deleted_at as "deletedAt" from crossbook.applications order by created_at',
};

const MARK_DELETED = {
  name: 'mark_application_deleted',
  isOnce: true,
  text: `
with marked as (
  update crossbook.applications set deleted_at = clock_timestamp()
  where id = $1::uuid and deleted_at is null
  returning id
), keys as (
  delete from crossbook.api_keys where application_id in (select id from marked)
), endpoints as (
  delete from crossbook.webhook_endpoints where application_id in (select id from marked)
)
select id from marked`,
};

const counted = (table: string) =>
  `(select count(*)::int from (
    select from crossbook.${table} as counted where counted.application_id = application.id limit $2::int
  ) as rows)`;

const COUNT_STORED = {
  name: 'count_stored',
  text: `
select ${counted('customers')} as customers, ${counted('connections')} as connections,
  ${counted('events')} as events, ${counted('api_keys')} as "keys",
  ${counted('webhook_endpoints')} as "webhookEndpoints"
from crossbook.applications as application where id = $1::uuid and deleted_at is null`,
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
  text: `
select id as "applicationId", origins from crossbook.applications
where origins <> '{}' and deleted_at is null`,
};

/** What a key check contains. That it can be decrypted is what matters. */
const CHECKED = 'crossbook';

const CREATE_KEY = {
  name: 'create_key',
  isOnce: true,
  text: `
insert into crossbook.api_keys (public_id, application_id, name, secret_hash, sealed_check, key_id)
values ($1::text, $2::uuid, $3::text, $4::text, $5::text, $6::text) on conflict do nothing
returning public_id`,
};

const LIST_KEYS = {
  name: 'list_keys',
  text: `
select public_id as "publicId", name, created_at as "createdAt", revoked_at as "revokedAt"
from crossbook.api_keys where application_id = $1::uuid order by created_at`,
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
insert into crossbook.api_keys (public_id, application_id, name, secret_hash, sealed_check, key_id)
select $2::text, application_id, name, $3::text, $5::text, $6::text from old
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
    /** Deletes the demo application and its data. False if there is none, or a process uses it. */
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

interface ListedRow extends Application {
  readonly deletedAt: Date | null;
}

interface StoredCounts {
  readonly customers: number;
  readonly connections: number;
  readonly events: number;
  readonly keys: number;
  readonly webhookEndpoints: number;
}

interface OriginsRow {
  readonly applicationId: string;
  readonly origins: readonly string[];
}

type KeyRow = Pick<typeof apiKeys.$inferSelect, 'publicId' | 'name' | 'createdAt' | 'revokedAt'>;
