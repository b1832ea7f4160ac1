import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { type CompiledStorage, compileStorage, linesOf } from '../support/compiled-storage.ts';
import { createTestDatabase, TEST_RING, type TestDatabase } from '../support/databases.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';

const PROCESSES = 4;
const EACH = 250;

describe('a thousand upserts at once, from four processes', () => {
  let storage: CompiledStorage;
  let fresh: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    storage = compileStorage();
    fresh = await createTestDatabase();
    database = await openDatabase(fresh, { ...PATIENT_DATABASE, keyRing: TEST_RING });
  });
  afterAll(async () => {
    await database.close();
    await fresh.drop();
    storage.remove();
  });

  test('give one row and each version once, without errors, when all name one customer', async () => {
    const { applicationId, answers } = await upsertFromAll('one');
    const versions = answers.map(({ version }) => version).sort((left, right) => left - right);
    expect(versions).toEqual(Array.from({ length: PROCESSES * EACH }, (_, index) => index + 1));
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
    const [stored] = await database.forApplication(applicationId).customers.findMany(['one']);
    const last = answers.find(({ version }) => version === PROCESSES * EACH);
    expect(stored).toMatchObject({
      version: PROCESSES * EACH,
      name: last?.name,
      connections: [{ providerName: 'hubspot', instanceUrl: last?.name }],
    });
  });

  test('give a thousand complete rows when each names another customer', async () => {
    const { applicationId, answers } = await upsertFromAll('each');
    expect(answers.every(({ created, version }) => created && version === 1)).toBe(true);
    const ids = answers.map(({ name }) => name);
    expect(new Set(ids).size).toBe(PROCESSES * EACH);
    const { customers } = database.forApplication(applicationId);
    const stored = await customers.findMany(ids);
    expect(stored).toHaveLength(PROCESSES * EACH);
    for (const customer of stored) {
      const instanceUrl = customer?.customerId ?? 'none';
      expect(customer?.connections).toMatchObject([{ providerName: 'hubspot', instanceUrl }]);
    }
  });

  /** All processes are ready before the first one begins. Any error ends its process and fails the test. */
  async function upsertFromAll(whom: 'one' | 'each') {
    const { id: applicationId } = await database.admin.createApplication(whom);
    const children = Array.from({ length: PROCESSES }, (_, place) =>
      follow(storage.run(toScript({ url: fresh.url, applicationId, whom, place }))),
    );
    for (const { lines } of children) expect((await lines.next()).value).toBe('ready');
    for (const { child } of children) child.stdin?.end('go');
    const answers = await Promise.all(
      children.map(async ({ lines, complaints, exited }): Promise<readonly Answer[]> => {
        const told = (await lines.next()).value;
        expect((await exited)[0], complaints.join('')).toBe(0);
        return JSON.parse(told ?? '[]');
      }),
    );
    return { applicationId, answers: answers.flat() };
  }
});

function follow(child: ChildProcess) {
  const complaints: string[] = [];
  child.stderr?.on('data', (text: Buffer) => complaints.push(text.toString()));
  return { child, lines: linesOf(child), complaints, exited: once(child, 'exit') };
}

function toScript({ url, applicationId, whom, place }: Work): string {
  return `
    const keyRing = parseKeyRing('test:${Buffer.alloc(32, 'test').toString('base64')}');
    const database = await openDatabase({ url: ${JSON.stringify(url)} }, { keyRing });
    const { customers } = database.forApplication('${applicationId}');
    process.stdout.write('ready\\n');
    await new Promise((resolve) => process.stdin.once('data', resolve));
    const answers = await Promise.all(Array.from({ length: ${EACH} }, async (_, index) => {
      const name = '${place}-' + index;
      const customerId = '${whom}' === 'one' ? 'one' : name;
      const connections = [{ providerName: 'hubspot', instanceUrl: name, credentials: { type: 'token', value: name } }];
      const { created, customer } = await customers.upsert({ customerId, name, email: 'a@b.c', connections });
      return { name, created, version: customer.version };
    }));
    process.stdout.write(JSON.stringify(answers) + '\\n');
    await database.close();`;
}

interface Work {
  readonly url: string;
  readonly applicationId: string;
  readonly whom: 'one' | 'each';
  readonly place: number;
}

interface Answer {
  readonly name: string;
  readonly created: boolean;
  readonly version: number;
}
