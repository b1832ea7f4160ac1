import type { Log as ServerLog } from '@crossbook/child-postgres';
import type { Clock } from '../../lib/clock.ts';
import type { OnOutage } from './failures.ts';
import type { OnMigrationWaits } from './migration-waits.ts';

export interface UrlTarget {
  readonly url: string;
  /** The mode of the pooler (PgBouncer) that the URL leads to. */
  readonly pooler?: 'none' | 'session' | 'transaction';
  readonly join?: boolean;
}

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
  /** Called where a migration has waited for other sessions for ten seconds, and every minute. */
  readonly onMigrationWaits?: OnMigrationWaits | undefined;
  /** Called where the database has migrations of a later version. */
  readonly onLaterMigrations?: ((names: readonly string[]) => void) | undefined;
  /** Called with log lines of the embedded server. */
  readonly onServerLog?: ServerLog | undefined;
}
