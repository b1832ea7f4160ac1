import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canUnshare, IS_ROOT } from '../../../test/support/machine.ts';
import { expectNoProcessLeft } from '../../../test/support/processes.ts';
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts';
import { startServer } from '../src/index.ts';
import { findBinaries, linkLibraries } from '../src/programs.ts';
import { ask, type CompiledServer, compileServer, readDatabases } from './child.ts';

const root = makeTemporaryFolder();
let compiled: CompiledServer;
beforeAll(() => {
  compiled = compileServer();
});
afterAll(() => {
  compiled.remove();
  rmSync(root, { recursive: true });
});

describe('the path of a data folder', () => {
  test.each(['with spaces', 'one,two', 'a "quoted" one', "it's", 'é', 'x'.repeat(120)])(
    'may be %s',
    async (name) => {
      const directory = join(root, name, 'data');
      const server = await startServer({ directory });
      expect(await ask(server.url, 'show data_directory')).toBe(directory);
      const sockets = readSocketFolder(directory);
      expect(existsSync(sockets)).toBe(true);
      await server.close();
      await expectNoProcessLeft(directory);
      expect(existsSync(sockets)).toBe(false);
    },
  );
});

describe('the content of the folder', () => {
  test('is accessible to its owner only, and durable', async () => {
    const directory = join(root, 'own', 'data');
    const server = await startServer({ directory });
    for (const path of [directory, `${directory}.socket`])
      expect(statSync(path).mode & 0o777).toBe(0o700);
    for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes'])
      expect(await ask(server.url, `show ${setting}`)).toBe('on');
    expect(await ask(server.url, 'show server_encoding')).toBe('UTF8');
    expect(await ask(server.url, 'show listen_addresses')).toBe('');
    const wrong = new URL(server.url);
    wrong.password = 'guessed';
    await expect(ask(wrong.href, 'select 1')).rejects.toThrow('password authentication failed');
    expect(readFileSync(join(directory, 'pg_hba.conf'), 'utf8')).not.toMatch(/^[^#]*trust/m);
    await server.close();
  });

  test.each([
    ['of another program', 'PG_VERSION', '17', { code: 'FOREIGN_DATA' }],
    [
      'of another major version',
      'crossbook.json',
      '{"major":17,"password":"p"}',
      { code: 'OTHER_VERSION', message: expect.stringMatching(/PostgreSQL 17, .* PostgreSQL 18/) },
    ],
    [
      'cut short',
      'crossbook.json',
      '{"maj',
      { message: expect.stringContaining('cannot be read') },
    ],
  ])('is rejected when it is %s', async (_, file, content, error) => {
    const directory = join(makeFolder(), 'data');
    mkdirSync(directory);
    writeFileSync(join(directory, file), content);
    await expect(startServer({ directory })).rejects.toMatchObject(error);
    expect(existsSync(`${directory}.lock`)).toBe(false);
  });
});

test('without the links of the install script, links are created beside the data', () => {
  const binaries = findBinaries();
  const copy = join(makeFolder(), 'package', 'native');
  cpSync(binaries.folder, copy, { recursive: true, filter: (path) => !isLink(path) });
  const libraries =
    linkLibraries({ ...binaries, folder: copy }, join(makeFolder(), 'libraries')) ?? '';
  for (const program of ['postgres', 'initdb']) {
    const run = (env: Record<string, string>) =>
      spawnSync(join(copy, 'bin', program), ['--version'], { encoding: 'utf8', env });
    expect(run({}).status).not.toBe(0);
    expect(run({ LD_LIBRARY_PATH: libraries }).stdout).toContain('(PostgreSQL) 18');
  }
});

describe.runIf(IS_ROOT)('under root', () => {
  test('the server runs as the owner of the folder', async () => {
    const folder = makeFolder();
    chownSync(folder, 1, 1);
    const server = await startServer({ directory: join(folder, 'data') });
    expect(statSync(join(folder, 'data')).uid).toBe(1);
    await server.close();
  });

  test('a folder of root gets a server with an unused uid, also at the next start', async () => {
    const directory = join(makeFolder(), 'data');
    await readDatabases(directory);
    const { uid } = statSync(directory);
    expect(readFileSync('/etc/passwd', 'utf8')).not.toContain(`:${uid}:`);
    expect(uid).toBeGreaterThan(60_000);
    await readDatabases(directory);
    expect(statSync(directory).uid).toBe(uid);
  });

  test('data below a folder that the server’s user cannot access are kept in /var/lib', async () => {
    const closed = mkdtempSync(join(tmpdir(), 'crossbook-closed-'));
    const directory = join(closed, 'below', 'data');
    const log: string[] = [];
    const server = await startServer({ directory, log: (_, message) => log.push(message) });
    const place = await ask(server.url, 'show data_directory');
    await server.close();
    expect(place).toMatch(/^\/var\/lib\/crossbook\/[0-9a-f]{32}\/data$/);
    expect(log.join()).toContain(place);
    expect(statSync(join(place, '..')).mode & 0o777).toBe(0o711);
    chmodSync(closed, 0o755);
    expect(await readDatabases(directory)).toBe('');
    expect(existsSync(directory)).toBe(false);
    rmSync(join(place, '..'), { recursive: true });
    rmSync(closed, { recursive: true });
  });

  test('where only the folder survives and not /var/lib, as in a new container, a start is refused instead of being empty', async () => {
    const closed = mkdtempSync(join(tmpdir(), 'crossbook-closed-'));
    const directory = join(closed, 'below', 'data');
    const server = await startServer({ directory });
    const place = await ask(server.url, 'show data_directory');
    await server.close();
    rmSync(join(place, '..'), { recursive: true });
    for (let times = 0; times < 2; times += 1)
      await expect(startServer({ directory })).rejects.toThrow(`${place}, which is missing`);
    rmSync(`${directory}.moved`);
    const empty = await startServer({ directory });
    await empty.close();
    rmSync(join(place, '..'), { recursive: true });
    rmSync(closed, { recursive: true });
  });

  test('a folder in /var/lib that others can write to is not used', async () => {
    const closed = mkdtempSync(join(tmpdir(), 'crossbook-closed-'));
    const directory = join(closed, 'below', 'data');
    const id = '0123456789abcdef0123456789abcdef';
    mkdirSync(join(closed, 'below'));
    writeFileSync(`${directory}.home`, id);
    mkdirSync(`/var/lib/crossbook/${id}`, { recursive: true });
    chmodSync(`/var/lib/crossbook/${id}`, 0o777);
    await expect(startServer({ directory })).rejects.toThrow(
      'is not used, because users other than root',
    );
    rmSync(`/var/lib/crossbook/${id}`, { recursive: true });
    rmSync(closed, { recursive: true });
  });

  test('a user without a name gets a one-line error, and can start on an existing folder', async () => {
    const folder = makeFolder();
    chownSync(folder, 54_321, 54_321);
    const directory = join(folder, 'data');
    const open = `await (await startServer({ directory: '${directory}' })).close();`;
    const first = await runAs(54_321, open);
    expect(first).toContain('has none for this one');
    // Started as root, which creates a user name for the uid.
    expect(await readDatabases(directory)).toBe('');
    expect(statSync(directory).uid).toBe(54_321);
    expect(await runAs(54_321, open)).toBe('');
  });

  async function runAs(uid: number, body: string): Promise<string> {
    const script = `try { ${body} } catch (error) { console.log(error.message); }`;
    const child = spawn('setpriv', [
      `--reuid=${uid}`,
      `--regid=${uid}`,
      '--clear-groups',
      ...compiled.command(script),
    ]);
    const said: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => said.push(text.toString()));
    await once(child, 'close');
    return said.join('');
  }
});

describe.runIf(canUnshare())('two containers', () => {
  test('on one volume start only one server, although their process ids are in separate namespaces', async () => {
    const directory = join(makeFolder(), 'data');
    const body = `await startServer({ directory: '${directory}' });
      process.stdout.write('open'); setInterval(() => {}, 1_000);`;
    const other = spawn('unshare', [
      '--pid',
      '--ipc',
      '--uts',
      '--mount-proc',
      '--fork',
      '--kill-child',
      ...compiled.command(body),
    ]);
    await once(other.stdout, 'data');
    await expect(readDatabases(directory)).rejects.toThrow(/in use by process \d+ on /);
    other.kill('SIGKILL');
    await once(other, 'exit');
    await expectNoProcessLeft(directory);
  });
});

function makeFolder(): string {
  const folder = mkdtempSync(join(root, 'folder-'));
  chmodSync(folder, 0o755);
  return folder;
}

/** The fifth line of the pid file. Other servers have theirs in the same temporary folder. */
function readSocketFolder(directory: string): string {
  return readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')[4] ?? '';
}

function isLink(path: string): boolean {
  return /\.so(\.\d+)?$/.test(path) && /lib(ecpg|icu|pgtypes|pq)/.test(path);
}
