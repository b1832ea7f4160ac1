import type { ChildServer, Log as ServerLog } from '@crossbook/child-postgres';
import type { Log } from '../../domain/log.ts';
import { type BegunServer, joinEmbeddedServer, startEmbeddedServer } from '../embedded-server.ts';
import { describeWait } from './migration-waits.ts';
import { type Engine, openPostgres } from './postgres.ts';
import type { Tuning, UrlTarget } from './tuning.ts';

export async function openEngine(target: Target, tuning: Tuning): Promise<Engine> {
  if ('url' in target) return openPostgres(target, tuning);
  const server = await openServer(target, tuning.onServerLog);
  const engine = openPostgres(server, tuning);
  return { ...engine, close: () => engine.close().finally(server.close) };
}

async function openServer(target: EmbeddedTarget, log?: ServerLog): Promise<ChildServer> {
  if ('begun' in target) {
    if (log) target.begun.logTo(log);
    return target.begun.server;
  }
  const options = { ...target, log };
  return target.join ? joinEmbeddedServer(options) : startEmbeddedServer(options);
}

/** Logs reports of the database for the operator. */
export function reportTo(log: Log) {
  return {
    ...describeMigration((line) => log.warn({}, line)),
    onError: (cause) => log.warn({ cause }, 'a database connection was lost'),
    onOutage: (outage) => log.warn(outage, 'the database is unavailable'),
    onServerLog: (level, message) => log[level]({ database: 'embedded' }, message),
  } satisfies Tuning;
}

/** Says what a migration waits for. */
export function describeMigration(say: (line: string) => void) {
  return {
    onMigrationWait: () =>
      say('another process is migrating the database: waiting until it has finished'),
    onMigrationBlocked: (name) =>
      say(
        `migration ${name} waits for a lock that another session holds, and is tried every second`,
      ),
    onMigrationWaits: (migration, blockers) => say(describeWait(migration, blockers)),
    onLaterMigrations: (names) =>
      say(
        `the database has migrations of a later version (${names.at(-1)}): this version runs on it, and leaves them as they are`,
      ),
  } satisfies Tuning;
}

/** A PostgreSQL server, or the embedded one. */
export type Target = UrlTarget | EmbeddedTarget;

/** The embedded server by its folder, started or joined where it runs already; or one that is starting. */
type EmbeddedTarget =
  | { readonly directory: string; readonly join?: boolean }
  | { readonly begun: BegunServer };
