import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
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
