import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ChildPostgresError } from './error.ts';
import { syncFolder } from './files.ts';
import { type Binaries, namedUserFor, type Programs, runGuarded, type User } from './programs.ts';

/**
 * Finds the folder of the data and the programs. Running as root, folders that the server's user cannot reach are
 * kept in `/var/lib/crossbook`.
 */
export function findHome(
  directory: string,
  { binaries, user }: Omit<Programs, 'libraries'>,
): Pick<Programs, 'binaries'> & { readonly directory: string } {
  if (!user) return { directory, binaries };
  openFolder(dirname(directory));
  const isElsewhere = readHome(directory) !== directory;
  const isDataReachable = !isElsewhere && canReach(dirname(directory), user);
  if (!isElsewhere && !isDataReachable && existsSync(directory)) throw outOfReach(directory, user);
  const areProgramsReachable = canReach(binaries.folder, user);
  if (isDataReachable && areProgramsReachable) return { directory, binaries };
  const home = openHome(directory);
  return {
    directory: isDataReachable ? directory : join(home, 'data'),
    binaries: areProgramsReachable ? binaries : copyPrograms(binaries, home),
  };
}

/**
 * The folder that holds the data: the configured one, or the default one where the server's user cannot reach that.
 * Throws if the data were in the default one and are gone, because a new database would look like a loss of data.
 */
export function readHome(directory: string): string {
  const file = homeFile(directory);
  if (!existsSync(file)) return directory;
  const elsewhere = join(HOMES, readId(file), 'data');
  if (existsSync(elsewhere)) return elsewhere;
  if (existsSync(movedFile(directory)))
    throw new Error(
      `The data of ${directory} are in ${elsewhere}, which is missing: restore or mount that folder. To begin with ` +
        `an empty database, remove ${movedFile(directory)}.`,
    );
  return directory;
}

/** Records that the data are not in their folder, for a start that does not find them. */
export function recordHome(directory: string, home: string): void {
  const file = movedFile(directory);
  if (home === directory || existsSync(file)) return;
  writeFileSync(file, `${home}\n`, { mode: 0o600, flush: true });
  syncFolder(dirname(file));
}

/** Named by a random id stored in the data folder, so that no other user can have created it before. */
function openHome(directory: string): string {
  const file = homeFile(directory);
  if (!existsSync(file)) {
    writeFileSync(file, randomBytes(16).toString('hex'), { mode: 0o600, flush: true });
    syncFolder(dirname(file));
  }
  const home = join(HOMES, readId(file));
  for (const folder of [HOMES, home]) {
    mkdirSync(folder, { recursive: true, mode: 0o711 });
    requireOurs(folder);
    chmodSync(folder, 0o711);
  }
  return home;
}

function readId(file: string): string {
  const id = readFileSync(file, 'utf8').trim();
  if (!/^[0-9a-f]{32}$/.test(id))
    throw new Error(`${file} does not hold the id of a folder in ${HOMES}.`);
  return id;
}

function requireOurs(folder: string): void {
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0)
    throw new Error(`${folder} is not used, because users other than root may write to it.`);
}

/** Follows links: the copy has each library under all of its names. */
function copyPrograms({ folder, version }: Binaries, home: string): Binaries {
  const copy = join(home, `postgresql-${version}`);
  if (!existsSync(copy)) {
    const draft = `${copy}.${randomBytes(4).toString('hex')}`;
    try {
      cpSync(folder, join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
      chmodSync(draft, 0o755);
      renameSync(draft, copy);
    } finally {
      rmSync(draft, { recursive: true, force: true });
    }
  }
  return { folder: join(copy, 'native'), version };
}

/** Allows others to traverse the folder but not to list it: it contains the key ring. */
function openFolder(folder: string): void {
  const { uid, mode } = statSync(folder);
  if (uid === 0 && (mode & 0o777) === 0o700) chmodSync(folder, 0o711);
}

/** Tries `cd` as that user: file modes alone do not show every restriction. */
function canReach(folder: string, { uid, gid }: User): boolean {
  return (
    spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], {
      cwd: '/',
      env: {},
      uid,
      gid,
      stdio: 'ignore',
    }).status === 0
  );
}

function outOfReach(directory: string, { uid }: User): Error {
  return new Error(
    `The database in ${directory} runs as user ${uid}, which can no longer pass through the folders above it: ` +
      'let others pass (chmod o+x), or move it to where they can.',
  );
}

function homeFile(directory: string): string {
  return `${directory}.home`;
}

function movedFile(directory: string): string {
  return `${directory}.moved`;
}

const HOMES = '/var/lib/crossbook';

/** Reads the facts file, which is created together with the cluster. */
export function readCluster(directory: string): Cluster | undefined {
  const file = join(directory, FACTS);
  if (existsSync(file)) return requireMajor(directory, readFacts(file));
  if (existsSync(join(directory, 'PG_VERSION')))
    throw new ChildPostgresError(
      'FOREIGN_DATA',
      `${directory} holds a database that another program created.`,
    );
  return undefined;
}

function readFacts(file: string): Cluster {
  try {
    const { major, password } = JSON.parse(readFileSync(file, 'utf8'));
    return { major, password };
  } catch (cause) {
    throw new Error(`${file}, which the database in its folder is opened with, cannot be read.`, {
      cause,
    });
  }
}

/** Creates the cluster as a draft, syncs and renames it: an interrupted creation starts over. */
export async function createCluster(directory: string, programs: Programs): Promise<Cluster> {
  removeDrafts(directory);
  const draft = `${directory}.draft-${randomBytes(6).toString('hex')}`;
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  try {
    const cluster: Cluster = { major: MAJOR, password: randomBytes(24).toString('base64url') };
    await initialize(draft, programs, cluster.password);
    writeFileSync(join(draft, 'cluster', FACTS), JSON.stringify(cluster), {
      mode: 0o600,
      flush: true,
    });
    if (programs.user) giveAll(join(draft, 'cluster'), programs.user);
    syncFolder(join(draft, 'cluster'));
    renameSync(join(draft, 'cluster'), directory);
    syncFolder(dirname(directory));
    return cluster;
  } finally {
    rmSync(draft, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function initialize(draft: string, programs: Programs, password: string): Promise<void> {
  const { user } = programs;
  const passwordFile = join(draft, 'password');
  const place = join(draft, 'cluster');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  mkdirSync(place, { mode: 0o700 });
  const named = user && namedUserFor(user);
  if (named) {
    // Only for the group of the server's user, because other programs may run under initdb's user.
    chownSync(draft, 0, named.gid);
    chmodSync(draft, 0o710);
    for (const path of [passwordFile, place]) chownSync(path, named.uid, named.gid);
  }
  const args = [...INITDB, `--pgdata=${place}`, `--pwfile=${passwordFile}`];
  const lines: string[] = [];
  const { ended } = runGuarded({
    ...programs,
    user: named,
    name: 'initdb',
    args,
    end: 'kill',
    onLine: (line) => void lines.push(line),
  });
  if ((await ended) === 0) return;
  if (lines.some((line) => line.includes('could not look up effective user')))
    throw new ChildPostgresError('NO_USER_NAME', NO_NAME);
  throw new Error(`The database in ${dirname(draft)} cannot be created: ${findReason(lines)}`);
}

function findReason(lines: readonly string[]): string {
  return (
    lines.find((line) => /error|fatal|panic|cannot|not found/i.test(line)) ??
    lines.at(-1) ??
    'initdb failed'
  );
}

function giveAll(folder: string, { uid, gid }: User): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    lchownSync(join(entry.parentPath, entry.name), uid, gid);
  chownSync(folder, uid, gid);
}

function removeDrafts(directory: string): void {
  const parent = dirname(directory);
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(parent))
    if (name.startsWith(`${basename(directory)}.draft-`))
      rmSync(join(parent, name), { recursive: true, force: true, maxRetries: 5 });
}

function requireMajor(directory: string, cluster: Cluster): Cluster {
  if (cluster.major === MAJOR) return cluster;
  throw new ChildPostgresError(
    'OTHER_VERSION',
    `${directory} belongs to PostgreSQL ${cluster.major}, and the installed programs are PostgreSQL ${MAJOR}.`,
  );
}

/** The major version of the platform packages: another one cannot read its files. */
const MAJOR = 18;
const FACTS = 'crossbook.json';
const NO_NAME =
  'PostgreSQL creates a database only for a user that has a name, and /etc/passwd has none for this one.';

const INITDB = [
  '--username=crossbook',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--wal-segsize=1',
  '--auth=scram-sha-256',
  '--no-instructions',
  // One sync of the file system instead of some thousand single ones, which take seconds under load.
  ...(process.platform === 'linux' ? ['--sync-method=syncfs'] : []),
];

export interface Cluster {
  readonly major: number;
  /** The password of the only user. */
  readonly password: string;
}
