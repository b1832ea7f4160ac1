import type { NodePgDatabase } from 'drizzle-orm/node-postgres';

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
