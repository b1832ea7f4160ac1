import { chownSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cluster } from './cluster.ts';
import type { User } from './programs.ts';

/** A socket beside the data; in a new folder elsewhere where its path would be too long for the operating system. */
export async function openAddress(directory: string, { tcp, user }: AddressOptions): Promise<Address> {
  if (tcp) return { port: await findPort() };
  const beside = `${directory}.socket`;
  const isShort = Buffer.byteLength(join(beside, SOCKET)) <= LONGEST_PATH;
  if (!isShort) return { folder: findFormer(directory, user) ?? own(mkdtempSync(ELSEWHERE), user) };
  mkdirSync(beside, { recursive: true, mode: 0o700 });
  return { folder: own(beside, user) };
}

export function closeAddress(address: Address): void {
  if ('folder' in address) rmSync(address.folder, { recursive: true, force: true });
}

/** Where a running server says that it listens: in its own lock file. */
export function readAddress(directory: string): Address | undefined {
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
export function answersAt(address: Address): Promise<boolean> {
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

export function toSettings(address: Address): Readonly<Record<string, string>> {
  if ('port' in address)
    return { listen_addresses: '127.0.0.1', port: String(address.port), unix_socket_directories: '' };
  // A list, with commas between its items.
  return { listen_addresses: '', unix_socket_directories: `"${address.folder.replaceAll('"', '""')}"` };
}

export function toUrl(address: Address, { password }: Cluster): string {
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

export type Address = { readonly folder: string } | { readonly port: number };

interface AddressOptions {
  readonly tcp: boolean;
  /** Who the server runs as. */
  readonly user: User | undefined;
}
