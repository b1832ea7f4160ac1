import pg from 'pg';

/** A database of the bench's own on that server, gone when the work is done. */
export async function withTemporaryDatabase<Value>(
  serverUrl: string,
  work: (databaseUrl: string) => Promise<Value>,
): Promise<Value> {
  const name = `crossbook_bench_${process.pid}`;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name}`);
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    return await work(url.href);
  } finally {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await client.end();
  }
}
