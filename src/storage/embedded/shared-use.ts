import pg from 'pg';

/**
 * Commands that use one server at the same time: the one that started it stops it when the others have finished, and none
 * begins with it any more. Each of the others holds the shared lock meanwhile; who stops it waits for the exclusive one.
 */
export async function joinUse(url: string): Promise<(() => Promise<void>) | undefined> {
  const client = open(url);
  try {
    await client.connect();
    const { rows } = await client.query('select pg_try_advisory_lock_shared($1) as joined', [LOCK]);
    if (rows[0].joined) {
      // A server that is being stopped ends the session with the exclusive lock first, and then this one.
      await client.query('select 1');
      return () => client.end();
    }
  } catch {
    // It has just been stopped.
  }
  await client.end().catch(() => undefined);
  return undefined;
}

/** Resolves when the caller is the last one. The lock is held until the server ends. */
export async function awaitLastUse(url: string): Promise<void> {
  const client = open(url);
  try {
    await client.connect();
    await client.query('select pg_advisory_lock($1)', [LOCK]);
  } catch {
    // Nobody can use it: it may be stopped.
  }
}

function open(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'crossbook command',
    connectionTimeoutMillis: CONNECT_MS,
  });
  client.on('error', () => undefined); // the server's end ends it
  return client;
}

/** One of our numbers: nobody else is in this database. */
const LOCK = 1_718_530_001;
const CONNECT_MS = 5_000;
