import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compile, generateTypes } from 'openapi-types-of-the-tests';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ListeningApp, listenApp } from '../../support/listen-app.ts';

/** Inside test/all, so that the generated program resolves its packages. */
const folder = join(import.meta.dirname, '../test-results', `openapi-client-${process.pid}`);
const PROGRAM = readFileSync(
  join(import.meta.dirname, '../../fixtures/openapi-client.txt'),
  'utf8',
);

let crossbook: ListeningApp;
beforeAll(async () => {
  crossbook = await listenApp();
  mkdirSync(folder, { recursive: true });
  const document: object = await (await fetch(`${crossbook.url}/openapi.json`)).json();
  writeFileSync(join(folder, 'api.ts'), await generateTypes(document));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
});
afterAll(async () => {
  await crossbook.close();
  rmSync(folder, { recursive: true });
});

test('a client generated from the OpenAPI document compiles, and runs both operations', async () => {
  writeFileSync(join(folder, 'client.ts'), PROGRAM);
  expect(compile([join(folder, 'client.ts')], folder)).toEqual([]);
  const { run } = await import(pathToFileURL(join(folder, 'client.js')).href);
  expect(await run(crossbook.url, crossbook.key)).toEqual({
    status: 200,
    lastName: 'Lovelace',
    total: 1,
    companies: [expect.stringMatching(/^\d+$/), expect.anything(), expect.anything()],
    refusal: '501',
    customer: 'openapi-client',
    providers: ['6sense', 'salesforce'],
    table: 'contacts',
    version: expect.stringMatching(/^"1-/),
  });
});

test('using a field that the OpenAPI document does not have fails to compile', () => {
  for (const [valid, invalid] of [
    ["'/contacts/_search'", "'/contacts/search'"],
    ["email: 'ada@example.com'", 'email: 5'],
    ["'x-provider-name': 'hubspot'", "'x-provider-name': 'HubSpot'"],
    ['page_size: 5', "page_size: 'five'"],
    ['total_count', 'totalCount'],
    ["provider_name: '6sense'", "provider_name: 'sixsense'"],
  ] as const) {
    expect(PROGRAM).toContain(valid);
    writeFileSync(join(folder, 'wrong.ts'), PROGRAM.replace(valid, invalid));
    expect(compile([join(folder, 'wrong.ts')], folder).length, invalid).toBeGreaterThan(0);
  }
});
