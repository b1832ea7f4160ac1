import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { consent, openWireBrowser } from '../support/connect-browser.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { type Product, startProduct } from '../support/product.ts';
import { findSample } from '../support/run-sample.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const GUIDE = 'docs/connect.md';
const START = findSample(GUIDE, 'sh', 'cat > .env');
const MAKE_LINK = findSample(GUIDE, 'sh', '/connect_links');
const SEARCH = findSample(GUIDE, 'sh', '/contacts/_search');
/** Calls the binary directly, because npm takes a second for each command. */
const NPM = `npm() { while [ "$1" != -- ]; do shift; done; shift; "$ROOT/dist/crossbook" "$@"; }`;
const NORTHWIND = '48001000';

const PATH = process.env['PATH'] ?? '';
const data = makeTemporaryFolder();
const folder = makeTemporaryFolder();
let product: Product;
beforeAll(async () => {
  product = await startProduct({ CROSSBOOK_DATA: data });
});
afterAll(async () => {
  await product?.stop();
  for (const one of [data, folder]) rmSync(one, { recursive: true, force: true });
});

test('the printed commands lead from an empty installation to the contacts of the chosen account', async () => {
  const [customer, link] = readAnswers(await shell(MAKE_LINK));
  expect(customer).toMatchObject({ customer_id: 'acme', connections: [] });
  expect(link).toMatchObject({ status: 'pending', providers: ['hubspot'] });

  const browser = openWireBrowser();
  const { consentUrl } = await browser.start(link?.url ?? '', { provider: 'hubspot' });
  const back = await browser.visit(await consent(consentUrl, { account: NORTHWIND }));
  expect(new URL(back.headers.get('location') ?? '').searchParams.get('status')).toBe('COMPLETED');

  const [found] = readAnswers(await shell(SEARCH));
  expect(found?.records).toMatchObject([{ first_name: 'Ada', last_name: 'of Northwind' }]);
});

test.each([GUIDE, 'docs/clients.md'])(
  'the command of %s registers an allowed origin',
  async (page) => {
    const printed = await shell(findSample(page, 'sh', 'apps origins'));
    expect(printed).toContain('https://app.example');
  },
);

test('the commands for an application’s OAuth client set it, list it, and delete it', async () => {
  const crossbook = join(process.cwd(), 'dist/crossbook');
  await run(crossbook, ['apps', 'create', 'Acme'], { env: { PATH, CROSSBOOK_DATA: data } });
  writeFileSync(join(folder, 'secret.txt'), 'a-secret\n');
  const printed = await shell(findSample('docs/register-apps.md', 'sh', 'oauth-clients'));
  // Once when the client is set, and once in the list.
  expect(printed.split('a-client')).toHaveLength(3);
  expect(printed).not.toContain('a-secret');
  const list = ['oauth-clients', 'list', 'Acme'];
  const { stdout } = await run(crossbook, list, { env: { PATH, CROSSBOOK_DATA: data } });
  expect(stdout).not.toContain('a-client');
});

test('a start with the printed environment file (mode 0600) redirects customers to the real vendor', async () => {
  const [own, port] = [makeTemporaryFolder(), String(await findFreePorts())];
  const child = spawn('bash', ['-e', '-c', `${NPM}\n${fill(START)}`], {
    cwd: own,
    env: { PATH, HOME: own, ROOT: process.cwd(), PORT: port, CROSSBOOK_SANDBOX_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const end = () => process.kill(-(child.pid ?? 0), 'SIGTERM');
  process.once('exit', end);
  let printed = '';
  child.stdout.on('data', (text) => {
    printed += text;
  });
  const find = (pattern: RegExp) => pattern.exec(printed)?.[1] ?? '';
  await expect.poll(() => printed).toMatch(/-d '.*'\n/);
  expect(statSync(join(own, '.env')).mode & 0o777).toBe(0o600);
  const redirectUri = `http://localhost:${port}/connect/callback/hubspot`;
  expect(printed).toContain(redirectUri);

  const link = { providers: ['hubspot'], return_url: 'http://localhost:3000/' };
  const response = await fetch(`${find(/ready at (\S+)/)}/customers/demo/connect_links`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': find(/API key +(\S+)/) },
    body: JSON.stringify(link),
  });
  const { url } = (await response.json()) as { url: string };
  const { consentUrl } = await openWireBrowser().start(url, { provider: 'hubspot' });
  const { origin, searchParams } = new URL(consentUrl);
  expect([origin, searchParams.get('client_id'), searchParams.get('redirect_uri')]).toEqual([
    'https://app.hubspot.com',
    'a-client',
    redirectUri,
  ]);
  end();
  process.off('exit', end);
  await once(child, 'close');
  rmSync(own, { recursive: true, force: true });
});

async function shell(block: string): Promise<string> {
  const key = product.headers['x-api-key'] ?? '';
  const here = fill(block)
    .replaceAll('localhost:4000', new URL(product.url).host.replace('127.0.0.1', 'localhost'))
    .replace('<the key that was printed>', key);
  const env = { PATH, ROOT: process.cwd(), CROSSBOOK_DATA: data, KEY: key };
  return (await run('bash', ['-e', '-c', `${NPM}\n${here}`], { cwd: folder, env })).stdout;
}

function fill(block: string): string {
  return block.replaceAll('<client id>', 'a-client').replaceAll('<client secret>', 'a-secret');
}

/** `curl` writes the responses one after the other, without a separator. */
function readAnswers(printed: string): Answer[] {
  return [...printed.matchAll(/\{.*?\}(?=\{|$)/g)].map(([json]) => JSON.parse(json) as Answer);
}

interface Answer {
  readonly url?: string;
  readonly records?: readonly unknown[];
}
