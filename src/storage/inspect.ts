import type pg from 'pg';
import { systemClock } from '../lib/clock.ts';
import { cannotOpen, createDatabase } from './database.ts';
import { hasEmbeddedDatabase } from './embedded-server.ts';
import { createClient } from './engine/client.ts';
import { findPending } from './engine/migrate.ts';
import { openEngine, type Target } from './engine/open.ts';
import type { Engine } from './engine/postgres.ts';
import { openSource } from './engine/primary.ts';
import type { KeyRing } from './key-ring.ts';
import { readJobsAge } from './leases.ts';

/** Inspects a database read-only, without migrations. Rejects if it is unavailable. */
export async function inspectDatabase(target: Target, keyRing: KeyRing) {
  if ('directory' in target && !hasEmbeddedDatabase(target.directory))
    return { isThere: false } as const;
  const engine = await openEngine(
    { ...target, join: true },
    { deadlineMs: 0, connectionTimeoutMs: 5_000 },
  );
  try {
    await engine.ping();
    const pendingMigrations = await findPending(engine);
    const version = await readVersion(engine);
    const seen = { isThere: true, version, pendingMigrations } as const;
    // While migrations are pending the data is not inspected.
    if (pendingMigrations.length > 0) return { ...seen, ...NOTHING_SEEN };
    const { maintenance, demoData, webhookQueue } = createDatabase(engine, { keyRing });
    const unreadableKeys = await maintenance.findUnreadableKeys();
    const failingEndpoints = await webhookQueue.listFailing();
    // `clientsOf`: providers with an OAuth client of some application.
    const clientsOf = (await engine.query<{ name: string }>(LIST_PROVIDERS_OF_CLIENTS, [])).map(
      ({ name }) => name,
    );
    // `hasDemo`: data that a start with the sandbox has left.
    return {
      ...seen,
      unreadableKeys,
      hasDemo: await demoData.isThere(),
      failingEndpoints,
      clientsOf,
      jobsAge: await readJobsAge(engine),
    };
  } catch (error) {
    throw cannotOpen(target, error);
  } finally {
    await engine.close();
  }
}

const NOTHING_SEEN = {
  unreadableKeys: [],
  hasDemo: false,
  failingEndpoints: [],
  clientsOf: [],
  /** Seconds since a process did jobs. */
  jobsAge: undefined,
} as const;

const LIST_PROVIDERS_OF_CLIENTS = {
  name: 'list_providers_of_clients',
  text: 'select distinct provider_name as name from crossbook.oauth_clients',
};

async function readVersion(engine: Engine): Promise<string> {
  const statement = {
    name: 'read_version',
    text: `select current_setting('server_version') as version`,
  };
  const [row] = await engine.query<{ version: string }>(statement, []);
  return row?.version ?? 'unknown';
}

/** Opens two sessions to detect transaction pooling, and reads the timeouts set for the role. */
export async function lookAtPooler(url: string) {
  const limits = { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS };
  const source = openSource({ url }, systemClock);
  const open = () => createClient(source, 'doctor', limits);
  const [one, other] = [open(), open()];
  try {
    await Promise.all([one.connect(), other.connect()]);
    const sharesConnections = await shareConnections(one, other);
    const { rows } = await other.query(
      `select current_setting('lock_timeout') as "lockTimeout", current_setting('statement_timeout') as "statementTimeout"`,
    );
    const { lockTimeout, statementTimeout } = rows[0];
    return {
      /** Whether a session may change connections between transactions (transaction pooling). */
      sharesConnections,
      /** Whether sessions have timeouts by default. */
      hasTimeouts: lockTimeout !== '0' && statementTimeout !== '0',
    };
  } finally {
    await Promise.all([one.end(), other.end()].map((ended) => ended.catch(() => undefined)));
    await source.primary?.close();
  }
}

const ROUNDS = 3;

/**
 * Whether two sessions ever use the same connection, or one session two. A pooler in transaction mode hands out the
 * connection that was returned last, so two sessions that take turns usually have the same one; a connection that is
 * opened or returned between them can hide that, hence several rounds.
 */
async function shareConnections(one: pg.Client, other: pg.Client): Promise<boolean> {
  const pidsOfOne = new Set<number>();
  const pidsOfOther = new Set<number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    pidsOfOne.add(await readPid(one));
    pidsOfOther.add(await readPid(other));
  }
  const pids = new Set([...pidsOfOne, ...pidsOfOther]);
  return pidsOfOne.size > 1 || pidsOfOther.size > 1 || pids.size === 1;
}

async function readPid(client: pg.Client): Promise<number> {
  return (await client.query('select pg_backend_pid() as pid')).rows[0].pid;
}

const TIMEOUT_MS = 5_000;

export type Inspection = Awaited<ReturnType<typeof inspectDatabase>>;
