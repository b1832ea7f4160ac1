import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDice } from '../../../test/support/dice.ts';
import {
  expectNoProcessLeft,
  findProcesses,
  readCommand,
  readServerPid,
} from '../../../test/support/processes.ts';
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts';
import { startServer } from '../src/index.ts';
import { ask, type CompiledServer, compileServer, connect, readDatabases } from './child.ts';

/** Number of kills; set EMBEDDED_KILLS=30 for more. */
const KILLS = Number(process.env['EMBEDDED_KILLS'] ?? 3);
const SEED = Number(process.env['EMBEDDED_SEED'] ?? 17);
/** About how long a first start takes. */
const FIRST_START_MS = 3_000;

const root = makeTemporaryFolder();
afterAll(() => rmSync(root, { recursive: true }));

describe('a process that is killed with -9 during its first start', () => {
  let compiled: CompiledServer;
  beforeAll(() => {
    compiled = compileServer();
  });
  afterAll(() => compiled.remove());
  const dice = createDice(SEED);
  const delays = Array.from({ length: KILLS }, () => dice.next(FIRST_START_MS));

  test.each(delays)(
    `leaves no process after %i ms (seed ${SEED}), and the next start works`,
    async (delay) => {
      const directory = join(root, `killed-${delay}`, 'data');
      const child = compiled.run(`
      process.stdout.write('begun');
      await startServer({ directory: ${JSON.stringify(directory)} });
      await new Promise(() => setInterval(() => {}, 1_000));`);
      await once(child.stdout ?? child, 'data');
      await wait(delay);
      await kill(child);
      await expectNoProcessLeft(directory);
      expect(await readDatabases(directory)).toBe('');
      await expectNoProcessLeft(directory);
      const beside = readdirSync(join(root, `killed-${delay}`)).filter((name) =>
        name.includes('draft'),
      );
      expect(beside).toEqual([]);
    },
  );
});

test('a server that outlives its process and its guard is stopped by the next start, which has the data', async () => {
  const compiled = compileServer();
  const directory = join(root, 'guard', 'data');
  const child = compiled.run(`
    const { url } = await startServer({ directory: ${JSON.stringify(directory)} });
    process.stdout.write(url);
    await new Promise(() => setInterval(() => {}, 1_000));`);
  const [url] = await once(child.stdout ?? child, 'data');
  await (await connect(String(url))).query('create database kept');
  const server = readServerPid(directory);
  const ended = once(child, 'exit');
  const guards = findProcesses(directory).filter((pid) =>
    readCommand(pid).includes('crossbook-guard'),
  );
  expect(guards.length).toBeGreaterThan(0);
  for (const pid of guards) process.kill(pid, 'SIGKILL');
  child.kill('SIGKILL');
  await ended;
  expect(findProcesses(directory)).toContain(server);
  expect(await readDatabases(directory)).toBe('kept');
  await expectNoProcessLeft(directory);
  compiled.remove();
});

describe('a server that is killed with -9', () => {
  test('is restarted automatically with all committed writes', async () => {
    const directory = join(root, 'server', 'data');
    const log: string[] = [];
    const server = await startServer({
      directory,
      log: (level, message) => log.push(`${level} ${message}`),
    });
    const client = await connect(server.url);
    await client.query("create table kept as select 'yes' as value");
    const before = readServerPid(directory);
    process.kill(before, 'SIGKILL');
    await expect.poll(() => ask(server.url, 'select value from kept').catch(() => '')).toBe('yes');
    expect(readServerPid(directory)).not.toBe(before);
    expect(log).toContainEqual(
      expect.stringMatching(/^error PostgreSQL ended with .* started again/),
    );
    await server.close();
    await expectNoProcessLeft(directory);
  });

  test.each(['a process that lives', 'a zombie'])(
    'does not block a start when its process id now belongs to %s',
    async (kind) => {
      const directory = join(root, kind.replaceAll(' ', '-'), 'data');
      await readDatabases(directory);
      // As the server's user: PostgreSQL ignores processes of other users.
      const { uid, gid } = statSync(directory);
      const script =
        kind === 'a zombie' ? 'sleep 0.2 & echo $!; exec sleep 600' : 'echo $$; exec sleep 600';
      const other = spawn('/bin/sh', ['-c', script], { uid, gid, cwd: '/' });
      const [pid] = await once(other.stdout, 'data');
      const state = () =>
        readFileSync(`/proc/${String(pid).trim()}/stat`, 'utf8').split(') ')[1]?.[0];
      // `exec` replaced the shell with `sleep`, which does not reap its children.
      if (kind === 'a zombie') await expect.poll(state).toBe('Z');
      writeFileSync(
        join(directory, 'postmaster.pid'),
        `${String(pid).trim()}\n${directory}\n1\n5432\n\n\n\n`,
      );
      expect(await readDatabases(directory)).toBe('');
      other.kill();
    },
  );

  test('logs why it cannot restart while its folder is broken, keeps trying, and recovers with the folder', async () => {
    const directory = join(root, 'broken', 'data');
    const log: string[] = [];
    const onLog = (level: string, message: string) => void log.push(`${level} ${message}`);
    const server = await startServer({ directory, log: onLog });
    const { rename } = await import('node:fs/promises');
    await rename(`${directory}/global`, `${directory}/moved`);
    process.kill(readServerPid(directory), 'SIGKILL');
    const complaints = () => log.filter((line) => line.includes('cannot be started')).length;
    await expect.poll(complaints).toBeGreaterThan(1);
    await rename(`${directory}/moved`, `${directory}/global`);
    await expect.poll(() => ask(server.url, 'select 1').catch(() => '')).toBe('1');
    await server.close();
  });
});

test('a folder that a start of another user left incomplete is emptied first', async () => {
  const directory = join(root, 'begun', 'data');
  mkdirSync(`${directory}.draft-0123/cluster`, { recursive: true });
  writeFileSync(`${directory}.draft-0123/cluster/PG_VERSION`, '18');
  expect(await readDatabases(directory)).toBe('');
  expect(readdirSync(join(root, 'begun')).filter((name) => name.includes('draft'))).toEqual([]);
});

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
