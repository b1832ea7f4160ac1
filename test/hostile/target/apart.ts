import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, setPriority } from 'node:os';
import { isAlive, listDescendants } from '../../support/descendants.ts';
import type { Monitor } from './monitor.ts';

/**
 * Isolates the measurement from its surroundings: each simulated CRM is a process of its own, and the product is
 * pinned to a core that neither they nor this process use, if there are several. HubSpot, which attackers use, has
 * a lower priority than Salesforce.
 */
export async function startApart(
  product: ChildProcess,
  { monitor, port }: Apart,
): Promise<() => void> {
  const cores = availableParallelism();
  const isPinned = process.platform === 'linux' && cores > 1;
  await monitor.close([port, port + 1]);
  if (isPinned) {
    const others = `1-${cores - 1}`;
    // The embedded database is a child process of the product, and stands for a remote server. Servers of others stay
    // where they are.
    for (const pid of listDescendants(product.pid ?? 0)) pinUnlessEnded(pid, others);
    pin(product.pid, '0');
    pin(process.pid, others);
  }
  const hubspot = await startSandbox([port, 0]);
  setPriority(hubspot.pid ?? 0, LOWEST);
  const salesforce = await startSandbox([0, port + 1]);
  hurry(salesforce.pid);
  hurry(process.pid);
  return () => {
    for (const crm of [hubspot, salesforce]) crm.kill();
    // Processes that this one starts later have the default affinity.
    if (isPinned) pin(process.pid, `0-${cores - 1}`);
    setPriority(0);
  };
}

/** The measured request waits for the product only: its CRM and its timer have a higher priority than the load. */
function hurry(pid: number | undefined): void {
  try {
    setPriority(pid ?? 0, FIRST);
  } catch {
    // Needs root: without it the figures are coarser.
  }
}

async function startSandbox(ports: readonly number[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['dist/sandbox.js', ...ports.map(String)], {
    stdio: 'pipe',
  });
  await once(child.stdout, 'data');
  return child;
}

function pin(pid: number | undefined, cores: string): void {
  execFileSync('taskset', ['--cpu-list', '--pid', cores, String(pid)], { stdio: 'ignore' });
}

/** A backend may end between being listed and being pinned. */
function pinUnlessEnded(pid: number, cores: string): void {
  try {
    pin(pid, cores);
  } catch (error) {
    if (isAlive(pid)) throw error;
  }
}

/** Load generators must not delay the measuring process. */
export const LOWEST = 19;

const FIRST = -10;

interface Apart {
  readonly monitor: Monitor;
  /** HubSpot's port; Salesforce has the next one. */
  readonly port: number;
}
