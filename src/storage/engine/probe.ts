import pg from 'pg';
import type { Clock } from '../../lib/clock.ts';

/**
 * Looks at the database on a connection of its own: a full pool and a locked table do not concern it. One look at a time,
 * each with a limit, so that a server which is frozen is found out as well.
 */
export function createProbe(url: string, clock: Clock): Probe {
  let client: pg.Client | undefined;
  let looking: Promise<DatabaseState> | undefined;

  return {
    look() {
      looking ??= withLimit(ask(), { limitMs: LIMIT_MS, clock })
        .catch((error) => {
          drop();
          throw error;
        })
        .finally(() => {
          looking = undefined;
        });
      return looking;
    },
    close: async () => drop(),
  };

  async function ask(): Promise<DatabaseState> {
    const asked = client ?? (await connect());
    // Of this moment, also on a connection that is older than a failover.
    const { rows } = await asked.query(
      `select current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
    );
    return { isReadOnly: rows[0].isReadOnly };
  }

  async function connect(): Promise<pg.Client> {
    const made = new pg.Client({
      connectionString: url,
      application_name: 'crossbook probe',
      // Behind the limit: the socket goes as well.
      connectionTimeoutMillis: 2 * LIMIT_MS,
      keepAlive: true,
    });
    // Between two looks: the next one connects anew.
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

const LIMIT_MS = 1_500;

/**
 * Rejects where the work takes longer than its limit, by time in which this process was there to see it: as long as it was
 * held or stopped itself is given on top, because what has come meanwhile is read only after the timers.
 */
export function withLimit<T>(work: Promise<T>, { limitMs, clock }: Limit): Promise<T> {
  const began = clock.now();
  return new Promise((resolve, reject) => {
    let cancel = clock.schedule(limitMs, () => {
      const lateMs = clock.now() - began - limitMs;
      const end = () => reject(new Error('timeout expired'));
      cancel = clock.schedule(Math.min(lateMs, limitMs) + GRACE_MS, end);
    });
    const settled = () => cancel();
    work.then(resolve, reject).finally(settled);
  });
}

const GRACE_MS = 50;

export interface Probe {
  /** Rejects where it cannot be reached. */
  look(): Promise<DatabaseState>;
  close(): Promise<void>;
}

export interface DatabaseState {
  readonly isReadOnly: boolean;
}

interface Limit {
  readonly limitMs: number;
  readonly clock: Pick<Clock, 'now' | 'schedule'>;
}
