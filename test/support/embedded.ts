import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { TEST_RING } from './databases.ts';

/** Opens the data directory like a start, and returns its applications. */
export async function readApplications(directory: string): Promise<readonly string[]> {
  const database = await openDatabase({ directory }, { keyRing: TEST_RING });
  try {
    return (await database.admin.listApplications()).map(({ name }) => name);
  } finally {
    await database.close();
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

function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ''; // It has exited meanwhile.
  }
}
