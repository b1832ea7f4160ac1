import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Log } from '../../domain/log.ts';
import type { Clock } from '../../lib/clock.ts';
import {
  type BegunServer,
  type EmbeddedLog,
  type EmbeddedServer,
  joinEmbeddedServer,
  startEmbeddedServer,
} from '../embedded/start.ts';
import type { OnOutage } from './failures.ts';
import { openPostgres } from './postgres.ts';

export async function openEngine(target: Target, tuning: Tuning): Promise<Engine> {
  if ('url' in target) return openPostgres(target, tuning);
  const server = await openServer(target, tuning.onServerLog);
  const engine = openPostgres(server, tuning);
  return { ...engine, close: () => engine.close().finally(server.close) };
}

async function openServer(target: EmbeddedTarget, log?: EmbeddedLog): Promise<EmbeddedServer> {
  if ('begun' in target) {
    if (log) target.begun.logTo(log);
    return target.begun.server;
  }
  const options = { ...target, log };
  return target.join ? joinEmbeddedServer(options) : startEmbeddedServer(options);
}

/** What the database tells whoever runs the process. */
export function reportTo(log: Log) {
  return {
    onError: (cause) => log.warn({ cause }, 'a database connection broke'),
    onOutage: (outage) => log.warn(outage, 'the database cannot answer'),
    onMigrationWait: () =>
      log.warn({}, 'another process is changing the tables of the database: this one waits for it'),
    onServerLog: (level, message) => log[level]({ database: 'embedded' }, message),
  } satisfies Tuning;
}

/** A PostgreSQL server, or the embedded one. */
export type Target = UrlTarget | EmbeddedTarget;

export interface UrlTarget {
  readonly url: string;
  /** Behind a pooler that gives a connection away after each transaction (PgBouncer). */
  readonly pooled?: boolean;
  readonly join?: boolean;
}

/** Its folder, to be started, or to be joined where it runs already; or the one that is starting. */
type EmbeddedTarget =
  | { readonly directory: string; readonly join?: boolean }
  | { readonly begun: BegunServer };

export interface Tuning {
  readonly clock?: Clock | undefined;
  readonly poolSize?: number | undefined;
  /** For a connection from the pool, waiting for a free one included. */
  readonly connectionTimeoutMs?: number | undefined;
  readonly idleTimeoutMs?: number | undefined;
  readonly statementTimeoutMs?: number | undefined;
  /** For a row or a table that another holds. */
  readonly lockTimeoutMs?: number | undefined;
  /** After this long, nothing is tried once more. */
  readonly deadlineMs?: number | undefined;
  /** A pooled connection broke. Nothing to do but to log it. */
  readonly onError?: ((error: Error) => void) | undefined;
  /** The database cannot answer. At most once a minute for each code. */
  readonly onOutage?: OnOutage | undefined;
  /** Another process changes the tables, and this one waits for it. */
  readonly onMigrationWait?: (() => void) | undefined;
  /** What the embedded server writes to its log. */
  readonly onServerLog?: EmbeddedLog | undefined;
}

/** All that the stores know of where they run. */
export interface Engine {
  readonly orm: NodePgDatabase;
  /** For what only SQL can say: tried again as `repeatable` is, or as `once` where the statement says so. */
  query<Row>(statement: Statement, values: readonly unknown[]): Promise<readonly Row[]>;
  /** Reads, and writes that may be executed twice without harm: tried again even if the first try was executed. */
  repeatable<T>(work: () => Promise<T>): Promise<T>;
  /** Other writes: tried again only when the database certainly did nothing. */
  once<T>(work: () => Promise<T>): Promise<T>;
  /** One transaction, without time limits, that no other process can be in at the same time: for migrations. */
  withAdvisoryLock<T>(work: (run: RunSql) => Promise<T>): Promise<T>;
  /** A lock that many may have at once, on a connection of its own: until this is closed, or the process ends. */
  holdSharedLock(key: string): Promise<void>;
  /** On a connection of its own. Rejects while the database cannot be reached. Never tries again: it is asked often. */
  ping(): Promise<DatabaseState>;
  /** Of the pool. */
  connections(): ConnectionCounts;
  close(): Promise<void>;
}

export interface DatabaseState {
  readonly isReadOnly: boolean;
}

interface ConnectionCounts {
  readonly open: number;
  readonly idle: number;
  /** Who waits for one. */
  readonly waiting: number;
}

export type RunSql = (
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

export interface Statement {
  /** Lets the server prepare it once for each connection. */
  readonly name: string;
  readonly text: string;
  /** To execute it twice would do harm. */
  readonly isOnce?: boolean;
}
