import { type ChildProcess, spawn } from 'node:child_process';
import type { User } from './programs.ts';

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

export interface Guarded {
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
