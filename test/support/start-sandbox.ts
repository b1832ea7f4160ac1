import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { linesOf } from './compiled-storage.ts';

/** The sandbox as a process of its own, controlled over HTTP: it takes no time of the test's thread. */
export async function startSandbox(): Promise<SandboxProcess> {
  const child = spawn(process.execPath, ['dist/sandbox.js', '0', '0'], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const kill = () => child.kill();
  process.once('exit', kill);
  const [hubspot = '', salesforce = ''] = await readOrigins(child);
  return {
    hubspot: await join(hubspot),
    salesforce: await join(salesforce),
    async pass(ms) {
      const passed = once(child, 'message');
      child.send(ms);
      await passed;
    },
    async close() {
      process.removeListener('exit', kill);
      kill();
      await exited;
    },
  };
}

async function join(origin: string): Promise<ControlledCrm> {
  const control: ControlledCrm['control'] = (method, path, body) =>
    send(`${origin}/__sandbox/accounts${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
  return { origin, demo: await control('GET', '/demo'), control };
}

async function send<Answer>(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${init.method} ${url}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** HubSpot's, then Salesforce's, as the sandbox prints them. */
async function readOrigins(sandbox: ChildProcess): Promise<readonly string[]> {
  const origins: string[] = [];
  for await (const line of linesOf(sandbox)) {
    const origin = /^\w+: (\S+) /.exec(line)?.[1];
    if (origin) origins.push(origin);
    if (origins.length === 2) break;
  }
  return origins;
}

export interface SandboxProcess {
  readonly hubspot: ControlledCrm;
  readonly salesforce: ControlledCrm;
  /** Lets time pass for both CRMs. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

export interface ControlledCrm {
  readonly origin: string;
  readonly demo: ControlledAccount;
  /** The path begins after `/__sandbox/accounts`. */
  control<Answer>(method: string, path: string, body?: object): Promise<Answer>;
}

export interface ControlledAccount {
  readonly id: string;
  readonly instanceUrl: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly clientId: string;
  readonly clientSecret: string;
}
