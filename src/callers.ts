import type { Config } from './config.ts';
import { DEMO_APPLICATION, DEVELOPMENT_ORIGINS } from './domain/caller.ts';
import type { Log } from './domain/log.ts';
import { type Cors, createCors, createOriginWarning } from './http/cors.ts';
import type { Clock } from './lib/clock.ts';
import type { Limits } from './limits/limits.ts';
import { type CallerCache, createAdminCheck, createCallerCache, withDemoCallers } from './request/caller.ts';
import type { CustomerTokens } from './request/customer-token.ts';
import { createKeyLookups } from './request/key-lookups.ts';
import { createOriginCache } from './request/origin-cache.ts';
import { type AdminFace, createAdminFace } from './rest/admin/server.ts';
import type { Database } from './storage/database.ts';

/** Part of the composition root: who may call. */
export function openCallerCache({ database, tokens, limits, clock, demoKey }: CallerParts): CallerCache {
  const callers = createCallerCache({
    parseKey: database.parseApiKey,
    lookups: createKeyLookups({ findCallers: database.findCallersByKey, failures: limits.failures }),
    verifyToken: tokens.verify,
    clock,
  });
  return withDemoCallers(callers, demoKey);
}

/** Which pages of other origins may call. */
export function openCors({ database, demo, clock, log }: CorsParts): Cors {
  return createCors({
    findOrigins: createOriginCache({
      list: database.admin.listOrigins,
      always: demo && [{ applicationId: DEMO_APPLICATION.id, origins: DEVELOPMENT_ORIGINS }],
      now: clock.now,
    }),
    onRefused: createOriginWarning({ log, now: clock.now }),
  });
}

/** Undefined where no admin key is set. */
export function openAdmin({ config, database, limits, clock }: AdminParts): AdminFace | undefined {
  const { adminKeyHash: hash } = config;
  if (hash === undefined) return undefined;
  return createAdminFace({
    store: { ...database.admin, now: clock.wall },
    requireKey: createAdminCheck({ hash, failures: limits.failures }),
  });
}

/** For the first start: there is no API key yet. */
export async function findFirstStep({ admin }: Pick<Database, 'admin'>): Promise<readonly string[]> {
  return (await admin.hasApplications()) ? [] : [FIRST_STEP];
}

const FIRST_STEP =
  'No keys    there is no application yet. Make one and its key: crossbook apps create NAME, crossbook keys create NAME';

interface Parts {
  readonly database: Database;
  readonly limits: Limits;
  readonly clock: Clock;
}

interface CallerParts extends Parts {
  readonly tokens: CustomerTokens;
  /** Undefined where there is no demo. */
  readonly demoKey: string | undefined;
}

interface CorsParts extends Pick<Parts, 'database' | 'clock'> {
  readonly log: Log;
  /** Undefined where there is none. */
  readonly demo: object | undefined;
}

interface AdminParts extends Parts {
  readonly config: Pick<Config, 'adminKeyHash'>;
}
