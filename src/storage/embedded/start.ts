import { dirname, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../lib/clock.ts';
import { openDataDirectory } from '../../lib/data-directory.ts';
import { toReason } from '../../lib/to-reason.ts';
import { createCluster, readCluster } from './cluster.ts';
import { DirectoryInUseError, lockDirectory } from './directory-lock.ts';
import {
  answersAt,
  closeAddress,
  findHome,
  openAddress,
  readAddress,
  readHome,
  type SocketAddress,
  toSettings,
  toUrl,
} from './home.ts';
import { chooseUser, findBinaries, linkLibraries, type Programs } from './programs.ts';
import { startServer, supervise } from './server.ts';

/** Starts the database of a folder, which is made where there is none, and keeps it running until it is closed. */
export async function startEmbeddedServer(options: EmbeddedOptions): Promise<EmbeddedServer> {
  return startLocked(resolve(options.directory), options);
}

/** For a command: the server of the process that serves from this folder, or one for as long as the command runs. */
export async function joinEmbeddedServer(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const directory = resolve(options.directory);
  const { awaitLastUse, joinUse } = await import('./shared-use.ts');
  for (const giveUpAt = systemClock.now() + JOIN_MS; ; await wait(50)) {
    try {
      const { url, close } = await startLocked(directory, options);
      return { url, close: () => awaitLastUse(url).then(close) };
    } catch (error) {
      if (!(error instanceof DirectoryInUseError)) throw error;
      const url = await findRunning(directory);
      const close = url && (await joinUse(url));
      if (close) return { url, close };
      if (systemClock.now() > giveUpAt) throw error;
    }
  }
}

/** Has a first start made it? */
export function hasCluster(directory: string): boolean {
  return readCluster(readHome(resolve(directory))) !== undefined;
}

async function startLocked(directory: string, options: EmbeddedOptions): Promise<EmbeddedServer> {
  const release = lock(directory);
  try {
    const { url, stop } = await start(directory, options);
    return { url, close: () => stop().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
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
  const programs: Programs = { binaries, libraries: linkLibraries(binaries, `${directory}.libraries`), user };
  const cluster = readCluster(directory) ?? (await createCluster(directory, programs));
  const address = await openAddress(directory, { tcp, user });
  const all = { ...toSettings(address), ...settings };
  const run = () => startServer({ directory, ...programs, settings: all, log });
  const stop = supervise(await run(), { start: run, log });
  return {
    url: toUrl(address, cluster),
    stop: () => stop().finally(() => closeAddress(address)),
  };
}

async function findRunning(folder: string): Promise<string | undefined> {
  const directory = readHome(folder);
  const cluster = readCluster(directory);
  const address: SocketAddress | undefined = readAddress(directory);
  return cluster && address && (await answersAt(address)) ? toUrl(address, cluster) : undefined;
}

/** For a server that is starting just now. */
const JOIN_MS = 5_000;

/** Starts the server while the rest of the program is still loading. What it reports is kept until there is a log. */
export function beginEmbeddedServer(directory: string): BegunServer {
  const kept: Parameters<EmbeddedLog>[] = [];
  let report: EmbeddedLog = (...line) => void kept.push(line);
  const server = startEmbeddedServer({ directory, log: (...line) => report(...line) });
  // Whoever opens the database is given the reason.
  server.catch(() => undefined);
  return {
    server,
    logTo(log) {
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
  /** Where the data are. The lock, the socket and the like stand beside it, under names that begin with it. */
  readonly directory: string;
  /** Listens on a free port of loopback: where the operating system has no Unix sockets, and for tests. */
  readonly tcp?: boolean | undefined;
  /** Of PostgreSQL, in place of ours. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  readonly log?: EmbeddedLog | undefined;
}

export interface BegunServer {
  readonly server: Promise<EmbeddedServer>;
  logTo(log: EmbeddedLog): void;
}
