import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';

export { isAlive, listDescendants } from './descendants.ts';

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
