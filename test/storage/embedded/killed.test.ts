import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/storage/database.ts';
import { startEmbeddedServer } from '../../../src/storage/embedded/start.ts';
import { type CompiledStorage, compileStorage } from '../../support/compiled-storage.ts';
import { TEST_RING } from '../../support/databases.ts';
import { createDice } from '../../support/dice.ts';
import {
  expectNoProcessLeft,
  findProcesses,
  readApplications,
  readServerPid,
} from '../../support/embedded.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

/** Number of kills; set EMBEDDED_KILLS=30 for more. */
const KILLS = Number(process.env['EMBEDDED_KILLS'] ?? 3);
const SEED = Number(process.env['EMBEDDED_SEED'] ?? 17);
/** About how long a first start takes. */
const FIRST_START_MS = 3_000;

const root = makeTemporaryFolder();
afterAll(() => rmSync(root, { recursive: true }));

describe('a process that is killed with -9 during its first start', () => {
  let storage: CompiledStorage;
  beforeAll(() => {
    storage = compileStorage();
  });
  afterAll(() => storage.remove());
  const dice = createDice(SEED);
  const delays = Array.from({ length: KILLS }, () => dice.next(FIRST_START_MS));

  test.each(delays)(
    `leaves no process after %i ms (seed ${SEED}), and the next start works`,
    async (delay) => {
      const directory = join(root, `killed-${delay}`, 'data');
      const child = storage.run(`
      const keyRing = parseKeyRing('test:${Buffer.alloc(32, 'test').toString('base64')}');
      process.stdout.write('begun');
      await openDatabase({ directory: ${JSON.stringify(directory)} }, { keyRing });
      await new Promise(() => setInterval(() => {}, 1_000));`);
      await once(child.stdout ?? child, 'data');
      await wait(delay);
      await kill(child);
      await expectNoProcessLeft(directory);
      expect(await readApplications(directory)).toEqual([]);
      await expectNoProcessLeft(directory);
      const beside = readdirSync(join(root, `killed-${delay}`)).filter((name) =>
        name.includes('draft'),
      );
      expect(beside).toEqual([]);
    },
  );
});

test('a server that outlives its process and its guard is stopped by the next start, which has the data', async () => {
  const storage = compileStorage();
  const directory = join(root, 'guard', 'data');
  const child = storage.run(`
    const keyRing = parseKeyRing('test:${Buffer.alloc(32, 'test').toString('base64')}');
    const database = await openDatabase({ directory: ${JSON.stringify(directory)} }, { keyRing });
    await database.admin.createApplication('kept');
    process.stdout.write('created');
    await new Promise(() => setInterval(() => {}, 1_000));`);
  await once(child.stdout ?? child, 'data');
  const server = readServerPid(directory);
  const ended = once(child, 'exit');
  const guards = findProcesses(directory).filter((pid) => isGuard(pid));
  expect(guards.length).toBeGreaterThan(0);
  for (const pid of guards) process.kill(pid, 'SIGKILL');
  child.kill('SIGKILL');
  await ended;
  expect(findProcesses(directory)).toContain(server);
  expect(await readApplications(directory)).toEqual(['kept']);
  await expectNoProcessLeft(directory);
  storage.remove();
});

function isGuard(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('crossbook-guard');
}

describe('a server that is killed with -9', () => {
  test('is restarted automatically with all acknowledged writes; other writes were rejected as retryable', async () => {
    const directory = join(root, 'server', 'data');
    const log: string[] = [];
    const database = await openDatabase(
      { directory },
      {
        keyRing: TEST_RING,
        deadlineMs: 0,
        onServerLog: (level, message) => log.push(`${level} ${message}`),
      },
    );
    const { id } = await database.admin.createApplication('Acme');
    const { customers } = database.forApplication(id);
    const acknowledged: string[] = [];
    const refused: unknown[] = [];
    let isUnavailable = false;
    let count = 0;
    const write = async () => {
      while (
        !isUnavailable ||
        acknowledged.length < 50 ||
        refused.length === 0 ||
        log.length === 0
      ) {
        const customerId = String(count++);
        await customers.upsert({ customerId, name: 'N', email: 'a@b.c' }).then(
          () => acknowledged.push(customerId),
          async (error: unknown) => {
            refused.push(error);
            // While the circuit breaker is open, rejections are immediate: without a pause this loop would starve other work.
            await wait(5);
          },
        );
      }
    };
    const writers = Promise.all(Array.from({ length: 8 }, write));
    await expect.poll(() => acknowledged.length).toBeGreaterThan(20);
    process.kill(readServerPid(directory), 'SIGKILL');
    isUnavailable = true;
    await writers;
    for (const error of refused)
      expect(error).toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        retryAfterMs: expect.any(Number),
      });
    // A write succeeds as soon as the server is back.
    const again = () =>
      customers.upsert({ customerId: 'last', name: 'N', email: 'a@b.c' }).then(
        () => true,
        () => false,
      );
    await expect.poll(again).toBe(true);
    expect(await customers.findMany(acknowledged)).toMatchObject(
      acknowledged.map((customerId) => ({ customerId })),
    );
    expect(log.some((line) => line.startsWith('error The embedded database ended'))).toBe(true);
    await database.close();
    await expectNoProcessLeft(directory);
  });

  test.each(['a process that lives', 'a zombie'])(
    'does not block a start when its process id now belongs to %s',
    async (kind) => {
      const directory = join(root, kind.replaceAll(' ', '-'), 'data');
      await readApplications(directory);
      // As the server's user: PostgreSQL ignores processes of other users.
      const { uid, gid } = statSync(directory);
      const script =
        kind === 'a zombie' ? 'sleep 0.2 & echo $!; exec sleep 600' : 'echo $$; exec sleep 600';
      const other = spawn('/bin/sh', ['-c', script], { uid, gid, cwd: '/' });
      const [pid] = await once(other.stdout, 'data');
      const state = () =>
        readFileSync(`/proc/${String(pid).trim()}/stat`, 'utf8').split(') ')[1]?.[0];
      // `exec` replaced the shell with `sleep`, which does not reap its children.
      if (kind === 'a zombie') await expect.poll(state, { timeout: 10_000 }).toBe('Z');
      writeFileSync(
        join(directory, 'postmaster.pid'),
        `${String(pid).trim()}\n${directory}\n1\n5432\n\n\n\n`,
      );
      expect(await readApplications(directory)).toEqual([]);
      other.kill();
    },
  );

  test('logs why it cannot restart while its folder is broken, keeps trying, and recovers with the folder', async () => {
    const directory = join(root, 'broken', 'data');
    const log: string[] = [];
    const onLog = (level: string, message: string) => void log.push(`${level} ${message}`);
    const server = await startEmbeddedServer({ directory, log: onLog });
    const { rename } = await import('node:fs/promises');
    await rename(`${directory}/global`, `${directory}/moved`);
    process.kill(readServerPid(directory), 'SIGKILL');
    const complaints = () => log.filter((line) => line.includes('cannot be started')).length;
    await expect.poll(complaints).toBeGreaterThan(1);
    await rename(`${directory}/moved`, `${directory}/global`);
    const database = await openDatabase(
      { url: server.url },
      { keyRing: TEST_RING, deadlineMs: 30_000 },
    );
    await database.close();
    await server.close();
  });
});

test('a folder that a start of another user left incomplete is emptied first', async () => {
  const directory = join(root, 'begun', 'data');
  mkdirSync(`${directory}.draft-0123/cluster`, { recursive: true });
  writeFileSync(`${directory}.draft-0123/cluster/PG_VERSION`, '18');
  expect(await readApplications(directory)).toEqual([]);
  expect(readdirSync(join(root, 'begun')).filter((name) => name.includes('draft'))).toEqual([]);
});

async function kill(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
