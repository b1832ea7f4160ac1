import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import type { ConcreteRequest } from 'relay-runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toOwnCommand } from '../../../src/lib/own-command.ts';
import { type ListeningApp, listenApp } from '../../support/listen-app.ts';
import { CHROMIUM } from '../../support/machine.ts';
import { openPageServer, type PageServer } from '../../support/page-server.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { compileRelay } from './compile-relay.ts';
import { SAVE, SEARCH } from './frontend.ts';

describe.runIf(CHROMIUM)('A page of another origin, with the demo’s default settings:', () => {
  let crossbook: ListeningApp;
  let browser: Browser;
  let page: Page;
  let script: string;
  let compiled: Readonly<Record<string, unknown>>;
  const servers: PageServer[] = [];

  beforeAll(async () => {
    crossbook = await listenApp();
    browser = await openBrowser();
    script = await bundle();
    compiled = compile();
    page = await open(true);
  });

  afterAll(async () => {
    await browser.close();
    for (const server of servers) server.close();
    await crossbook.close();
  });

  test.each(['apollo', 'urql', 'relay', 'graphqlRequest', 'crossbook', 'monitored'] as const)(
    '%s searches, pages, changes a customer, and reads why a request was rejected',
    async (name) => {
      const outcome = await page.evaluate((client) => frontend[client](), name);
      expect(outcome).toEqual({
        firstName: 'Ada',
        turned: 8,
        created: true,
        code: 'UNPROCESSABLE_ENTITY',
      });
    },
  );

  test('a client that sends its application name is recorded with it', () => {
    const names = crossbook.requests.map(({ headers }) => headers.get('apollographql-client-name'));
    expect(names).toContain('frontend');
    expect(crossbook.requests.some(({ headers }) => headers.has('sentry-trace'))).toBe(true);
  });

  test('a page of an origin that is not allowed cannot read responses, and the log says how to allow it', async () => {
    const other = await open(false);
    const { origin } = new URL(other.url());
    const failure = await other.evaluate(() =>
      frontend.monitored().catch((error: unknown) => String(error)),
    );
    expect(failure).toMatch(/Failed to fetch/);
    const readLog = () => crossbook.log.map((line) => JSON.parse(line) as Record<string, unknown>);
    const command = toOwnCommand(`apps origins APPLICATION --add ${origin}`);
    await expect.poll(readLog).toContainEqual(expect.objectContaining({ origin, command }));
    // The browser may have the response before the server has logged it.
    await expect
      .poll(readLog)
      .toContainEqual(expect.objectContaining({ method: 'OPTIONS', status: 403 }));
  });

  async function open(isAllowed: boolean): Promise<Page> {
    const server = await openPageServer(script, { isAllowed });
    servers.push(server);
    const opened = await openPage(browser);
    await opened.goto(server.url);
    await opened.evaluate((options) => frontend.begin(options), {
      url: crossbook.url,
      key: crossbook.app.demo?.key ?? '',
      compiled,
    });
    return opened;
  }
});

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [new URL('frontend.ts', import.meta.url).pathname],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'frontend',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0]?.text ?? '';
}

/** By their texts, and with them, because documents are sent in full. */
function compile(): Readonly<Record<string, unknown>> {
  const app = compileRelay([SEARCH, SAVE].map((text) => `graphql\`${text}\`;`).join('\n'));
  const texts = JSON.parse(readFileSync(app.manifest, 'utf8')) as Record<string, string>;
  const load = (name: string) => {
    const request = app.load<ConcreteRequest>(name);
    return { ...request, params: { ...request.params, text: texts[request.params.id ?? ''] } };
  };
  const compiled = { [SEARCH]: load('appSearchQuery'), [SAVE]: load('appSaveMutation') };
  app.remove();
  return compiled;
}

declare const frontend: typeof import('./frontend.ts');
