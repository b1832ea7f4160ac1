import pg from 'pg';
import { createSingleFlight } from '../../lib/cache.ts';
import type { Clock } from '../../lib/clock.ts';
import type { DatabaseState, RunSql } from './open.ts';

/** Creates a connection outside of the pool. `purpose` is its name in `pg_stat_activity`. */
export function createClient(
  url: string,
  purpose: string,
  settings: pg.ClientConfig = {},
): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    application_name: `crossbook ${purpose}`,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    ...settings,
  });
  client.on('error', () => undefined); // the query that is under way rejects with it
  return client;
}

/** Implements `Engine.withAdvisoryLock`. */
export async function withAdvisoryLock<T>(
  url: string,
  work: (run: RunSql) => Promise<T>,
  onWait: () => void,
): Promise<T> {
  const client = createClient(url, 'migrations');
  try {
    await client.connect();
    await client.query('begin; set local statement_timeout = 0; set local lock_timeout = 0');
    const { rows } = await client.query(
      `select pg_try_advisory_xact_lock(${ADVISORY_LOCK_KEY}) as "isMine"`,
    );
    if (!rows[0].isMine) {
      onWait();
      await client.query(`select pg_advisory_xact_lock(${ADVISORY_LOCK_KEY})`);
    }
    const result = await work(
      async (text, values = []) => (await client.query(text, [...values])).rows,
    );
    await client.query('commit');
    return result;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const ADVISORY_LOCK_KEY = `hashtextextended('crossbook:alone', 0)`;

/**
 * Implements `Engine.holdSharedLock` in an open transaction, because a pooler keeps a connection only for its
 * duration.
 */
export async function holdSharedLock(url: string, key: string): Promise<pg.Client> {
  const client = createClient(url, 'sandbox');
  await client.connect();
  await client.query('begin; set local idle_in_transaction_session_timeout = 0');
  await client.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [key]);
  return client;
}

/**
 * Probes the database on a separate connection, independent of a full pool or a locked table. One probe at a time,
 * each with a timeout, so that a frozen server is detected too.
 */
export function createProbe(url: string, clock: Clock) {
  const singleFlight = createSingleFlight<DatabaseState>();
  let client: pg.Client | undefined;

  return {
    /** Rejects where the database is unreachable. */
    look: () =>
      singleFlight(() =>
        withLimit(ask(), { limitMs: PROBE_LIMIT_MS, clock }).catch((error) => {
          drop();
          throw error;
        }),
      ),
    close: drop,
  };

  async function ask(): Promise<DatabaseState> {
    const asked = client ?? (await connect());
    // The current state, even on a connection from before a failover.
    const { rows } = await asked.query(
      `select current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
    );
    return { isReadOnly: rows[0].isReadOnly };
  }

  async function connect(): Promise<pg.Client> {
    // Longer than the timeout of the probe, which also closes the socket.
    const made = createClient(url, 'probe', { connectionTimeoutMillis: 2 * PROBE_LIMIT_MS });
    // An error between two probes: the next one reconnects.
    made.on('error', () => {
      if (client === made) client = undefined;
    });
    client = made;
    await made.connect();
    return made;
  }

  function drop(): void {
    client?.end().catch(() => undefined);
    client = undefined;
  }
}

const PROBE_LIMIT_MS = 1_500;

/**
 * Rejects where the work exceeds its timeout. Time in which this process was blocked or stopped is added, because
 * data that arrived meanwhile is read only after the timers.
 */
export function withLimit<T>(work: Promise<T>, { limitMs, clock }: Limit): Promise<T> {
  const began = clock.now();
  return new Promise((resolve, reject) => {
    let cancel = clock.schedule(limitMs, () => {
      const lateMs = clock.now() - began - limitMs;
      const end = () => reject(new Error('timeout expired'));
      cancel = clock.schedule(Math.min(lateMs, limitMs) + GRACE_MS, end);
    });
    work.then(resolve, reject).finally(() => cancel());
  });
}

const GRACE_MS = 50;

interface Limit {
  readonly limitMs: number;
  readonly clock: Pick<Clock, 'now' | 'schedule'>;
}
