import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';

/** All descendants of that process. */
export function listDescendants(pid: number): readonly number[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: readStat(Number(name))?.parent }));
  const below = (one: number): readonly number[] =>
    all.filter(({ parent }) => parent === one).flatMap((child) => [child.pid, ...below(child.pid)]);
  return below(pid);
}

/** A zombie process does not count. */
export function isAlive(pid: number): boolean {
  const stat = readStat(pid);
  return stat !== undefined && stat.state !== 'Z';
}

function readStat(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/** Servers, guards and initdb: each has the directory in its command line. */
export function findProcesses(directory: string): readonly number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => pid !== process.pid && readCommand(pid).includes(directory));
}

export async function expectNoProcessLeft(directory: string): Promise<void> {
  await expect.poll(() => findProcesses(directory), { interval: 20 }).toEqual([]);
}

/** The pid of the running server: the first line of its pid file. */
export function readServerPid(directory: string): number {
  return Number.parseInt(readFileSync(`${directory}/postmaster.pid`, 'utf8'), 10);
}

/** Its command line. Empty if it has ended. */
export function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
