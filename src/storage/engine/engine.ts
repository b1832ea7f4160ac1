import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';

import type { DatabaseState } from './probe.ts';

/** All that the stores know of where they run. */
export interface Engine {
  readonly orm: PgDatabase<PgQueryResultHKT>;
  /** For what only SQL can say. The name lets the server prepare it once for each connection. */
  query<Row>(statement: Statement, values: readonly unknown[]): Promise<readonly Row[]>;
  /** Reads, and writes that may be executed twice without harm: tried again even if the first try was executed. */
  repeatable<T>(work: () => Promise<T>): Promise<T>;
  /** Other writes: tried again only when the database certainly did nothing. */
  once<T>(work: () => Promise<T>): Promise<T>;
  /** One transaction, without time limits, that no other process can be in at the same time: for migrations. */
  alone<T>(work: (run: RunSql) => Promise<T>): Promise<T>;
  /** A lock that many may have at once, on a connection of its own: until this is closed, or the process ends. */
  holdShared(key: string): Promise<void>;
  /** On a connection of its own. Rejects while the database cannot be reached. Never tries again: it is asked often. */
  ping(): Promise<DatabaseState>;
  /** Of the pool. */
  connections(): ConnectionCounts;
  close(): Promise<void>;
}

export interface ConnectionCounts {
  readonly open: number;
  readonly idle: number;
  /** Who waits for one. */
  readonly waiting: number;
}

export type RunSql = (text: string, values?: readonly unknown[]) => Promise<readonly unknown[]>;

export interface Statement {
  readonly name: string;
  readonly text: string;
}
