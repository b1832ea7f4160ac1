import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Options } from '../support/options.ts';
import { makeTemporaryDirectory, PRODUCT } from '../support/paths.ts';
import { findFreePorts } from '../support/ports.ts';
import { say, showProgress } from '../support/progress.ts';
import { type Summary, summarise } from '../support/statistics.ts';

/** From `node dist/main.js` to the first answer with a contact in it: into an empty directory, and into one that is there. */
export async function measureStartUp({ node, quick }: Options): Promise<StartUpResult> {
  const fresh: number[] = [];
  const existing: number[] = [];
  for (let round = 0; round < (quick ? 1 : 5); round += 1) {
    showProgress(`start-up: round ${round + 1}`);
    const directory = makeTemporaryDirectory();
    fresh.push(await startOnce(node, directory));
    existing.push(await startOnce(node, directory));
  }
  const result = { fresh: summarise(fresh), existing: summarise(existing) };
  say(toStartUpText(result));
  return result;
}

export function toStartUpText({ fresh, existing }: StartUpResult): string {
  const seconds = ({ median }: Summary) => (median / 1_000).toFixed(2);
  return `Start to first contact: ${seconds(fresh)} s with an empty directory, ${seconds(existing)} s with an existing one.`;
}

async function startOnce(node: string, directory: string): Promise<number> {
  const [port, sandboxPort] = (await findFreePorts(3)) as [number, number];
  const started = performance.now();
  const child = spawn(node, [join(PRODUCT, 'main.js')], {
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      CROSSBOOK_DATA: directory,
      CROSSBOOK_SANDBOX_PORT: String(sandboxPort),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await askForAda(port, await readKey(child));
    return performance.now() - started;
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
}

/** The welcome says it; the log that follows is read and forgotten. */
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

async function askForAda(port: number, key: string): Promise<void> {
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

/** Milliseconds. */
export interface StartUpResult {
  readonly fresh: Summary;
  readonly existing: Summary;
}
