import pg from 'pg';
import type { Clock } from '../../lib/clock.ts';
import { withLimit } from '../../lib/with-limit.ts';

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

export interface Probe {
  /** Rejects where it cannot be reached. */
  look(): Promise<DatabaseState>;
  close(): Promise<void>;
}

export interface DatabaseState {
  readonly isReadOnly: boolean;
}
