import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** A database of its own on the server of TEST_DATABASE_URL; undefined if that is not set. */
export async function openDatabase(
  serverUrl: string | undefined,
): Promise<SoakDatabase | undefined> {
  if (!serverUrl) return undefined;
  const name = `crossbook_soak_${randomBytes(6).toString('hex')}`;
  const run = async (...statements: readonly string[]) => {
    const client = new pg.Client(serverUrl);
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  await run(`create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    stop: () =>
      run(
        `alter database ${name} allow_connections false`,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
      ),
    start: () => run(`alter database ${name} allow_connections true`),
    drop: () => run(`drop database if exists ${name} with (force)`),
  };
}

export interface SoakDatabase {
  readonly url: string;
  /** Terminates every connection and rejects new ones, like a restart. */
  stop(): Promise<void>;
  start(): Promise<void>;
  drop(): Promise<void>;
}
