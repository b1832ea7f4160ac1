import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatStartupMessage } from '../../src/http/welcome.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { toFetch } from '../support/to-fetch.ts';

const URL_ = 'http://localhost:4000';

describe.each([
  { what: 'any query', operations: undefined, path: '/graphql' },
  {
    what: 'names with a prefix',
    operations: undefined,
    path: '/graphql',
    rootFieldPrefix: 'crm_',
  },
  { what: 'only trusted documents', operations: 'operations.json', path: '/contacts/_search' },
])('where GraphQL takes $what', ({ operations, path, rootFieldPrefix }) => {
  let crossbook: TestApp;
  beforeAll(async () => {
    crossbook = await openApp({ operations, rootFieldPrefix });
  });
  afterAll(() => crossbook.close());
  const ask = (url: string, init: RequestInit) =>
    toFetch(crossbook.app.answer)(new Request(url, init));

  test('the startup message names pages that exist, and its command finds a contact', async () => {
    const message = formatStartupMessage({ ...crossbook.app, url: URL_ });
    const pages = [...message.matchAll(/(?:GraphiQL|REST) +(\S+)/g)].map(([, url = '']) => url);
    expect(pages).toHaveLength(operations ? 1 : 2);
    const headers = { accept: 'text/html', 'accept-encoding': 'gzip' };
    for (const page of pages) expect((await ask(page, { headers })).status).toBe(200);
    const { url, ...init } = readCurl(message);
    expect(new URL(url).pathname).toBe(path);
    const found = await ask(url, init);
    expect([found.status, await found.text()]).toEqual([200, expect.stringMatching(/Lovelace/)]);
  });

  test('the home page names what exists, has an icon, and shows the same command', async () => {
    const page = await (await ask(`${URL_}/`, {})).text();
    expect(page.includes('href="/graphql"')).toBe(operations === undefined);
    expect(page).toMatch(/<link rel="icon" href="data:image/);
    expect(page).toContain(`curl -s ${URL_}${path}`);
    expect(page).toContain('class="copied"');
    if (operations) return;
    const { url, ...init } = readCurl(formatStartupMessage({ ...crossbook.app, url: URL_ }));
    const [, shown = ''] = /The response:<\/p>\s*<pre[^>]*>([^<]*)<\/pre>/.exec(page) ?? [];
    const printed = await (await ask(url, init)).json();
    expect(JSON.parse(shown.replaceAll('&quot;', '"'))).toEqual(printed);
  });
});

/** The last command of the message as a request. */
function readCurl(message: string) {
  const command = message.slice(message.lastIndexOf('curl -s '));
  const [, url = ''] = /curl -s (\S+)/.exec(command) ?? [];
  const headers = [...command.matchAll(/-H '([^:]+): ([^']*)'/g)].map(([, name, value]) => [
    name,
    value,
  ]);
  const [, body = ''] = /-d '([^']*)'/.exec(command) ?? [];
  return { url, method: 'POST', headers: Object.fromEntries(headers), body };
}
