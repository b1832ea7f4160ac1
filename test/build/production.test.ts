import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmptyDatabase } from '../support/databases.ts';
import { copyTracked, openProduction, type Production } from '../support/production.ts';

/** The code blocks of the section, in order. */
const [INSTALL = '', SETTINGS = '', FIRST_KEY = '', START = ''] = readBlocks(
  'docs/deployment.md',
  'From a clone to production',
);
const [BACK_UP = ''] = readBlocks('docs/maintain.md', 'Back up PostgreSQL');
const [RESTORE = ''] = readBlocks('docs/maintain.md', 'Restore');
const [UPGRADE = ''] = readBlocks('docs/maintain.md', 'Upgrade');
/** Packages that the tests have installed are not downloaded again; those that production omits are removed. */
const NPM = `#!/bin/sh
case "$*" in
  "ci --include=dev")
    mkdir -p node_modules/@crossbook
    ln -s $(ls -d "$SOURCE"/node_modules/* | grep -v @crossbook) node_modules
    exec ln -s "$PWD"/packages/* node_modules/@crossbook ;;
  "ci --omit=dev --omit=optional") exec rm -r node_modules ;;
  "run build") exec "$NPM" run build ;;
esac
exit 9
`;

let production: Production;
let folder: string;
let env: Record<string, string>;
let key = '';

beforeAll(async () => {
  production = await openProduction();
  folder = join(production.root, 'clone');
  mkdirSync(join(production.root, 'bin'));
  writeFileSync(join(production.root, 'bin/npm'), NPM, { mode: 0o755 });
  const npm = spawnSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).stdout.trim();
  const path = `${join(production.root, 'bin')}:${process.env['PATH']}`;
  env = { PATH: path, SOURCE: process.cwd(), NPM: npm };
});
afterAll(() => production.close());

test('a clone is built by the documented commands, and the build dependencies are removed', async () => {
  await copyTracked(folder);
  await shell(INSTALL);
});

test('the settings file is readable by its owner only', async () => {
  await shell(SETTINGS);
  const mode = spawnSync('ls', ['-l', join(folder, 'production.env')], { encoding: 'utf8' }).stdout;
  expect(mode).toMatch(/^-rw-------/);
  expect(readFileSync(join(folder, 'production.env'), 'utf8')).toMatch(
    /^CROSSBOOK_KEYS=k1:.{44}$/m,
  );
});

test('an application and its key are created, and doctor reports no problem', async () => {
  const printed = await shell(FIRST_KEY);
  key = /^cbk_\S+$/m.exec(printed)?.[0] ?? '';
  expect(key).not.toBe('');
  expect(printed).not.toContain('FAILED');
  expect(printed).toMatch(/^ok +configuration +production/m);
});

test('the production server starts, and responds to requests with the key', async () => {
  const url = await production.start(START, { cwd: folder, env });
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect((await fetch(`${url}/customers/nobody`, { headers: { 'x-api-key': key } })).status).toBe(
    404,
  );
});

test('the documented backup, made while the server runs, is restored into an empty database', async () => {
  await shell(BACK_UP);
  const other = await createEmptyDatabase();
  const restored = await shell(RESTORE, { DATABASE_URL: other.url });
  await other.drop();
  expect(restored).toMatch(/^ok +sealed data/m);
  expect(restored).not.toContain('FAILED');
});

test('the documented commands of an upgrade succeed while the server runs', async () => {
  expect(await shell(UPGRADE)).toContain('All migrations were applied already.');
});

function shell(script: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  return production.run(script, { cwd: folder, env: { ...env, ...more } });
}

/** The code blocks below a heading of any level, and at least one. */
function readBlocks(document: string, heading: string): string[] {
  const sections = readFileSync(document, 'utf8').split(/^#{2,} /m);
  const section = sections.find((one) => one.startsWith(`${heading}\n`)) ?? '';
  const blocks = [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  if (blocks.length === 0) throw new Error(`${document} has no commands below "${heading}".`);
  return blocks;
}
