import { dirname, resolve } from 'node:path';
import {
  ChildPostgresError,
  type ChildPostgresErrorCode,
  type ChildServer,
  hasCluster,
  joinServer,
  type Log,
  type ServerOptions,
  startServer,
} from '@crossbook/child-postgres';
import { openDataDirectory } from '../lib/data-directory.ts';

/**
 * The default database: a child PostgreSQL. This file is loaded first in a start, so it imports the driver only where
 * it is needed.
 */
export function startEmbeddedServer(options: ServerOptions): Promise<ChildServer> {
  return withAdvice(options.directory, () => startServer(options));
}

/** For commands: joins the running server of this folder, or starts one for the duration of the command. */
export function joinEmbeddedServer(options: ServerOptions): Promise<ChildServer> {
  return withAdvice(options.directory, () => joinServer({ ...options, connect }));
}

async function connect(url: string) {
  const { createClient } = await import('./engine/client.ts');
  const client = createClient({ url }, 'command', { connectionTimeoutMillis: 5_000 });
  await client.connect();
  return client;
}

/** Starts the server while the rest of the program loads. Its reports are buffered until there is a log. */
export function beginEmbeddedServer(
  directory: string,
  settings?: ServerOptions['settings'],
): BegunServer {
  const kept: Parameters<Log>[] = [];
  let report: Log = (...line) => void kept.push(line);
  const server = startEmbeddedServer({ directory, settings, log: (...line) => report(...line) });
  // The rejection is handled where the database is opened.
  server.catch(() => undefined);
  return {
    server,
    logTo(log) {
      report = log;
      for (const line of kept.splice(0)) log(...line);
    },
  };
}

/** The server of another process, which closes it. */
export function joinBegunServer(url: string): BegunServer {
  return { server: Promise.resolve({ url, close: async () => {} }), logTo: () => {} };
}

export interface BegunServer {
  readonly server: Promise<ChildServer>;
  logTo(log: Log): void;
}

/** Whether a first start has created the database. */
export function hasEmbeddedDatabase(directory: string): boolean {
  try {
    return hasCluster(directory);
  } catch (error) {
    throw advise(directory, error);
  }
}

async function withAdvice<T>(directory: string, work: () => Promise<T>): Promise<T> {
  openDataDirectory(dirname(resolve(directory)));
  try {
    return await work();
  } catch (error) {
    throw advise(directory, error);
  }
}

/** Adds to the reason what the operator can do. */
function advise(directory: string, error: unknown): unknown {
  if (!(error instanceof ChildPostgresError)) return error;
  const advice = ADVICE[error.code].replace('DIRECTORY', () => directory);
  return new Error(`${error.message} ${advice}`, { cause: error });
}

const ADVICE: Readonly<Record<ChildPostgresErrorCode, string>> = {
  IN_USE:
    'Two processes must not share one: stop that process, give this one its own directory (CROSSBOOK_DATA), or let ' +
    'both use one PostgreSQL (DATABASE_URL).',
  NO_PROGRAMS:
    'Set DATABASE_URL to a PostgreSQL server, for example one from: ' +
    'docker run -d -p 5432:5432 -e POSTGRES_PASSWORD=secret postgres:18',
  OTHER_VERSION:
    'With the version of Crossbook that created it: crossbook backup FILE. Move the folder away, and with this one: ' +
    'crossbook restore FILE.',
  FOREIGN_DATA:
    'It is the PGlite database of an earlier version of Crossbook. Carry it over: npm install --no-save ' +
    '@electric-sql/pglite@0.5.16 && node ops/carry-pglite.mjs DIRECTORY rows.gz. Then move the folder away, and: ' +
    'crossbook restore rows.gz. ("Migrate the data of another version" in docs/maintain.md.)',
  NO_USER_NAME:
    'Create it as another user (later starts work without a name), or set DATABASE_URL to a PostgreSQL server.',
};
