import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PRODUCT } from '../support/paths.ts';
import { findFreePorts } from '../support/ports.ts';
import { FLAGS_OF_ALL } from '../support/process.ts';
import { readDescendantsMb, readMemoryMb } from './memory.ts';

/** Starts Crossbook as shipped, searches once, reads the memory, and stops it. */
export async function startOnce(
  node: string,
  env: Readonly<Record<string, string>>,
): Promise<Start> {
  const [port, sandboxPort] = (await findFreePorts(3)) as [number, number];
  const { PATH } = process.env;
  const started = performance.now();
  const child = spawn(node, [...FLAGS_OF_ALL, join(PRODUCT, 'main.js')], {
    env: { PATH, PORT: String(port), CROSSBOOK_SANDBOX_PORT: String(sandboxPort), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await searchForAda(port, await readKey(child));
    const ms = performance.now() - started;
    const nodeMb = readMemoryMb(child.pid ?? 0, 'VmRSS');
    return { ms, nodeMb, databaseMb: readDescendantsMb(child.pid ?? 0) };
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}

/** From the startup message; the log after it is discarded. */
function readKey(child: ChildProcess): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`Crossbook did not start: ${text}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const [, key] = /API key\s+(\S+)/.exec(text) ?? [];
      if (key !== undefined) resolve(key);
    });
  });
}

async function searchForAda(port: number, key: string): Promise<void> {
  const query = '{ searchContacts(filter: { email: "ada@example.com" }) { nodes { firstName } } }';
  const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': key,
      'x-customer-id': 'demo',
      'x-provider-name': 'hubspot',
    },
    body: JSON.stringify({ query }),
  });
  const text = await response.text();
  if (!text.includes('"Ada"')) throw new Error(`No Ada in the first answer: ${text}`);
}

export interface Start {
  readonly ms: number;
  readonly nodeMb: number;
  readonly databaseMb: number;
}
