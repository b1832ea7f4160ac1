import { readFileSync } from 'node:fs';
import type { ApolloClient } from '@apollo/client';
import type { Client } from '@urql/core';
import { createClient } from 'crossbook-client';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import type { ConcreteRequest, ReaderFragment } from 'relay-runtime';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ListeningApp, listenApp } from '../../support/listen-app.ts';
import { CHROMIUM } from '../../support/machine.ts';
import { openPageServer, type PageServer } from '../../support/page-server.ts';
import { findSample, runSample } from '../../support/run-sample.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { compileRelay } from './compile-relay.ts';
import type { Artifacts, Search, Step } from './recipes.ts';

const DOCUMENT = 'docs/clients.md';
const PRINTED_URL = 'http://localhost:4000/graphql';
const TOKENS = "import { tokens } from 'printed:client';\n";
const APOLLO = TOKENS + findSample(DOCUMENT, 'ts', 'InMemoryCache');
/** The printed recipes as modules. */
const PRINTED: Readonly<Record<string, string>> = {
  // Without the search that it ends with.
  client: findSample(DOCUMENT, 'ts', 'createTokenCache').replace(/^const found [\s\S]*/m, ''),
  apollo: APOLLO,
  'apollo-without-arguments': APOLLO.replace(
    /relayStylePagination\(\[.*?\]\)/,
    'relayStylePagination()',
  ),
  urql: TOKENS + findSample(DOCUMENT, 'js', '@urql/exchange-graphcache'),
  relay: TOKENS + findSample(DOCUMENT, 'js', 'Network.create'),
  tanstack: `import { crossbook } from 'printed:client';\n${findSample(DOCUMENT, 'ts', 'queryKey')}`,
};
const ENTRY = `
  export * from './recipes.ts';
  export { apollo as apolloClient } from 'printed:apollo';
  export { apollo as carelessClient } from 'printed:apollo-without-arguments';
  export { urql as urqlClient } from 'printed:urql';
  export { relay as relayEnvironment } from 'printed:relay';
  export { listContacts } from 'printed:tanstack';
`;
const LUMEN: Search = { provider: 'HUBSPOT', filter: { emailDomain: 'lumen.example' } };
const EXAMPLE: Search = { provider: 'HUBSPOT', filter: { emailDomain: 'example.com' } };
const IN_SALESFORCE: Search = { ...LUMEN, provider: 'SALESFORCE' };
/** The demo's connection that cannot be searched. */
const IN_ZENDESK: Search = { ...LUMEN, provider: 'ZENDESK_SELL' };
const STEPS: readonly Step[] = [
  { does: 'show', search: LUMEN },
  { does: 'turn', search: LUMEN },
  { does: 'show', search: EXAMPLE },
  { does: 'turn', search: EXAMPLE },
  { does: 'show', search: IN_SALESFORCE },
];

/** The lists in the page, as expressions of it. */
const LISTS = {
  'Apollo Client': 'recipes.apollo(recipes.apolloClient)',
  urql: 'recipes.urql(recipes.urqlClient)',
  Relay: 'recipes.relay(recipes.relayEnvironment, artifacts)',
  'TanStack Query': 'recipes.tanstack(recipes.listContacts)',
};
/** What docs/clients.md explains: Apollo Client says it in development when a CRM fails. */
const EXPLAINED = 'reading it back returned a partial result';
const LATER = '2999-01-01T00:00:00Z';

describe.runIf(CHROMIUM)('A page with the recipe that is printed for', () => {
  let crossbook: ListeningApp;
  let server: PageServer;
  let browser: Browser;
  let page: Page;
  let artifacts: Artifacts;
  let expected: string[][];
  /** What the page's own server answers next, in place of a token. */
  let next: string | undefined;
  let issued: number;
  const complaints: string[] = [];

  beforeAll(async () => {
    crossbook = await listenApp();
    server = await openPageServer(await bundle(`${crossbook.url}/graphql`));
    browser = await openBrowser();
    artifacts = compile();
    const code = findSample(DOCUMENT, 'ts', 'issueToken')
      .replace(PRINTED_URL, `${crossbook.url}/graphql`)
      .replace('cbk_…', crossbook.key)
      .replace('customerId: string', 'customerId');
    const { issueToken } = await runSample<{ issueToken: (id: string) => Promise<object> }>(code, {
      given: { createClient },
      declares: ['issueToken'],
    });
    page = await openPage(browser);
    page.on('console', (message) => {
      // The browser itself reports a response with an error status, such as that of a refused token.
      const isOurs = !message.text().startsWith('Failed to load resource');
      if (isOurs && ['warning', 'error'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.route('**/api/token', async (route) => {
      issued += 1;
      const token = next;
      next = undefined;
      const json = token === undefined ? await issueToken('demo') : { token, expiresAt: LATER };
      await route.fulfill({ json });
    });
    expected = [
      await find(LUMEN, 4),
      await find(LUMEN, 8),
      await find(EXAMPLE, 4),
      await find(EXAMPLE, 8),
      await find(IN_SALESFORCE, 4),
    ];
  });
  afterAll(async () => {
    await browser.close();
    server.close();
    await crossbook.close();
  });
  beforeEach(() => load());
  afterEach(() => {
    expect(complaints.splice(0).filter((text) => !text.includes(EXPLAINED))).toEqual([]);
  });

  /** Loads the page, with the token that its server answers first: urql fetches one at once. */
  async function load(token?: string): Promise<void> {
    next = token;
    issued = 0;
    await page.goto(server.url);
    await expect.poll(() => issued).toBe(1);
  }

  describe.each(Object.entries(LISTS))('%s', (_name, open) => {
    const visit = (steps: readonly Step[]) =>
      page.evaluate(
        ([opened, given, wanted]) =>
          recipes.visit(new Function('artifacts', `return ${opened}`)(given), wanted),
        [open, artifacts, steps] as const,
      );

    test('shows each search its own people, page after page', async () => {
      expect(await visit(STEPS)).toEqual(expected);
      expect(issued).toBe(1);
    });

    test('replaces a token that is refused', async () => {
      await load('refused');
      expect(await visit(STEPS.slice(0, 1))).toEqual(expected.slice(0, 1));
      expect(issued).toBe(2);
    });

    test('shows the error of a CRM that fails each time, not an empty list, and the other CRMs', async () => {
      const failing = { does: 'show', search: IN_ZENDESK } as const;
      const shown = { does: 'show', search: LUMEN } as const;
      const [first = [], second, other] = await visit([failing, failing, shown]);
      expect(first.join()).toMatch(/^NOT_IMPLEMENTED$|cannot be searched/);
      expect([second, other]).toEqual([first, expected[0]]);
    });
  });

  test.each(['apollo', 'urql'] as const)(
    '%s, has the contacts of one CRM together with the error of another',
    async (name) => {
      const seen = await page.evaluate(
        (one) =>
          one === 'apollo'
            ? recipes.apolloBoth(recipes.apolloClient)
            : recipes.urqlBoth(recipes.urqlClient),
        name,
      );
      expect(seen).toEqual({ found: 1, error: 'NOT_IMPLEMENTED' });
    },
  );

  test('Apollo Client, but without its arguments, shows people of the other search: so these tests would notice', async () => {
    const [, lumen = [], example = []] = await page.evaluate(
      (steps) => recipes.visit(recipes.apollo(recipes.carelessClient), steps),
      STEPS.slice(0, 3),
    );
    expect(example.some((id) => lumen.includes(id))).toBe(true);
  });

  async function find({ provider, filter }: Search, first: number): Promise<string[]> {
    const { data } = await crossbook.execute(
      `query ($filter: ContactFilter!) { searchContacts(provider: ${provider}, filter: $filter, first: ${first}) { nodes { id } } }`,
      { filter },
      { 'x-api-key': crossbook.key },
    );
    const ids = data.searchContacts.nodes.map(({ id }: { readonly id: string }) => id);
    expect(ids).toHaveLength(first);
    return ids;
  }
});

async function bundle(url: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'recipes',
    // Of development, because the clients warn only there.
    define: { 'process.env.NODE_ENV': '"development"', 'globalThis.__DEV__': 'true' },
    conditions: ['development'],
    plugins: [
      {
        name: 'printed',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^printed:/ }, ({ path }) => ({
            path: path.slice(8),
            namespace: 'printed',
          }));
          onLoad({ filter: /./, namespace: 'printed' }, ({ path }) => ({
            contents: PRINTED[path]?.replaceAll(PRINTED_URL, url) ?? '',
            loader: 'ts',
            resolveDir: import.meta.dirname,
          }));
        },
      },
    ],
  });
  return outputFiles[0]?.text ?? '';
}

/** The printed fragment in a query, with the texts of its operations. */
function compile(): Artifacts {
  const query = `graphql\`
    query ContactListTestQuery($provider: ProviderName!, $filter: ContactFilter!, $count: Int!) {
      ...ContactList_query @arguments(provider: $provider, filter: $filter, count: $count)
    }
  \`;`;
  const app = compileRelay(`${findSample(DOCUMENT, 'js', 'react-relay')}\n${query}`, 'ContactList');
  expect(app.output).not.toMatch(/error|warn/i);
  const texts = JSON.parse(readFileSync(app.manifest, 'utf8')) as Record<string, string>;
  const load = (name: string) => {
    const request = app.load<ConcreteRequest>(name);
    return { ...request, params: { ...request.params, text: texts[request.params.id ?? ''] } };
  };
  const artifacts = {
    query: load('ContactListTestQuery'),
    more: load('ContactListPaginationQuery'),
    fragment: app.load<ReaderFragment>('ContactList_query'),
  };
  app.remove();
  // Without functions and getters, as it is sent to the page.
  return JSON.parse(JSON.stringify(artifacts)) as Artifacts;
}

declare const recipes: typeof import('./recipes.ts') & {
  readonly apolloClient: ApolloClient;
  readonly carelessClient: ApolloClient;
  readonly urqlClient: Client;
};
