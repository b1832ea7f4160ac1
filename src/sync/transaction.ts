import pg from 'pg';
import { SyncFailure } from '../domain/sync.ts';

/**
 * Begins a transaction. Timeouts are set in each one, because a pooler may give the session to others, and so is
 * the search path: what the owner has defined elsewhere must not replace an operator or a function of PostgreSQL. The
 * path of the role follows, because triggers of the owner may depend on it.
 */
export async function begin(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  await client.query(BEGIN);
}

/**
 * Whether the connection can be used again after this error, and was rolled back. Behind a statement without a response,
 * a rollback would wait as long again.
 */
export async function rollBack(
  client: Pick<pg.ClientBase, 'query'>,
  error: unknown,
): Promise<boolean> {
  if (!hasResponded(error)) return false;
  return client.query('rollback').then(
    () => true,
    () => false,
  );
}

/** Whether this error came while no statement waited for its response. */
export function hasResponded(error: unknown): boolean {
  return [pg.DatabaseError, SyncFailure, LeaseLost].some((type) => error instanceof type);
}

/** Another process has the sync now. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

export const STATEMENT_MS = 30_000;
const LOCK_MS = 10_000;
const SEARCH_PATH = `pg_catalog.btrim(pg_catalog.concat_ws(', ', 'pg_catalog', pg_catalog.current_setting('search_path')), ', ')`;
const BEGIN = `begin; set local statement_timeout = ${STATEMENT_MS}; set local lock_timeout = ${LOCK_MS};
set local idle_in_transaction_session_timeout = ${STATEMENT_MS};
select pg_catalog.set_config('search_path', ${SEARCH_PATH}, true)`;
