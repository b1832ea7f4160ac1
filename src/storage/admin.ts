import { and, asc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import type { Application } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import { uuidV5 } from '../lib/digest.ts';
import { type ApiKeys, hashSecret } from './api-keys.ts';
import type { Engine } from './engine/open.ts';
import { apiKeys, applications } from './schema.ts';

/** What the operator may do, over all applications. No request of a caller ever comes here. */
export function createAdmin({ engine, keys }: Deps & { readonly keys: ApiKeys }): Admin {
  const requireApplication = (id: string) => requireOne(engine, id);
  return {
    ...createApplicationAdmin({ engine }),
    ...createKeyAdmin({ engine, keys, requireApplication }),
  };
}

function createApplicationAdmin({ engine }: Deps): ApplicationAdmin {
  const { orm } = engine;
  return {
    createApplication: async (name) => {
      const application = { id: uuidV5(APPLICATIONS, name), name };
      const made = await engine.once(() => engine.query(CREATE_APPLICATION, [application.id, name]));
      if (made.length > 0) return application;
      const detail = `There is an application called ${JSON.stringify(name)} already.`;
      throw new CrossbookError('CONFLICT', detail);
    },
    ensureApplication: async (application) => {
      const row = { id: application.id, name: application.name };
      await engine.repeatable(() => orm.insert(applications).values(row).onConflictDoNothing());
      return application;
    },
    listApplications: () =>
      engine.repeatable(() =>
        orm.select(APPLICATION).from(applications).orderBy(asc(applications.createdAt)),
      ),
    hasApplications: async () => {
      const found = await engine.repeatable(() =>
        orm.select({ id: applications.id }).from(applications).limit(1),
      );
      return found.length > 0;
    },
    setOrigins: async (applicationId, origins) => {
      await requireOne(engine, applicationId);
      const row = { origins: [...origins] };
      await engine.repeatable(() =>
        orm.update(applications).set(row).where(eq(applications.id, applicationId)),
      );
    },
    findOrigins: async (applicationId) => {
      const [row] = await engine.repeatable(() =>
        orm
          .select({ origins: applications.origins })
          .from(applications)
          .where(eq(applications.id, applicationId)),
      );
      return row?.origins ?? [];
    },
    listOrigins: () =>
      engine.repeatable(() =>
        orm
          .select({ applicationId: applications.id, origins: applications.origins })
          .from(applications)
          .where(sql`${applications.origins} <> '{}'`),
      ),
  };
}

async function requireOne({ orm, repeatable }: Engine, id: string): Promise<void> {
  const found = await repeatable(() =>
    orm.select(APPLICATION).from(applications).where(sql`${applications.id}::text = ${id}`),
  );
  if (found.length === 0) throw new CrossbookError('NOT_FOUND', `There is no application ${id}.`);
}

/** The id follows from the name, so that of two that are made at once with one name the primary key lets one pass. */
const APPLICATIONS = '5b1c0d86-7d0c-4a41-9c62-0f6a4f0f7a35';
const APPLICATION = { id: applications.id, name: applications.name };

/** The keys of all applications: made, listed, ended. */
function createKeyAdmin({ engine, keys, requireApplication }: KeyAdminDeps): KeyAdmin {
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

/** Unless another has the name: also one of before, whose id does not follow from it. */
const CREATE_APPLICATION = {
  name: 'create_application',
  text: `
insert into crossbook.applications (id, name)
select $1::uuid, $2::text where not exists (select from crossbook.applications where name = $2::text)
on conflict do nothing
returning id`,
};

/** A key with another secret takes the place of one that has no end; that one goes on for $4 ms. */
const ROTATE_KEY = {
  name: 'rotate_key',
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

export interface Admin extends ApplicationAdmin, KeyAdmin {}

interface ApplicationAdmin {
  /** Rejects with CONFLICT where another has the name. */
  createApplication(name: string): Promise<Application>;
  /** For a fixed application, such as the demo's: nothing happens when it is there already. */
  ensureApplication(application: Application): Promise<Application>;
  listApplications(): Promise<readonly Application[]>;
  /** Is there one at least? */
  hasApplications(): Promise<boolean>;
  /** The web origins whose pages may call for the application: all of them. */
  setOrigins(applicationId: string, origins: readonly string[]): Promise<void>;
  findOrigins(applicationId: string): Promise<readonly string[]>;
  /** Of the applications that have any. */
  listOrigins(): Promise<readonly AllowedOrigins[]>;
}

interface AllowedOrigins {
  readonly applicationId: string;
  readonly origins: readonly string[];
}

interface Deps {
  readonly engine: Engine;
}

interface KeyAdmin {
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

interface CreatedKey {
  readonly publicId: string;
  readonly key: string;
}

interface KeyRecord {
  readonly publicId: string;
  readonly name: string;
  readonly createdAt: Date;
  /** May lie ahead: until then the key counts. */
  readonly revokedAt: Date | null;
}

interface KeyAdminDeps {
  readonly engine: Engine;
  readonly keys: ApiKeys;
  /** Rejects with NOT_FOUND. */
  requireApplication(id: string): Promise<void>;
}
