import pg from 'pg';

/** Two sessions at once tell whether a pooler gives one connection to both of them, and what the role has set for it. */
export async function lookAtPooler(url: string): Promise<PoolerState> {
  const [one, other] = [toClient(url), toClient(url)];
  try {
    await Promise.all([one.connect(), other.connect()]);
    const before = await readPid(one);
    await other.query('begin');
    const between = await readPid(other);
    const after = await readPid(one);
    const { rows } = await other.query(
      `select current_setting('lock_timeout') as "lockTimeout", current_setting('statement_timeout') as "statementTimeout"`,
    );
    const { lockTimeout, statementTimeout } = rows[0];
    return {
      sharesConnections: before === between || before !== after,
      hasTimeouts: lockTimeout !== '0' && statementTimeout !== '0',
    };
  } finally {
    await Promise.all([one.end(), other.end()].map((ended) => ended.catch(() => undefined)));
  }
}

async function readPid(client: pg.Client): Promise<number> {
  return (await client.query('select pg_backend_pid() as pid')).rows[0].pid;
}

function toClient(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'crossbook doctor',
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  client.on('error', () => undefined); // the query that is under way rejects with it
  return client;
}

const TIMEOUT_MS = 5_000;

export interface PoolerState {
  /** Between two transactions a session may meet another connection: transaction pooling. */
  readonly sharesConnections: boolean;
  /** Of a session that sets none itself. */
  readonly hasTimeouts: boolean;
}
