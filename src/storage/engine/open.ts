import type { ChildServer, Log as ServerLog } from '@crossbook/child-postgres';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Log } from '../../domain/log.ts';
import type { Clock } from '../../lib/clock.ts';
import { type BegunServer, joinEmbeddedServer, startEmbeddedServer } from '../embedded-server.ts';
import type { OnOutage } from './failures.ts';
import { openPostgres } from './postgres.ts';

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
  const { onMigrationWait, onMigrationBlocked } = describeMigration((line) => log.warn({}, line));
  return {
    onMigrationWait,
    onMigrationBlocked,
    onError: (cause) => log.warn({ cause }, 'a database connection broke'),
    onOutage: (outage) => log.warn(outage, 'the database cannot answer'),
    onServerLog: (level, message) => log[level]({ database: 'embedded' }, message),
  } satisfies Tuning;
}

/** Says what a migration waits for. */
export function describeMigration(say: (line: string) => void) {
  return {
    onMigrationWait: () =>
      say('another process is migrating the database: this one waits until it has finished'),
    onMigrationBlocked: (name) =>
      say(
        `migration ${name} waits for a lock that another session holds (see pg_locks), and is tried every second`,
      ),
  } satisfies Tuning;
}

/** A PostgreSQL server, or the embedded one. */
export type Target = UrlTarget | EmbeddedTarget;

export interface UrlTarget {
  readonly url: string;
  /** The mode of the pooler (PgBouncer) that the URL leads to. */
  readonly pooler?: 'none' | 'session' | 'transaction';
  readonly join?: boolean;
}

/** The embedded server by its folder, started or joined where it runs already; or one that is starting. */
type EmbeddedTarget =
  | { readonly directory: string; readonly join?: boolean }
  | { readonly begun: BegunServer };

export interface Tuning {
  readonly clock?: Clock | undefined;
  readonly poolSize?: number | undefined;
  /** The timeout for a connection, including the wait for a free one. */
  readonly connectionTimeoutMs?: number | undefined;
  readonly statementTimeoutMs?: number | undefined;
  /** The timeout for row and table locks. */
  readonly lockTimeoutMs?: number | undefined;
  /** After this time nothing is retried. */
  readonly deadlineMs?: number | undefined;
  /** Called when a pooled connection breaks; only for the log. */
  readonly onError?: ((error: Error) => void) | undefined;
  /** Called when the database is unavailable, at most once a minute per code. */
  readonly onOutage?: OnOutage | undefined;
  /** Called when this process waits for the migration of another one. */
  readonly onMigrationWait?: (() => void) | undefined;
  /** Called once for each migration that has to wait for a lock of another session. */
  readonly onMigrationBlocked?: ((name: string) => void) | undefined;
  /** Called with log lines of the embedded server. */
  readonly onServerLog?: ServerLog | undefined;
}

/** The database access of all stores. */
export type Engine = ReturnType<typeof openPostgres>;

export interface DatabaseState {
  readonly isReadOnly: boolean;
}

export type RunSql = (
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Executes the statements of one application, or those of background jobs. */
export interface Statements {
  readonly orm: NodePgDatabase;
  /** Runs SQL: retried like `repeatable`, or like `once` where the statement says so. */
  query<Row>(statement: Statement, values: readonly unknown[]): Promise<readonly Row[]>;
  /** For reads and idempotent writes: retried even if the first attempt was executed. */
  repeatable<T>(work: () => Promise<T>): Promise<T>;
  /** For other writes: retried only where the first attempt was certainly not executed. */
  once<T>(work: () => Promise<T>): Promise<T>;
}

export interface Statement {
  /** The name under which the server prepares it once per connection. */
  readonly name: string;
  readonly text: string;
  /** Not idempotent. */
  readonly isOnce?: boolean;
}
