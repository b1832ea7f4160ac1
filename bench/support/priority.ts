import { execFileSync } from 'node:child_process';

/**
 * These processes run before all others of their core, as if they had cores of their own. Needs root on Linux: figures are
 * coarser without. A nice value would count only within a session, and PostgreSQL has its own.
 */
export function goFirst(...pids: readonly number[]): void {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return;
  for (const pid of pids)
    execFileSync('chrt', ['--all-tasks', '--rr', '--pid', '1', String(pid)], { stdio: 'ignore' });
}
