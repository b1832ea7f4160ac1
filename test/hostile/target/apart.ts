import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, setPriority } from 'node:os';
import type { Monitor } from './monitor.ts';

/**
 * What is measured of the product is the product's: each imitated CRM is a process of its own, and the product has a core
 * that neither they nor this process use, where there are several. HubSpot, which attackers use, gives way to Salesforce.
 */
export async function startApart(
  product: ChildProcess,
  { monitor, port }: Apart,
): Promise<readonly ChildProcess[]> {
  await monitor.close([port, port + 1]);
  if (process.platform === 'linux' && availableParallelism() > 1) {
    pin(product.pid, '0');
    pin(process.pid, `1-${availableParallelism() - 1}`);
  }
  const hubspot = await startSandbox([port, 0]);
  setPriority(hubspot.pid ?? 0, LOWEST);
  return [hubspot, await startSandbox([0, port + 1])];
}

async function startSandbox(ports: readonly number[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['dist/sandbox.js', ...ports.map(String)], { stdio: 'pipe' });
  await once(child.stdout, 'data');
  return child;
}

function pin(pid: number | undefined, cores: string): void {
  execFileSync('taskset', ['--cpu-list', '--pid', cores, String(pid)], { stdio: 'ignore' });
}

/** What makes load must not be in the way of what measures. */
export const LOWEST = 19;

interface Apart {
  readonly monitor: Monitor;
  /** HubSpot's; Salesforce has the next. */
  readonly port: number;
}
