import { dirname, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../lib/clock.ts';
import { openDataDirectory } from '../../lib/data-directory.ts';
import { toReason } from '../../lib/output.ts';
import { createCluster, findHome, readCluster, readHome, recordHome } from './cluster.ts';
import { DirectoryInUseError, lockDirectory } from './directory-lock.ts';
import { chooseUser, findBinaries, linkLibraries } from './programs.ts';
import { openAddress, readAddress, startServer, supervise } from './server.ts';

/** Starts the database of a folder, creates it where it is missing, and keeps it running until it is closed. */
export async function startEmbeddedServer(options: EmbeddedOptions): Promise<EmbeddedServer> {
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

/** For commands: joins the running server of this folder, or starts one for the duration of the command. */
export async function joinEmbeddedServer(options: EmbeddedOptions): Promise<EmbeddedServer> {
  for (const giveUpAt = systemClock.now() + JOIN_MS; ; await wait(50)) {
    try {
      const { url, close } = await startEmbeddedServer(options);
      return { url, close: () => awaitLastUse(url).then(close) };
    } catch (error) {
      if (!(error instanceof DirectoryInUseError)) throw error;
      const url = await findRunning(resolve(options.directory));
      const close = url && (await joinUse(url));
      if (close) return { url, close };
      if (systemClock.now() > giveUpAt) throw error;
    }
  }
}

/** Whether a first start has created it. */
export function hasCluster(directory: string): boolean {
  return readCluster(readHome(resolve(directory))) !== undefined;
}

function lock(directory: string): () => void {
  openDataDirectory(dirname(directory));
  try {
    return lockDirectory(directory);
  } catch (error) {
    if (error instanceof DirectoryInUseError) throw error;
    const reason = toReason(error);
    throw new Error(`The data directory ${directory} cannot be used: ${reason}`, { cause: error });
  }
}

async function start(
  folder: string,
  { tcp = process.platform === 'win32', settings = {}, log = () => undefined }: EmbeddedOptions,
) {
  const user = chooseUser(readHome(folder));
  const { directory, binaries } = findHome(folder, { binaries: findBinaries(), user });
  if (directory !== folder)
    log('info', `The embedded database is in ${directory}, where the server's user reaches it.`);
  const programs = { binaries, libraries: linkLibraries(binaries, `${directory}.libraries`), user };
  const { password } = readCluster(directory) ?? (await createCluster(directory, programs));
  recordHome(folder, directory);
  const address = await openAddress(directory, tcp, user);
  const all = { ...address.settings, ...settings };
  const run = () => startServer({ directory, ...programs, settings: all, log });
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
 * Concurrent commands share one server: the one that started it stops it after the others have finished, and no new
 * one joins then. The others hold a shared lock; the stopping one waits for the exclusive lock.
 */
async function joinUse(url: string): Promise<(() => Promise<void>) | undefined> {
  const client = await createCommandClient(url);
  try {
    await client.connect();
    const { rows } = await client.query('select pg_try_advisory_lock_shared($1) as joined', [LOCK]);
    if (rows[0].joined) {
      // A stopping server ends the session with the exclusive lock first and then this one, so another query confirms
      // the join.
      await client.query('select 1');
      return () => client.end();
    }
  } catch {
    // The server was just stopped.
  }
  await client.end().catch(() => undefined);
  return undefined;
}

/** Resolves when no other command uses the server. The lock is held until the server stops. */
async function awaitLastUse(url: string): Promise<void> {
  try {
    const client = await createCommandClient(url);
    await client.connect();
    await client.query('select pg_advisory_lock($1)', [LOCK]);
  } catch {
    // The server is unreachable, so no process uses it.
  }
}

/** Imported lazily, because a start begins before the driver is loaded. */
async function createCommandClient(url: string) {
  const { createClient } = await import('../engine/client.ts');
  return createClient(url, 'command', { connectionTimeoutMillis: JOIN_MS });
}

/** The id of the advisory lock; only we use this database. */
const LOCK = 1_718_530_001;
/** How long to wait for a server that is starting. */
const JOIN_MS = 5_000;

/** Starts the server while the rest of the program loads. Its reports are buffered until there is a log. */
export function beginEmbeddedServer(directory: string) {
  const kept: Parameters<EmbeddedLog>[] = [];
  let report: EmbeddedLog = (...line) => void kept.push(line);
  const server = startEmbeddedServer({ directory, log: (...line) => report(...line) });
  // The rejection is handled where the database is opened.
  server.catch(() => undefined);
  return {
    server,
    logTo(log: EmbeddedLog): void {
      report = log;
      for (const line of kept.splice(0)) log(...line);
    },
  };
}

export interface EmbeddedServer {
  readonly url: string;
  close(): Promise<void>;
}

export type EmbeddedLog = (level: 'info' | 'warn' | 'error', message: string) => void;

interface EmbeddedOptions {
  /** The data directory. The lock, socket and similar files are siblings with its name as prefix. */
  readonly directory: string;
  /** Listens on a free loopback port, for systems without Unix sockets and for tests. */
  readonly tcp?: boolean | undefined;
  /** PostgreSQL settings that override ours. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  readonly log?: EmbeddedLog | undefined;
}

export type BegunServer = ReturnType<typeof beginEmbeddedServer>;
