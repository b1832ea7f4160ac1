import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync, renameSync, statSync, unlinkSync, utimesSync } from 'node:fs';
import { hostname } from 'node:os';
import { ChildPostgresError } from './error.ts';
import { linkNew } from './files.ts';

/**
 * Locks a data directory against a second process, which would corrupt it. The lock is a file next to the directory
 * that names its holder; the lock of a dead holder (kill -9, power cut) is taken over. Returns the release function.
 */
export function lockDirectory(directory: string): () => void {
  const path = `${directory.replace(/[/\\]+$/, '')}.lock`;
  const mine: Holder = {
    pid: process.pid,
    host: hostname(),
    space: readSpace(),
    started: startOf(process.pid),
    token: randomUUID(),
    since: new Date(Date.now()).toISOString(),
  };
  const take = () => linkNew(path, JSON.stringify(mine), `${path}.${mine.token}`);
  for (let tries = 0; !take(); tries += 1) {
    const rival = readHolder(path);
    if (tries === MAX_TRIES || (rival && isAlive(rival, path))) throw inUse(directory, path, rival);
    if (rival) removeStale(path, rival);
  }
  // The heartbeat shows processes on other hosts or in other containers that the holder is alive.
  const heartbeat = setInterval(() => touch(path), HEARTBEAT_MS).unref();
  held.add(mine.token);
  return () => {
    clearInterval(heartbeat);
    held.delete(mine.token);
    if (readHolder(path)?.token === mine.token) unlinkSync(path);
  };
}

/** Undefined if it was just released. A file truncated by a power cut has a nameless holder. */
function readHolder(path: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    return error instanceof SyntaxError ? NAMELESS : undefined;
  }
}

function isAlive(holder: Holder, path: string): boolean {
  if (held.has(holder.token)) return true;
  if (holder === NAMELESS) return false;
  // Process ids are meaningless between machines and between containers, which may share a host name. There the
  // file's modification time is compared with the wall clock. If that steps back, an abandoned lock counts as held
  // for as much longer; if it steps forward beyond the limit, a held lock counts as abandoned until its next
  // heartbeat.
  if (holder.host !== hostname() || holder.space !== readSpace())
    return (
      Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < 6 * HEARTBEAT_MS
    );
  // Our own process id on a lock that we do not hold: an earlier process had it, as in a restarted container.
  if (holder.started === null) return holder.pid !== process.pid && isRunning(holder.pid);
  return isRunning(holder.pid) && holder.started === startOf(holder.pid);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Moves the file before removing it: if another process has taken the lock over meanwhile, its file is put back. */
function removeStale(path: string, stale: Holder): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return; // another process was faster
  }
  if (readHolder(aside)?.token === stale.token) unlinkSync(aside);
  else renameSync(aside, path);
}

/** The scope of process ids: kernel boot and PID namespace. Null outside of Linux. */
function readSpace(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
}

/**
 * The start time of a process in kernel ticks, which distinguishes it from a later process with the same id. Null outside
 * of Linux.
 */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function touch(path: string): void {
  try {
    utimesSync(path, Date.now() / 1_000, Date.now() / 1_000);
  } catch {
    // The file was removed externally; a failed touch must not end the process.
  }
}

function inUse(directory: string, path: string, rival: Holder | undefined): Error {
  const who = rival?.pid
    ? `process ${rival.pid} on ${rival.host}, since ${rival.since}`
    : 'another process';
  return new ChildPostgresError(
    'IN_USE',
    `The data directory ${directory} is in use by ${who} (its lock is ${path}).`,
  );
}

const HEARTBEAT_MS = 5_000;
const MAX_TRIES = 5;
const held = new Set<string>();
const NAMELESS: Holder = { pid: 0, host: '', space: null, started: null, token: '', since: '' };

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly space: string | null;
  readonly started: string | null;
  readonly token: string;
  readonly since: string;
}
