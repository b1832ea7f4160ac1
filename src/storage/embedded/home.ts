import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { syncFolder } from '../../lib/data-directory.ts';
import type { Cluster } from './cluster.ts';
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

/** A socket beside the data; in a new folder elsewhere where its path would be too long for the operating system. */
export async function openAddress(directory: string, { tcp, user }: AddressOptions): Promise<SocketAddress> {
  if (tcp) return { port: await findPort() };
  const beside = `${directory}.socket`;
  const isShort = Buffer.byteLength(join(beside, SOCKET)) <= LONGEST_PATH;
  if (!isShort) return { folder: findFormer(directory, user) ?? own(mkdtempSync(ELSEWHERE), user) };
  mkdirSync(beside, { recursive: true, mode: 0o700 });
  return { folder: own(beside, user) };
}

export function closeAddress(address: SocketAddress): void {
  if ('folder' in address) rmSync(address.folder, { recursive: true, force: true });
}

/** Where a running server says that it listens: in its own lock file. */
export function readAddress(directory: string): SocketAddress | undefined {
  try {
    const [, , , port, folder, host] = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n');
    if (folder) return { folder };
    // While it starts it has neither yet, and at its port another server may listen.
    return host ? { port: Number(port) } : undefined;
  } catch {
    return undefined;
  }
}

/** Does a server accept connections there? */
export function answersAt(address: SocketAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket =
      'folder' in address ? connect(join(address.folder, SOCKET)) : connect(address.port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

export function toSettings(address: SocketAddress): Readonly<Record<string, string>> {
  if ('port' in address)
    return { listen_addresses: '127.0.0.1', port: String(address.port), unix_socket_directories: '' };
  // A list, with commas between its items.
  return { listen_addresses: '', unix_socket_directories: `"${address.folder.replaceAll('"', '""')}"` };
}

export function toUrl(address: SocketAddress, { password }: Cluster): string {
  const user = `postgres://crossbook:${password}`;
  if ('port' in address) return `${user}@127.0.0.1:${address.port}/postgres`;
  return `${user}@localhost/postgres?host=${encodeURIComponent(address.folder)}`;
}

/** What a server that was killed has left in the folder of temporary files: used again, so that it does not stay there. */
function findFormer(directory: string, user: User | undefined): string | undefined {
  const former = readAddress(directory);
  if (!former || !('folder' in former) || !former.folder.startsWith(ELSEWHERE)) return undefined;
  const found = lstatSync(former.folder, { throwIfNoEntry: false });
  if (!found?.isDirectory() || found.uid !== (user?.uid ?? process.getuid?.())) return undefined;
  return (found.mode & 0o077) === 0 ? former.folder : undefined;
}

function own(folder: string, user: User | undefined): string {
  if (user) chownSync(folder, user.uid, user.gid);
  return folder;
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === 'object' && address ? address.port : 0;
}

const SOCKET = '.s.PGSQL.5432';
const ELSEWHERE = join(tmpdir(), 'crossbook-socket-');
const LONGEST_PATH = process.platform === 'darwin' ? 103 : 107;

export type SocketAddress = { readonly folder: string } | { readonly port: number };

interface AddressOptions {
  readonly tcp: boolean;
  /** Who the server runs as. */
  readonly user: User | undefined;
}
