import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { makeTemporaryDirectory, PRODUCT, scriptOf } from './paths.ts';
import { findFreePorts } from './ports.ts';
import { type BenchProcess, type Core, startProcess } from './process.ts';

/**
 * Crossbook as shipped, on an empty database, with its log in a file. Its sandbox's ports are free for the CRMs of
 * the bench.
 */
export async function startCrossbook({
  env,
  flags = [],
  product = PRODUCT,
  ...options
}: CrossbookOptions): Promise<Crossbook> {
  const directory = makeTemporaryDirectory();
  const log = join(directory, 'log');
  const [port, hubspotPort, salesforcePort] = (await findFreePorts(3)) as [number, number, number];
  const process = await startProcess<object>({
    script: join(product, 'main.js'),
    flags: [...flags, '--import', pathToFileURL(scriptOf('contenders/crossbook')).href],
    env: {
      PORT: String(port),
      CROSSBOOK_DATA: directory,
      CROSSBOOK_KEYS: KEYS,
      CROSSBOOK_SANDBOX: 'on',
      CROSSBOOK_SANDBOX_PORT: String(hubspotPort),
      ...env,
    },
    log,
    ...options,
  });
  const key = await readKey(log);
  await process.call('release', [hubspotPort, salesforcePort]);
  return { ...process, url: `http://127.0.0.1:${port}`, key, hubspotPort, salesforcePort };
}

/** For data that is deleted when the bench ends. */
export const KEYS = `bench:${Buffer.alloc(32, 7).toString('base64')}`;

/** From the startup message. */
async function readKey(log: string): Promise<string> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const [, key] = /API key\s+(\S+)/.exec(readFileSync(log, 'utf8')) ?? [];
    if (key !== undefined) return key;
    await sleep(50);
  }
  throw new Error(`Crossbook did not start:\n${readFileSync(log, 'utf8')}`);
}

/** Creates a customer that is connected to the HubSpot account of that token. */
export async function connectCustomer(
  crossbook: Crossbook,
  customer: HubSpotCustomer,
): Promise<void> {
  const { customerId, account, records } = customer;
  // REST, whose names are those of the specification, so that builds of older commits are compared too.
  const response = await fetch(`${crossbook.url}/customers`, {
    method: 'PUT',
    headers: toHeaders(crossbook, customerId),
    body: JSON.stringify({
      customer_id: customerId,
      name: customerId,
      email: `${customerId}@bench.example`,
      connections: [
        {
          provider_name: 'hubspot',
          instance_url: `http://127.0.0.1:${crossbook.hubspotPort}/contacts/${account.id}`,
          credentials: { type: 'token', value: account.staticToken },
          // Older builds do not know it.
          ...(records && { records }),
        },
      ],
    }),
  });
  if (!response.ok) throw new Error(`The customer was not made: ${await response.text()}`);
}

export function toHeaders(
  { key }: Pick<Crossbook, 'key'>,
  customerId: string,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'x-api-key': key,
    'x-customer-id': customerId,
    'x-provider-name': 'hubspot',
  };
}

export interface Crossbook extends BenchProcess<object> {
  readonly url: string;
  /** Of the demo application. */
  readonly key: string;
  readonly hubspotPort: number;
  readonly salesforcePort: number;
}

export interface SandboxAccount {
  readonly id: string;
  readonly staticToken: string;
}

interface HubSpotCustomer {
  readonly customerId: string;
  readonly account: SandboxAccount;
  readonly records?: readonly string[] | undefined;
}

interface CrossbookOptions {
  readonly node: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly core?: Core | undefined;
  readonly flags?: readonly string[];
  readonly engineFlags?: readonly string[] | undefined;
  /** Its `dist`. Defaults to this checkout's. */
  readonly product?: string | undefined;
}
