import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEVELOPMENT_ORIGINS } from '../../src/domain/caller.ts';
import { type Browser, consent, openWireBrowser } from '../support/connect-browser.ts';
import { readSamples } from '../support/documents.ts';
import { type ListeningApp, listenApp } from '../support/listen-app.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** The blocks of docs/tutorial.md: each step adds one to the file of the step before. */
const STEPS = readSamples()
  .filter(({ path, language }) => path === 'docs/tutorial.md' && language === 'js')
  .map(({ code }) => code);

let crossbook: ListeningApp;
let folder: string;
let product: ChildProcess | undefined;
let origin: string;
beforeAll(async () => {
  crossbook = await listenApp({ publicUrl: undefined });
  crossbook.app.announceUrl(crossbook.url);
  folder = makeTemporaryFolder();
  origin = await findFreeOrigin();
});
afterAll(async () => {
  product?.kill();
  await crossbook.close();
  rmSync(folder, { recursive: true });
});

test('step 2: a company signs up, and is a customer of Crossbook', async () => {
  const browser = await signUp(2);
  expect((await browser.visit(origin)).text).toContain('Connect your CRM');
  const { data } = await crossbook.execute('{ customers { nodes { name } } }');
  expect(JSON.stringify(data)).toContain('Analytical & Sons');
});

test('step 3: its browser is sent to a connect link of Crossbook', async () => {
  const browser = await signUp(3);
  const sent = await browser.visit(`${origin}/connect`, { method: 'POST', form: {} });
  expect(sent.headers.get('location')).toMatch(new RegExp(`^${crossbook.url}/connect/`));
});

test('steps 4 and 5: it comes back, the code is redeemed, and the page has the contacts', async () => {
  const browser = await signUp(5);
  const sent = await browser.visit(`${origin}/connect`, { method: 'POST', form: {} });
  const { consentUrl } = await browser.start(sent.headers.get('location') ?? '', {
    provider: 'hubspot',
  });
  const back = await browser.visit(await consent(consentUrl));
  const returnUrl = back.headers.get('location') ?? '';
  expect(returnUrl).toMatch(new RegExp(`^${origin}/connected\\?`));
  const confirmed = await browser.visit(returnUrl);
  expect([confirmed.status, confirmed.headers.get('location')]).toEqual([303, '/contacts']);
  const { text } = await browser.visit(`${origin}/contacts`);
  expect(text).toContain('<h1>Contacts of Analytical &#38; Sons</h1><h2>HUBSPOT</h2>');
  expect(text).toContain('Ada Lovelace');
});

/** Starts the product as it is after a step of the tutorial, and signs a company up. */
async function signUp(step: number): Promise<Browser> {
  if (product) {
    product.kill();
    await once(product, 'exit');
  }
  const file = join(folder, 'server.mjs');
  writeFileSync(file, STEPS.slice(0, step - 1).join('\n'));
  product = spawn(process.execPath, [file], {
    env: {
      PORT: new URL(origin).port,
      CROSSBOOK_URL: crossbook.url,
      CROSSBOOK_API_KEY: crossbook.key,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(product.stdout as NodeJS.ReadableStream, 'data');
  expect(String(line)).toContain(origin);
  const browser = openWireBrowser();
  expect((await browser.visit(origin)).text).toContain('Sign up');
  const form = { name: 'Analytical & Sons' };
  const done = await browser.visit(`${origin}/sign-up`, { method: 'POST', form });
  expect([done.status, done.headers.get('location')]).toEqual([303, '/']);
  return browser;
}

/** One of those that the demo application allows as return URLs. */
async function findFreeOrigin(): Promise<string> {
  for (const one of DEVELOPMENT_ORIGINS.filter((url) => url.includes('localhost'))) {
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).once('listening', () => resolve(true));
      server.listen(Number(new URL(one).port));
    });
    server.close();
    if (isFree) return one;
  }
  throw new Error('Every port of a development origin is in use.');
}
