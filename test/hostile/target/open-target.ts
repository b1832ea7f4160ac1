import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { openDatabase } from '../../soak/outage.ts';
import { findFreePorts } from '../../support/free-ports.ts';
import { type Product, startProduct } from '../../support/start-product.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { startApart } from './apart.ts';
import { type Account, type Crm, openCrm } from './crm.ts';
import { createMonitor, type Monitor } from './monitor.ts';
import { type Headers, send } from './send.ts';

/** The whole product in a small process, as users run it, with two isolated applications. */
export async function openTarget(
  settings: Settings = {},
  { isApart = false, heapMb = 384 }: Around = {},
): Promise<Target> {
  const data = makeTemporaryFolder();
  const database = await openDatabase(process.env['TEST_DATABASE_URL']);
  const port = await findFreePorts();
  const ring = randomBytes(32).toString('base64');
  const env = {
    CROSSBOOK_DATA: data,
    CROSSBOOK_KEYS: `hostile:${ring}`,
    LOG_LEVEL: 'info',
    CROSSBOOK_SANDBOX: 'on',
    CROSSBOOK_SANDBOX_PORT: String(port),
    ...AS_SHIPPED,
    ...(database && { DATABASE_URL: database.url }),
    ...settings,
  };
  // Before the start: an embedded database can be used by one process at a time.
  const neighbourKey = await createKey(env, 'Neighbour');
  const product = await startProduct(env, [...FLAGS, `--max-old-space-size=${heapMb}`]);
  const monitor = createMonitor(product.child);
  const endApart = isApart ? await startApart(product.child, { monitor, port }) : undefined;
  const crms = { hubspot: openCrm(port), salesforce: openCrm(port + 1) };
  const demo = { hubspot: await crms.hubspot.demo(), salesforce: await crms.salesforce.demo() };
  await Promise.all([crms.hubspot.liftLimits(), crms.salesforce.liftLimits()]);

  // HubSpot gets no token that has to be refreshed.
  const tokens = {
    hubspot: [demo.hubspot.staticToken ?? ''],
    salesforce: listSecrets(demo.salesforce),
  };
  const target: Target = {
    product,
    url: product.url,
    crms,
    monitor,
    callers: await connectCallers({ product, crm: crms.hubspot, neighbourKey }),
    tokens,
    secrets: [ring, ...tokens.hubspot, ...tokens.salesforce],
    isAlive: () => product.child.connected && product.child.exitCode === null,
    async close() {
      const code = target.isAlive() ? await product.stop() : product.child.exitCode;
      endApart?.();
      await database?.drop();
      rmSync(data, { recursive: true, force: true });
      return code;
    },
  };
  return target;
}

/** The process as shipped, in the size of the Kubernetes file, plus flags for the monitor. */
const FLAGS = [
  ...(JSON.parse(readFileSync('build/node-flags.json', 'utf8')) as string[]),
  '--expose-gc',
  '--import',
  './test/hostile/preload.mjs',
];

/** The production defaults, which other tests relax; CRM deadlines are longer, for busy machines. */
const AS_SHIPPED = {
  CROSSBOOK_SHUTDOWN_MS: '20000',
  CROSSBOOK_HEADERS_TIMEOUT_MS: '20000',
  CROSSBOOK_REQUEST_TIMEOUT_MS: '30000',
};

async function createKey(env: Readonly<Record<string, string>>, name: string): Promise<string> {
  const run = async (...args: readonly string[]) => {
    const options = { env: { PATH: process.env['PATH'], ...env } };
    const { stdout } = await execute(
      process.execPath,
      ['dist/main.js', ...args, '--json'],
      options,
    );
    return JSON.parse(stdout) as { id: string; key: string };
  };
  const { id } = await run('apps', 'create', name, '--origin', 'https://neighbour.example');
  return (await run('keys', 'create', id)).key;
}

async function connectCallers({ product, crm, neighbourKey }: Connecting): Promise<Callers> {
  const { url } = product;
  const key = { 'x-api-key': product.headers['x-api-key'] ?? '', ...toTarget('demo') };
  const neighbour = { 'x-api-key': neighbourKey, ...toTarget('neighbour') };
  await upsert(url, neighbour, 'neighbour', [crm.connect(await crm.create(ADA))]);
  const body = '{}';
  const issued = await send(url, {
    path: '/customers/demo/tokens',
    headers: { ...key, ...JSON_TYPE },
    body,
  });
  const { token } = JSON.parse(issued.text) as { token: string };
  return {
    stranger: {},
    key,
    token: { authorization: `Bearer ${token}`, ...toTarget('demo') },
    neighbour,
  };
}

/** Creates a customer with these connections, or adds them to an existing one. */
export async function upsert(
  url: string,
  headers: Headers,
  customerId: string,
  connections: readonly object[],
): Promise<void> {
  const body = {
    customer_id: customerId,
    name: customerId,
    email: `${customerId}@example.com`,
    connections,
  };
  const request = { method: 'PUT', path: '/customers', headers: { ...headers, ...JSON_TYPE } };
  const { status, text } = await send(url, { ...request, body: JSON.stringify(body) });
  if (status >= 300)
    throw new Error(`The customer ${customerId} was not made: ${text.slice(0, 500)}`);
}

function toTarget(customerId: string): Headers {
  return { 'x-customer-id': customerId, 'x-provider-name': 'hubspot' };
}

function listSecrets({ accessToken, refreshToken, clientSecret }: Account): string[] {
  return [accessToken, refreshToken, clientSecret];
}

export const ADA = 'ada@example.com';
const JSON_TYPE = { 'content-type': 'application/json' };
const execute = promisify(execFile);

export type Settings = Readonly<Record<string, string>>;

export interface Around {
  /** Whether the CRMs run in another process. */
  readonly isApart?: boolean;
  /** Of the product's process. */
  readonly heapMb?: number;
}

export type Caller = 'stranger' | 'key' | 'token' | 'neighbour';
/** The headers with credentials, customer and provider. */
export type Callers = Readonly<Record<Caller, Headers>>;

export interface Target {
  readonly product: Product;
  readonly url: string;
  readonly crms: { readonly hubspot: Crm; readonly salesforce: Crm };
  readonly callers: Callers;
  /** The credentials of the demo customer's connections, which a CRM could echo. */
  readonly tokens: Readonly<Record<'hubspot' | 'salesforce', readonly string[]>>;
  /** What no response and no log line may contain. */
  readonly secrets: readonly string[];
  readonly monitor: Monitor;
  isAlive(): boolean;
  close(): Promise<number | null>;
}

interface Connecting {
  readonly product: Product;
  readonly crm: Crm;
  readonly neighbourKey: string;
}
