import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createCluster, findHome, readCluster, readHome, recordHome } from './cluster.ts';
import { lockDirectory } from './directory-lock.ts';
import { ChildPostgresError, toReason } from './error.ts';
import { chooseUser, findBinaries, linkLibraries } from './programs.ts';
import { openAddress, readAddress, runServer, supervise } from './server.ts';

/** Starts the database of a folder, creates it if it is missing, and keeps it running until it is closed. */
export async function startServer(options: ServerOptions): Promise<ChildServer> {
  const directory = resolve(options.directory);
  const release = lock(directory);
  try {
    const { url, stop } = await start(directory, options);
    return { url, close: () => stop().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Joins the running server of this folder, or starts one. The process that started it stops it after the others have
 * closed theirs.
 */
export async function joinServer({ connect, ...options }: JoinOptions): Promise<ChildServer> {
  for (const giveUpAt = performance.now() + JOIN_MS; ; await wait(50)) {
    try {
      const { url, close } = await startServer(options);
      return { url, close: () => awaitLastUse(url, connect).then(close) };
    } catch (error) {
      if (!isInUse(error)) throw error;
      const url = await findRunning(resolve(options.directory));
      const close = url && (await joinUse(url, connect));
      if (close) return { url, close };
      if (performance.now() > giveUpAt) throw error;
    }
  }
}

/** Whether a first start has created it. */
export function hasCluster(directory: string): boolean {
  return readCluster(readHome(resolve(directory))) !== undefined;
}

function lock(directory: string): () => void {
  try {
    mkdirSync(dirname(directory), { recursive: true, mode: 0o700 });
    return lockDirectory(directory);
  } catch (error) {
    if (isInUse(error)) throw error;
    const reason = toReason(error);
    throw new Error(`The data directory ${directory} cannot be used: ${reason}`, { cause: error });
  }
}

function isInUse(error: unknown): boolean {
  return error instanceof ChildPostgresError && error.code === 'IN_USE';
}

async function start(
  folder: string,
  { tcp = process.platform === 'win32', settings = {}, log = () => undefined }: ServerOptions,
) {
  const user = chooseUser(readHome(folder));
  const { directory, binaries } = findHome(folder, { binaries: findBinaries(), user });
  if (directory !== folder)
    log('info', `The database is in ${directory}, where the server's user reaches it.`);
  const programs = { binaries, libraries: linkLibraries(binaries, `${directory}.libraries`), user };
  const { password } = readCluster(directory) ?? (await createCluster(directory, programs));
  recordHome(folder, directory);
  const address = await openAddress(directory, tcp, user);
  const all = { ...address.settings, ...settings };
  const run = () => runServer({ directory, ...programs, settings: all, log });
  const stop = supervise(await run(), run, log);
  return { url: address.toUrl(password), stop: () => stop().finally(address.close) };
}

async function findRunning(folder: string): Promise<string | undefined> {
  const directory = readHome(folder);
  const cluster = readCluster(directory);
  const address = readAddress(directory);
  return cluster && (await address?.isAnswered()) ? address?.toUrl(cluster.password) : undefined;
}

/**
 * Those who joined hold a shared lock; the one that stops the server waits for the exclusive lock, and no new one joins
 * then. Undefined: the server has just stopped, or is about to.
 */
async function joinUse(url: string, connect: Connect): Promise<(() => Promise<void>) | undefined> {
  const client = await connect(url).catch(() => undefined);
  if (!client) return undefined;
  try {
    const { rows } = await client.query('select pg_try_advisory_lock_shared($1) as joined', [LOCK]);
    if (rows[0]?.['joined']) {
      // A stopping server ends the session with the exclusive lock first and then this one, so another query confirms
      // the join.
      await client.query('select 1', []);
      return () => client.end();
    }
  } catch {
    // The server was just stopped.
  }
  await client.end().catch(() => undefined);
  return undefined;
}

/** Resolves when no other process uses the server. The lock is held until the server stops. */
async function awaitLastUse(url: string, connect: Connect): Promise<void> {
  try {
    const client = await connect(url);
    await client.query('select pg_advisory_lock($1)', [LOCK]);
  } catch {
    // The server is unreachable, so no process uses it.
  }
}

/** The id of the advisory lock. */
const LOCK = 1_718_530_001;
/** How long to wait for a server that is starting. */
const JOIN_MS = 5_000;

export interface ChildServer {
  readonly url: string;
  close(): Promise<void>;
}

export type Log = (level: 'info' | 'warn' | 'error', message: string) => void;

export interface ServerOptions {
  /** The data directory. The lock, socket and similar files are siblings with its name as prefix. */
  readonly directory: string;
  /** Listens on a free loopback port, for systems without Unix sockets and for tests. */
  readonly tcp?: boolean | undefined;
  /** PostgreSQL settings that override ours. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  readonly log?: Log | undefined;
}

export interface JoinOptions extends ServerOptions {
  /** Opens a connection with your driver: this package has none. Its loss must not throw outside of a query. */
  readonly connect: Connect;
}

type Connect = (url: string) => Promise<Connection>;

/** As `pg.Client` has it. */
export interface Connection {
  query(
    text: string,
    values: unknown[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
  end(): Promise<void>;
}
