import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder } from '../../lib/new-file.ts';
import type { Binaries, User } from './programs.ts';

/** Where the data and the programs are. For root, what the server's user cannot reach is kept in `/var/lib/crossbook`. */
export function findHome(directory: string, { binaries, user }: HomeOptions): Home {
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

/** Of a folder whose data are elsewhere. */
export function readHome(directory: string): string {
  const file = homeFile(directory);
  if (!existsSync(file)) return directory;
  const elsewhere = join(HOMES, readId(file), 'data');
  return existsSync(elsewhere) ? elsewhere : directory;
}

/** Named by an id that the data folder keeps: nobody else can have made it there before. */
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
  if (!/^[0-9a-f]{32}$/.test(id)) throw new Error(`${file} does not hold the id of a folder in ${HOMES}.`);
  return id;
}

function requireOurs(folder: string): void {
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0)
    throw new Error(`${folder} is not a folder that root alone may write to: it is not used.`);
}

/** Links are followed: a copy holds every library under each of its names. */
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

/** The key ring in it is for its owner alone: others may pass through, and see nothing. */
function openFolder(folder: string): void {
  const { uid, mode } = statSync(folder);
  if (uid === 0 && (mode & 0o777) === 0o700) chmodSync(folder, 0o711);
}

/** Asked of the operating system itself, which knows of more than modes. */
function canReach(folder: string, { uid, gid }: User): boolean {
  return (
    spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { cwd: '/', env: {}, uid, gid, stdio: 'ignore' })
      .status === 0
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

const HOMES = '/var/lib/crossbook';

export interface Home {
  readonly directory: string;
  readonly binaries: Binaries;
}

interface HomeOptions {
  readonly binaries: Binaries;
  readonly user: User | undefined;
}
