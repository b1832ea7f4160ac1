import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Crossbook, SandboxAccount } from './crossbook.ts';
import { PRODUCT } from './paths.ts';

/** The product's sandbox with its rate limits, in a process of its own on the ports that Crossbook expects. */
export async function startSandbox(ports: Crossbook, node: string): Promise<SandboxProcess> {
  const child = spawn(
    node,
    [join(PRODUCT, 'sandbox.js'), String(ports.hubspotPort), String(ports.salesforcePort)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  process.once('exit', () => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const origin = `http://127.0.0.1:${ports.hubspotPort}`;
  return {
    origin,
    createAccount: (options) => control(origin, 'POST', 'accounts', options),
    async readCalls(accountId) {
      const { calls } = await control<{ calls: Call[] }>(
        origin,
        'GET',
        `accounts/${accountId}/calls`,
      );
      return { calls: calls.length, refused: calls.filter(({ status }) => status === 429).length };
    },
    stop: () => stop(child),
  };
}

async function control<Answer>(
  origin: string,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await fetch(`${origin}/__sandbox/${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  if (!response.ok)
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

export interface SandboxProcess {
  readonly origin: string;
  createAccount(options: object): Promise<SandboxAccount>;
  /** The calls to the account, and how many of them got a 429. */
  readCalls(accountId: string): Promise<{ readonly calls: number; readonly refused: number }>;
  stop(): Promise<void>;
}

interface Call {
  readonly status: number;
}
