import pg from 'pg';

/** A temporary database on that server, which is dropped at the end. */
export async function openTemporaryDatabase(serverUrl: string): Promise<TemporaryDatabase> {
  serial += 1;
  const name = `crossbook_bench_${process.pid}_${serial}`;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async drop() {
      await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await client.end();
    },
  };
}

let serial = 0;

export interface TemporaryDatabase {
  readonly url: string;
  drop(): Promise<void>;
}
