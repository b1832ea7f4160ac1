import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { type Core, toCpuList } from './process.ts';

/**
 * These processes run before all others of their core, as if they had cores of their own. Needs root on Linux: figures are
 * coarser without. A nice value would count only within a session, and PostgreSQL has its own.
 */
export function goFirst(...pids: readonly number[]): void {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return;
  for (const pid of pids)
    execFileSync('chrt', ['--all-tasks', '--rr', '--pid', '1', String(pid)], { stdio: 'ignore' });
}

/** Moves a process to the first core or to the others. */
export function pinTo(core: Core, pid: number): void {
  if (process.platform !== 'linux' || availableParallelism() < 2) return;
  execFileSync('taskset', ['--all-tasks', '--pid', '--cpu-list', toCpuList(core), String(pid)], {
    stdio: 'ignore',
  });
}
