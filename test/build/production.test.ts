import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmptyDatabase, type TestDatabase } from '../support/databases.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import '../support/process-sources.ts';

const run = promisify(execFile);
/** As they stand in the section, one block each. */
const [INSTALL = '', SETTINGS = '', FIRST_KEY = '', START = ''] = readBlocks('From a clone to production');
/** What the tests install already is not fetched again; what is left out has to go. The way to the providers is closed. */
const NPM = `#!/bin/sh
case "$*" in
  "ci --include=dev") exec ln -s "$SOURCE/node_modules" node_modules ;;
  "ci --omit=dev --omit=optional") exec rm node_modules ;;
  "run build") exec "$NPM" run build ;;
esac
exit 9
`;
const OFFLINE = `--import=data:text/javascript,globalThis.fetch=()=>Promise.reject(Error('offline'))`;

const root = makeTemporaryFolder();
const children: ChildProcess[] = [];
let database: TestDatabase;

beforeAll(async () => {
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'bin/npm'), NPM, { mode: 0o755 });
  database = await createEmptyDatabase();
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await database.drop();
  rmSync(root, { recursive: true, force: true });
});

describe('from a clone', () => {
  const folder = join(root, 'clone');
  let key = '';

  test('it is built by the printed words, and what builds is left out', async () => {
    await copyTracked(folder);
    await shell(INSTALL);
  });

  test('the settings are the owner’s alone', async () => {
    await shell(SETTINGS);
    const mode = spawnSync('ls', ['-l', join(folder, 'production.env')], { encoding: 'utf8' }).stdout;
    expect(mode).toMatch(/^-rw-------/);
    expect(readFileSync(join(folder, 'production.env'), 'utf8')).toMatch(/^CROSSBOOK_KEYS=k1:.{44}$/m);
  });

  test('an application and its key are made, and doctor finds nothing wrong', async () => {
    const { stdout } = await shell(FIRST_KEY);
    key = /^cbk_\S+$/m.exec(stdout)?.[0] ?? '';
    expect(key).not.toBe('');
    expect(stdout).not.toContain('FAILED');
    expect(stdout).toMatch(/^ok +configuration +production/m);
  });

  test('it starts, and answers who has the key', async () => {
    const url = await start(START, folder);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await fetch(`${url}/customers/nobody`, { headers: { 'x-api-key': key } })).status).toBe(404);
  });

  const shell = (script: string) => run('sh', ['-e', '-c', script], { cwd: folder, env: environment() });
});

test('in the image’s way: what its last stage has is enough', async () => {
  const [builder = '', image = ''] = readFileSync('Dockerfile', 'utf8')
    .split(/^FROM .*$/m)
    .slice(1);
  const [build, folder] = [join(root, 'build'), join(root, 'image')];
  for (const [, paths = ''] of builder.matchAll(/^COPY (.+)$/gm)) {
    const [target = '', ...sources] = paths.split(' ').reverse();
    for (const source of sources) {
      cpSync(source, join(build, target.startsWith('./') ? source : target), { recursive: true });
    }
  }
  symlinkSync(join(process.cwd(), 'node_modules'), join(build, 'node_modules'));
  const [, command = ''] = /^RUN (node .+)$/m.exec(builder) ?? [];
  await run('sh', ['-c', command], { cwd: build, env: environment() });
  expect(image).toContain('COPY --from=build --chown=root:root /app/dist dist');
  cpSync(join(build, 'dist'), join(folder, 'dist'), { recursive: true });
  for (const name of ['package.json', 'LICENSE']) cpSync(name, join(folder, name));
  const keys = `CROSSBOOK_KEYS=k1:${Buffer.alloc(32, 1).toString('base64')}`;
  const url = await start(`${keys} NODE_ENV=production exec dist/crossbook`, folder);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
});

function environment(): Record<string, string> {
  const npm = spawnSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).stdout.trim();
  return {
    PATH: `${join(root, 'bin')}:${process.env['PATH']}`,
    ...{ HOME: root, SOURCE: process.cwd(), NPM: npm, NODE_OPTIONS: OFFLINE },
    ...{ DATABASE_URL: database.url, PORT: '0', CROSSBOOK_DATA: join(root, 'data') },
  };
}

function start(script: string, cwd: string): Promise<string> {
  const child = spawn('sh', ['-c', script.replace(/^dist/, 'exec dist')], { cwd, env: environment() });
  children.push(child);
  let printed = '';
  // Its output is read to the end: who closes it ends the process with its next line.
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => {
        printed += text;
        const url = /ready at (\S+)/.exec(printed)?.[1];
        if (url !== undefined) resolve(url);
      });
    }
    child.once('close', () => reject(new Error(`It ended: ${printed}`)));
  });
}

async function copyTracked(folder: string): Promise<void> {
  const { stdout } = await run('git', ['ls-files', '-z']);
  for (const path of stdout.split('\0').filter(Boolean)) cpSync(path, join(folder, path));
}

function readBlocks(heading: string): string[] {
  const [, section = ''] = readFileSync('docs/operations.md', 'utf8').split(`\n## ${heading}\n`);
  const [words = ''] = section.split('\n## ');
  return [...words.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
}
