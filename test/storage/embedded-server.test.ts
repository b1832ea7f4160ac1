import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { hasEmbeddedDatabase, startEmbeddedServer } from '../../src/storage/embedded-server.ts';
import { TEST_RING } from '../support/databases.ts';
import { expectNoProcessLeft, readServerPid } from '../support/processes.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const root = makeTemporaryFolder();
afterAll(() => rmSync(root, { recursive: true }));

describe('An embedded server that cannot start says what to do', () => {
  test.each([
    [
      'with the data of PGlite, by its directory',
      'PG_VERSION',
      '17',
      /node ops\/carry-pglite\.mjs \/.+\/data rows\.gz.*"Migrate the data of another version"/,
    ],
    [
      'with another major version',
      'crossbook.json',
      '{"major":17,"password":"p"}',
      /PostgreSQL 17.*crossbook restore FILE/,
    ],
  ])('%s', async (name, file, content, words) => {
    const directory = join(root, name, 'data');
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, file), content);
    await expect(startEmbeddedServer({ directory })).rejects.toThrow(words);
    expect(() => hasEmbeddedDatabase(directory)).toThrow(words);
  });

  test('while another process uses the data', async () => {
    const directory = join(root, 'shared', 'data');
    const server = await startEmbeddedServer({ directory });
    await expect(startEmbeddedServer({ directory })).rejects.toThrow(
      /in use by process \d+ on .*stop that process.*DATABASE_URL/,
    );
    await server.close();
  });
});

describe('an embedded server that is killed with -9', () => {
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
    expect(log.some((line) => line.startsWith('error PostgreSQL ended'))).toBe(true);
    await database.close();
    await expectNoProcessLeft(directory);
  });
});
