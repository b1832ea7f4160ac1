import { once } from 'node:events';
import {
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { toReason, withErrorListener } from './error.ts';
import { type Guarded, type Programs, runGuarded, type User } from './programs.ts';
import type { Log } from './start.ts';

/**
 * Starts the server and resolves when it accepts connections. Rejects with its reason if it exits before. Retries,
 * because the server of a process that was just killed may take a moment to exit.
 */
export async function runServer(options: RunOptions): Promise<Guarded> {
  for (const giveUpAt = performance.now() + PREDECESSOR_MS; ; await wait(100)) {
    try {
      return await startOnce(options);
    } catch (error) {
      if (
        !(error instanceof Error) ||
        !PREDECESSOR.test(error.message) ||
        performance.now() > giveUpAt
      )
        throw error;
      stopPredecessor(options.directory);
    }
  }
}

/**
 * Stops the server of a killed process whose guard was killed with it. We hold the folder's lock, so nobody uses it.
 * Only where the process of the lock file works in the folder, as a server does: the id may have been reused.
 */
function stopPredecessor(directory: string): void {
  const pid = Number.parseInt(readLockFile(directory)[0] ?? '', 10);
  try {
    if (realpathSync(`/proc/${pid}/cwd`) === realpathSync(directory)) process.kill(pid, 'SIGINT');
  } catch {
    // It has just ended, or this system has no /proc.
  }
}

function startOnce({ directory, settings, log, ...programs }: RunOptions): Promise<Guarded> {
  const complaints: string[] = [];
  return new Promise((resolve, reject) => {
    const server = runGuarded({
      ...programs,
      name: 'postgres',
      args: ['-D', directory, ...toArguments({ ...SETTINGS, ...settings })],
      env: { PG_GRANDPARENT_PID: readStalePid(directory) },
      onLine(line) {
        passOn(line, log);
        if (line.endsWith(READY)) resolve(server);
        if (!/^LOG:/.test(line)) complaints.push(line);
        if (complaints.length > 10) complaints.shift();
      },
    });
    server.ended.then((code) => {
      const reason = complaints[0] ?? `it ended with ${code}`;
      reject(new Error(`The database in ${directory} cannot be started: ${reason}`));
    }, reject);
  });
}

function toArguments(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/**
 * PostgreSQL refuses to start while the process in its lock file seems alive, which is also true for zombies and
 * reused ids. We hold the folder's lock, so no server of ours can be running. PostgreSQL ignores the id of its
 * supposed grandparent, and its check of the shared memory, which a live server is attached to, remains.
 */
function readStalePid(directory: string): string {
  return String(Number.parseInt(readLockFile(directory)[0] ?? '', 10) || 0);
}

/** The lock file of a running or killed server. Empty if there is none. */
function readLockFile(directory: string): readonly string[] {
  try {
    return readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}

const PREDECESSOR = /pre-existing shared memory block/;
const PREDECESSOR_MS = 15_000;
const READY = 'database system is ready to accept connections';

/**
 * Settings for one client process on one machine. Durability keeps PostgreSQL's defaults: fsync and
 * synchronous_commit.
 */
const SETTINGS = {
  cluster_name: 'crossbook',
  shared_buffers: '16MB',
  max_connections: '40',
  // No replicas and no workers: fewer processes, and a smaller write-ahead log.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  max_parallel_workers_per_gather: '0',
  autovacuum_max_workers: '1',
  io_method: 'sync',
  max_wal_size: '128MB',
  unix_socket_permissions: '0700',
  // Errors of statements quote parameters and rows, and reach us through the driver anyway.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  log_line_prefix: '',
};

/**
 * Forwards the server's log. LOG is routine; the server does not log a statement's ERROR, because it may quote data.
 */
function passOn(line: string, log: Log): void {
  const [, severity, message = line] = /^([A-Z]+):\s+(.*)$/.exec(line) ?? [];
  if (severity !== 'LOG') log('warn', message);
}

/** Restarts a crashed server with increasing pauses. Returns the function that stops it for good. */
export function supervise(
  first: Guarded,
  start: () => Promise<Guarded>,
  log: Log,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let server: Guarded | undefined = first;
  const running = keep();
  return async () => {
    stopping.abort();
    server?.stop();
    await running;
  };

  async function keep(): Promise<void> {
    while (server) {
      const code = await server.ended;
      if (signal.aborted) return;
      log('error', `PostgreSQL ended with ${code}. It is started again.`);
      server = await startAgain();
      if (signal.aborted) server?.stop();
    }
  }

  async function startAgain(): Promise<Guarded | undefined> {
    for (
      let pause = FIRST_PAUSE_MS;
      !signal.aborted;
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS)
    ) {
      try {
        return await start();
      } catch (error) {
        log('error', toReason(error));
      }
      await wait(pause, undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  }
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Opens a socket next to the data, or in a new temporary folder where its path would be too long for the operating
 * system.
 */
export async function openAddress(directory: string, tcp: boolean, user: User | undefined) {
  if (tcp) return atPort(await findPort());
  const beside = `${directory}.socket`;
  const isShort = Buffer.byteLength(join(beside, SOCKET)) <= LONGEST_PATH;
  if (isShort) mkdirSync(beside, { recursive: true, mode: 0o700 });
  const folder = isShort ? beside : (findFormer(directory, user) ?? mkdtempSync(ELSEWHERE));
  if (user) chownSync(folder, user.uid, user.gid);
  return inFolder(folder);
}

/** The address of a running server, from its lock file. */
export function readAddress(directory: string) {
  const [, , , port, folder, host] = readLockFile(directory);
  if (folder) return inFolder(folder);
  // During the start both are missing, and another server may listen at its port.
  return host ? atPort(Number(port)) : undefined;
}

function inFolder(folder: string) {
  return {
    /** PostgreSQL settings for this address. The folders are a comma-separated list. */
    settings: {
      listen_addresses: '',
      unix_socket_directories: `"${folder.replaceAll('"', '""')}"`,
    },
    toUrl: (password: string) =>
      `${USER}:${password}@localhost/postgres?host=${encodeURIComponent(folder)}`,
    /** Whether a server accepts connections there. */
    isAnswered: () => answers(withErrorListener(connect(join(folder, SOCKET)))),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function atPort(port: number) {
  return {
    settings: { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '' },
    toUrl: (password: string) => `${USER}:${password}@127.0.0.1:${port}/postgres`,
    isAnswered: () => answers(withErrorListener(connect(port, '127.0.0.1'))),
    close: () => undefined,
  };
}

const USER = 'postgres://crossbook';

function answers(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** The temporary folder of a killed server, which is reused so that it does not remain. */
function findFormer(directory: string, user: User | undefined): string | undefined {
  const [, , , , folder] = readLockFile(directory);
  if (!folder?.startsWith(ELSEWHERE)) return undefined;
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory() || found.uid !== (user?.uid ?? process.getuid?.())) return undefined;
  return (found.mode & 0o077) === 0 ? folder : undefined;
}

async function findPort(): Promise<number> {
  const server = withErrorListener(createServer());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === 'object' && address ? address.port : 0;
}

const SOCKET = '.s.PGSQL.5432';
const ELSEWHERE = join(tmpdir(), 'crossbook-socket-');
const LONGEST_PATH = process.platform === 'darwin' ? 103 : 107;

interface RunOptions extends Programs {
  readonly directory: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly log: Log;
}
