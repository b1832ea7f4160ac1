import pg from 'pg';

/** A concurrent transaction of another process: makes races happen in the order that a test needs. */
export async function openRival(url: string): Promise<Rival> {
  const client = new pg.Client(url);
  await client.connect();
  return {
    run: async (text, values = []) => (await client.query(text, [...values])).rows,
    untilSomebodyWaits: async () => {
      // Polls: within a transaction the statistics would be a snapshot of the first read.
      for (;;) {
        await client.query('select pg_stat_clear_snapshot()');
        const { rowCount } = await client.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        if (rowCount) return;
      }
    },
    close: () => client.end(),
  };
}

export interface Rival {
  run(text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  untilSomebodyWaits(): Promise<void>;
  close(): Promise<void>;
}
