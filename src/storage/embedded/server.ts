import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../lib/clock.ts';
import { toReason } from '../../lib/to-reason.ts';
import type { Programs, User } from './programs.ts';
import type { EmbeddedLog } from './start.ts';

/**
 * Starts the server and resolves when it accepts connections. Rejects with its own reason where it ends before. The one
 * of a process that was killed just now may need a moment to end.
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  for (const giveUpAt = systemClock.now() + PREDECESSOR_MS; ; await wait(100)) {
    try {
      return await startOnce(options);
    } catch (error) {
      if (!(error instanceof Error) || !PREDECESSOR.test(error.message) || systemClock.now() > giveUpAt)
        throw error;
    }
  }
}

async function startOnce(options: ServerOptions): Promise<Server> {
  const { directory, binaries, user, libraries, log } = options;
  const guarded = runGuarded({
    program: join(binaries.folder, 'bin/postgres'),
    args: ['-D', directory, ...toArguments(options)],
    env: { PG_GRANDPARENT_PID: readStalePid(directory) },
    ...{ user, libraries },
  });
  const complaints: string[] = [];
  const isReady = new Promise<boolean>((resolve) => {
    readLines(guarded.stderr, (line) => {
      passOn(line, log);
      if (line.endsWith(READY)) resolve(true);
      if (!/^LOG:/.test(line)) complaints.push(line);
      if (complaints.length > 10) complaints.shift();
    });
    guarded.ended.then(
      () => resolve(false),
      () => resolve(false),
    );
  });
  if (await isReady) return guarded;
  const code = await guarded.ended;
  throw new Error(
    `The database in ${directory} cannot be started: ${complaints[0] ?? `it ended with ${code}`}`,
  );
}

function toArguments({ settings }: ServerOptions): string[] {
  const all = { ...SETTINGS, ...settings };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/**
 * PostgreSQL refuses to start while the process in its lock file seems to live, which a zombie, and another process that
 * has the same id by now, do as well. We hold the lock of the folder, so it cannot be a server of another of us. What
 * PostgreSQL takes for its grandparent does not count, and the check of the shared memory, which a server that does live
 * still has attached, remains.
 */
function readStalePid(directory: string): string {
  try {
    return String(Number.parseInt(readFileSync(join(directory, 'postmaster.pid'), 'utf8'), 10) || 0);
  } catch {
    return '0';
  }
}

const PREDECESSOR = /pre-existing shared memory block/;
const PREDECESSOR_MS = 15_000;
const READY = 'database system is ready to accept connections';

/** For one process of ours on one machine. What is durable stays as PostgreSQL has it: fsync and synchronous_commit. */
const SETTINGS = {
  cluster_name: 'crossbook',
  shared_buffers: '16MB',
  max_connections: '40',
  // No replicas, no workers: fewer processes, and less in the log of changes.
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  max_parallel_workers_per_gather: '0',
  autovacuum_max_workers: '1',
  io_method: 'sync',
  max_wal_size: '128MB',
  unix_socket_permissions: '0700',
  // Errors of statements quote parameters and rows: we are told of them anyway.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  log_line_prefix: '',
};

/** Starts the server again when it dies, with longer and longer pauses. Returns what ends it for good. */
export function supervise(first: Server, { start, log }: SuperviseOptions): () => Promise<void> {
  const stopping = new AbortController();
  let server = first;
  const running = keep();
  return async () => {
    stopping.abort();
    server.stop();
    await running;
  };

  async function keep(): Promise<void> {
    for (;;) {
      const code = await server.ended;
      if (stopping.signal.aborted) return;
      log('error', `The embedded database ended with ${code}. It is started again.`);
      if (!(await startAgain())) return;
    }
  }

  async function startAgain(): Promise<boolean> {
    for (
      let pause = FIRST_PAUSE_MS;
      !stopping.signal.aborted;
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS)
    ) {
      try {
        server = await start();
        if (stopping.signal.aborted) server.stop();
        return true;
      } catch (error) {
        log('error', toReason(error));
      }
      await wait(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    return false;
  }
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
  stream.on('end', () => {
    if (rest !== '') onLine(rest);
  });
}

/** PostgreSQL's LOG is routine; a statement's ERROR is not written by the server, because it may quote what is stored. */
function passOn(line: string, log: EmbeddedLog): void {
  const [, severity, message = line] = /^([A-Z]+):\s+(.*)$/.exec(line) ?? [];
  if (severity !== 'LOG') log('warn', message);
}

/**
 * Runs a PostgreSQL program under a guard: a shell that waits for the end of a pipe from this process, and then ends the
 * program. However this process dies, kill -9 included, the program does not outlive it. Both run in a session of their
 * own, so that Ctrl-C in the terminal does not take the database down while requests still drain.
 */
export function runGuarded({ program, args, user, libraries, env, end = 'stop' }: GuardedOptions): Guarded {
  if (process.platform === 'win32') return runAlone(program, args);
  const child = spawn('/bin/sh', ['-c', GUARD, 'crossbook-guard', libraries ?? '', end, program, ...args], {
    // The working directory of this process may be out of reach for another user.
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', ...env },
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
    ...(user && { uid: user.uid, gid: user.gid }),
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      child.stdin.end();
      // What it wrote last comes before the pipe is closed; but a process that it started may outlive it with the pipe open.
      const late = setTimeout(() => resolve(code), LAST_WORDS_MS);
      child.once('close', () => {
        clearTimeout(late);
        resolve(code);
      });
    });
  });
  child.stdin.on('error', () => undefined); // the guard has ended already
  return { stderr: child.stderr, ended, stop: () => void child.stdin.end() };
}

/** Untested. Windows has neither this shell nor signals: the server is ended at once, and recovers at its next start. */
function runAlone(program: string, args: readonly string[]): Guarded {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { stderr: child.stderr, ended, stop: () => void child.kill() };
}

/**
 * `read` ends when the pipe is closed: by us, or with us. The library path is set by the shell because macOS removes it
 * from the environment of /bin/sh.
 */
const GUARD = `
exec 3<&0
libraries=$1; end=$2; shift 2
[ -z "$libraries" ] || export LD_LIBRARY_PATH="$libraries" DYLD_LIBRARY_PATH="$libraries"
"$@" </dev/null 3<&- &
program=$!
{ read -r _; [ "$end" = kill ] && kill -KILL 0; kill -INT "$program"; } <&3 2>/dev/null &
wait "$program"; code=$?
kill "$!" 2>/dev/null
exit "$code"
`;

const LAST_WORDS_MS = 1_000;

export type Server = Pick<Guarded, 'ended' | 'stop'>;

interface ServerOptions extends Programs {
  readonly directory: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly log: EmbeddedLog;
}

interface SuperviseOptions {
  readonly start: () => Promise<Server>;
  readonly log: EmbeddedLog;
}

interface Guarded {
  readonly stderr: NonNullable<ChildProcess['stderr']>;
  /** With the program's exit code. */
  readonly ended: Promise<number | null>;
  stop(): void;
}

interface GuardedOptions {
  readonly program: string;
  readonly args: readonly string[];
  /** Undefined: as this process. */
  readonly user?: User | undefined;
  /** A folder with the links that the package's install script would have made. */
  readonly libraries?: string | undefined;
  /** With us. `kill`: at once and with its children, because what it makes is thrown away. */
  readonly end?: 'stop' | 'kill' | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}
