import type { Clock } from '../../lib/clock.ts';
import type { Statements } from './statements.ts';

/**
 * Looks for the sessions that a migration waits for, once it has taken ten seconds: those that hold a lock that it needs,
 * or a snapshot that is older than an index that it builds, or, before it has begun, the session that holds the migration
 * lock. They are reported again every minute.
 */
export function watchMigrationWaits({ engine, clock, onWait }: WaitOptions) {
  let pid: number | null = null;
  let name: string | undefined;
  let isOver = false;
  let cancel = clock.schedule(PATIENCE_MS, look);

  return {
    /** The session of the migrations has this process id. */
    begin(session: number): void {
      pid = session;
    },
    /** The next migration has its own ten seconds. */
    next(migration: string): void {
      name = migration;
      cancel();
      cancel = clock.schedule(PATIENCE_MS, look);
    },
    stop(): void {
      isOver = true;
      cancel();
    },
  };

  function look(): void {
    const seen = name;
    // What cannot be looked for is not reported: the migration fails by itself, or goes on.
    const none = () => [];
    void engine
      .query<Blocker>(FIND_BLOCKERS, [pid])
      .catch(none)
      .then((blockers) => {
        if (isOver || seen !== name) return;
        if (blockers.length > 0) onWait(name, blockers);
        cancel = clock.schedule(blockers.length > 0 ? REPEAT_MS : LOOK_EVERY_MS, look);
      });
  }
}

/** Says for the operator what is waited for, and what can be done. */
export function describeWait(migration: string | undefined, blockers: readonly Blocker[]): string {
  const what =
    migration === undefined ? 'the migration of another process' : `migration ${migration}`;
  const sessions = blockers.map(describeSession).join(', and ');
  if (migration === undefined)
    return `this process waits for ${what}, which has the session ${sessions}: let it finish, or stop that process`;
  const isOurs = blockers.every(({ application }) => application?.startsWith('crossbook'));
  const pids = blockers.map(({ pid }) => `select pg_terminate_backend(${pid});`).join(' ');
  const remedy = isOurs ? 'stop that process of Crossbook' : 'end its transaction';
  return `${what} waits for the session ${sessions}: ${remedy}, or end the session with ${pids}`;
}

function describeSession({ pid, application, state, seconds }: Blocker): string {
  const facts = [
    `application_name ${JSON.stringify(application ?? '')}`,
    state ?? 'state not visible to this role',
    seconds !== null && `in a transaction for ${seconds} s`,
  ];
  return `pid ${pid} (${facts.filter((fact) => fact !== false).join(', ')})`;
}

const PATIENCE_MS = 10_000;
const REPEAT_MS = 60_000;
/** A migration waits for a table lock for some 150 ms at a time. */
const LOOK_EVERY_MS = 250;

/** Statements of other sessions contain values: only their state is read. Parameter: the session, or null. */
const FIND_BLOCKERS = {
  name: 'find_migration_blockers',
  text: `
with blockers as (
  select unnest(pg_blocking_pids($1::int)) as pid
  union
  select pid from pg_locks
  where $1::int is null and locktype = 'advisory' and granted and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
    and (classid::bigint << 32) | objid::bigint = hashtextextended('crossbook:alone', 0)
)
select pid, application_name as application, state,
  floor(extract(epoch from clock_timestamp() - xact_start))::int as seconds
from blockers left join pg_stat_activity using (pid) order by pid`,
};

/** A session that a migration waits for. Null: not visible, or a prepared transaction, whose pid is 0. */
export interface Blocker {
  readonly pid: number;
  readonly application: string | null;
  readonly state: string | null;
  /** The age of its transaction. */
  readonly seconds: number | null;
}

/** `migration` is undefined while this process waits for the migrations of another one. */
export type OnMigrationWaits = (
  migration: string | undefined,
  blockers: readonly Blocker[],
) => void;

interface WaitOptions {
  readonly engine: Pick<Statements, 'query'>;
  readonly clock: Pick<Clock, 'schedule'>;
  readonly onWait: OnMigrationWaits;
}
