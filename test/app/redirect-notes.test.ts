import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { openBrowser } from '../support/connect-browser.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { openApp } from '../support/open-app.ts';

const PUBLIC = { PUBLIC_URL: 'https://crm.example/crossbook' };
const HUBSPOT = { CROSSBOOK_HUBSPOT_CLIENT_ID: 'id', CROSSBOOK_HUBSPOT_CLIENT_SECRET: 'secret' };

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test.each<[of: string, env: Record<string, string>, printed: readonly string[]]>([
  [
    'with an OAuth client, the URI to register with its vendor, below the public URL',
    { ...PUBLIC, ...HUBSPOT },
    ['Redirect   https://crm.example/crossbook/connect/callback/hubspot'],
  ],
  [
    'with an OAuth client and without PUBLIC_URL, that customers cannot be sent to a CRM',
    { ...HUBSPOT, HOST: '0.0.0.0' },
    ['Redirect   customers cannot be sent to a CRM: PUBLIC_URL is not set'],
  ],
  ['without OAuth clients, nothing', PUBLIC, []],
])('a production start prints about redirect URIs: %s', async (_, env, printed) => {
  const config = readConfig({
    NODE_ENV: 'production',
    DATABASE_URL: database.url,
    CROSSBOOK_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    ...env,
  });
  const app = await createApp(config, { output: { write() {} }, readable: false });
  await app.close();
  expect(app.notes.filter((note) => note.startsWith('Redirect'))).toEqual(printed);
});

test('a start of the demo prints the URI that a connect link sends to each simulated CRM', async () => {
  const crossbook = await openApp({
    publicUrl: 'http://localhost:4000',
    sandbox: { port: 0, hosts: [], all: true },
  });
  const sent: string[] = [];
  for (const provider of Object.keys(crossbook.sandbox)) {
    const { status, body } = await crossbook.rest('POST', '/customers/demo/connect_links', {
      providers: [provider],
      return_url: 'http://localhost:3000/connected',
    });
    if (status !== 201) continue;
    const { consentUrl } = await openBrowser(crossbook.app).start(body.url, { provider });
    sent.push(`Redirect   ${new URL(consentUrl).searchParams.get('redirect_uri')}`);
  }
  expect(crossbook.app.notes.filter((note) => note.startsWith('Redirect')).sort()).toEqual(
    sent.sort(),
  );
  expect(sent).toContain('Redirect   http://localhost:4000/connect/callback/pipedrive');
  await crossbook.close();
});
