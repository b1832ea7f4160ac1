import { asc, eq, sql } from 'drizzle-orm';
import type { Application } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import { uuidV5 } from '../lib/uuid-v5.ts';
import { createKeyAdmin, type KeyAdmin } from './admin-keys.ts';
import { CREATE_APPLICATION } from './admin-statements.ts';
import type { ApiKeys } from './api-keys.ts';
import type { Engine } from './engine/engine.ts';
import { applications } from './schema.ts';

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

export interface AllowedOrigins {
  readonly applicationId: string;
  readonly origins: readonly string[];
}

interface Deps {
  readonly engine: Engine;
}
