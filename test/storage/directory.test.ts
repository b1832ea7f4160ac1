import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { lockDirectory } from '../../src/storage/embedded/directory-lock.ts';
import { type CompiledStorage, compileStorage, linesOf } from '../support/compiled-storage.ts';
import { ringOf, TEST_RING } from '../support/databases.ts';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'crossbook-data-'));
});
afterAll(() => rmSync(root, { recursive: true }));

describe('a data directory', () => {
  let storage: CompiledStorage;
  beforeAll(() => {
    storage = compileStorage();
  });
  afterAll(() => storage.remove());

  test('is used by one process only, and has every acknowledged write after a kill -9', async () => {
    const directory = join(root, 'killed');
    const child = storage.run(`
      const keyRing = parseKeyRing('test:${Buffer.alloc(32, 'test').toString('base64')}');
      const database = await openDatabase({ directory: ${JSON.stringify(directory)} }, { keyRing });
      const { id } = await database.admin.createApplication('x');
      const { customers } = database.forApplication(id);
      const connections = [{ providerName: 'hubspot', credentials: { type: 'token', value: 'v' } }];
      for (let index = 0; ; index += 1) {
        const customerId = String(index);
        await customers.upsert({ customerId, name: 'N', email: 'a@b.c', connections });
        process.stdout.write(id + ' ' + customerId + '\\n');
      }`);
    const exited = once(child, 'exit');
    const acknowledged: string[] = [];
    for await (const line of linesOf(child)) {
      acknowledged.push(line);
      if (acknowledged.length === 1) {
        const refused = openDatabase({ directory }, { keyRing: TEST_RING });
        await expect(refused).rejects.toThrow(
          new RegExp(`in use by process ${child.pid} .*stop that process`),
        );
      }
      if (acknowledged.length === 50) child.kill('SIGKILL');
    }
    await exited;
    expect(acknowledged.length).toBeGreaterThanOrEqual(50);

    const database = await openDatabase({ directory }, { keyRing: TEST_RING });
    const { customers } = database.forApplication(acknowledged[0]?.split(' ')[0] ?? '');
    const stored = await customers.findMany(acknowledged.map((line) => line.split(' ')[1] ?? ''));
    expect(stored.map((customer) => customer?.connections.length)).toEqual(
      acknowledged.map(() => 1),
    );
    await database.close();

    // Only the owner can access the directory, and a start with another key fails with an explanation.
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(existsSync(`${directory}.lock`)).toBe(false);
    await expect(openDatabase({ directory }, { keyRing: ringOf('other') })).rejects.toThrow(
      /key ring lacks: add test behind the first/,
    );
    expect(existsSync(`${directory}.lock`)).toBe(false);
  });
});

describe('the lock', () => {
  let holder: object;
  beforeAll(() => {
    const release = lockDirectory(join(root, 'own'));
    const own = JSON.parse(readFileSync(join(root, 'own.lock'), 'utf8'));
    holder = { ...own, started: 'another time', token: 't' };
    release();
  });
  const leave = (name: string, content: string) => {
    const directory = join(root, name);
    writeFileSync(`${directory}.lock`, content);
    return directory;
  };
  const age = (directory: string) => utimesSync(`${directory}.lock`, new Date(0), new Date(0));

  test('rejects the same process too, until it is released', () => {
    const directory = join(root, 'same');
    const release = lockDirectory(directory);
    expect(() => lockDirectory(`${directory}/`)).toThrow(`in use by process ${process.pid}`);
    release();
    lockDirectory(directory)();
  });

  test('is taken over if its process has ended, even when the process id is in use again', () => {
    const directory = leave('reused', JSON.stringify(holder));
    const release = lockDirectory(directory);
    expect(JSON.parse(readFileSync(`${directory}.lock`, 'utf8')).pid).toBe(process.pid);
    release();
  });

  test('is valid only while it is touched, when its holder is on another host', () => {
    const directory = leave('host', JSON.stringify({ ...holder, host: 'elsewhere', pid: 1 }));
    expect(() => lockDirectory(directory)).toThrow('process 1 on elsewhere');
    age(directory);
    lockDirectory(directory)();
  });

  test('is valid while it is touched, when its holder is another container with the same host name', () => {
    const directory = leave(
      'container',
      JSON.stringify({ ...holder, space: 'another namespace', pid: 1 }),
    );
    expect(() => lockDirectory(directory)).toThrow('in use by process 1');
    age(directory);
    lockDirectory(directory)();
  });

  test.each(['', '{"pid":'])(
    'does not block a start when a power cut truncated it (%j)',
    (content) => {
      const directory = leave('short', content);
      lockDirectory(directory)();
      expect(existsSync(`${directory}.lock`)).toBe(false);
    },
  );

  test('is not removed by its former holder after a takeover', () => {
    const directory = join(root, 'taken');
    const release = lockDirectory(directory);
    writeFileSync(`${directory}.lock`, JSON.stringify({ ...holder, token: 'theirs' }));
    release();
    expect(existsSync(`${directory}.lock`)).toBe(true);
  });
});
