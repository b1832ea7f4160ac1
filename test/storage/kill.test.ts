import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import type { Target } from '../../src/storage/engine/open.ts';
import { type CompiledStorage, compileStorage, linesOf } from '../support/compiled-storage.ts';
import { createTestDatabase, TEST_RING, type TestDatabase } from '../support/databases.ts';
import { createDice } from '../support/dice.ts';
import { SEED } from '../support/fast-check.ts';

const KILLS = 15;
const MOST_WRITES = 40;

let storage: CompiledStorage;
beforeAll(() => {
  storage = compileStorage();
});
afterAll(() => storage.remove());

describe('a data directory', () => {
  const root = mkdtempSync(join(tmpdir(), 'crossbook-killed-'));
  afterAll(() => rmSync(root, { recursive: true }));

  test(`loses nothing to ${KILLS} kills`, async () => {
    await survive({ directory: join(root, 'data') });
  });
});

describe('a server', () => {
  let fresh: TestDatabase;
  beforeAll(async () => {
    fresh = await createTestDatabase();
  });
  afterAll(() => fresh.drop());

  test(`loses nothing to ${KILLS} kills of its client`, () => survive({ url: fresh.url }));
});

/**
 * A process writes until it is killed in the middle of its writes. The next process starts on that data and reports its
 * state first, so each kill also tests recovery.
 */
async function survive(target: Target): Promise<void> {
  const database = await openDatabase(target, { keyRing: TEST_RING });
  const { id } = await database.admin.createApplication('killed');
  await database.close();
  const acknowledged: Acknowledged = new Map();
  const dice = createDice(SEED);
  let writes = 0;
  for (let run = 0; run <= KILLS; run += 1) {
    const dieAfter = dice.next(MOST_WRITES);
    writes += await liveAndDie({ script: toScript(target, id, run), run, dieAfter }, acknowledged);
  }
  expect(writes).toBeGreaterThan(KILLS);
}

/** Resolves, with the number of writes that were acknowledged, when the process is dead. */
async function liveAndDie(
  { script, run, dieAfter }: Life,
  acknowledged: Acknowledged,
): Promise<number> {
  const child = storage.run(script);
  const complaints: string[] = [];
  child.stderr?.on('data', (text: Buffer) => complaints.push(text.toString()));
  const exited = once(child, 'exit');
  let started = false;
  let writes = 0;
  for await (const line of linesOf(child)) {
    const told = JSON.parse(line);
    if (started) acknowledged.set(told.customerId, { ...told, run });
    else compare(told, run, acknowledged);
    writes += started ? 1 : 0;
    started = true;
    if (writes === dieAfter) child.kill('SIGKILL');
  }
  expect((await exited)[1], complaints.join('')).toBe('SIGKILL');
  expect(started).toBe(true);
  return writes;
}

function compare(found: readonly Found[], run: number, acknowledged: Acknowledged): void {
  const byId = new Map(found.map((customer) => [customer.customerId, customer]));
  for (const { customerId, version, mark, run: writer } of acknowledged.values()) {
    const stored = byId.get(customerId);
    expect(stored?.version, customerId).toBeGreaterThanOrEqual(version);
    // For each process since, one write may be in the database although its acknowledgement was lost.
    expect(stored?.version, customerId).toBeLessThanOrEqual(version + run - writer);
    if (stored?.version === version) expect(stored.mark).toBe(mark);
  }
  // A write changes three tables: all of them, or none.
  for (const { mark, marks } of found) expect(marks).toEqual([mark, mark, mark, mark]);
}

function toScript(target: Target, applicationId: string, run: number): string {
  return `
    const keyRing = parseKeyRing('test:${Buffer.alloc(32, 'test').toString('base64')}');
    const database = await openDatabase(${JSON.stringify(target)}, { keyRing });
    const { customers, credentials } = database.forApplication('${applicationId}');
    const tell = (told) => process.stdout.write(JSON.stringify(told) + '\\n');
    const ids = Array.from({ length: 8 }, (_, index) => 'customer-' + index);

    const found = (await customers.findMany(ids)).filter(Boolean);
    tell(await Promise.all(found.map(async ({ customerId, version, name, connections }) => ({
      customerId,
      version,
      mark: name,
      marks: (await Promise.all(connections.map(async ({ id, instanceUrl }) =>
        [instanceUrl, (await credentials.read(id))?.credentials.value]))).flat(),
    }))));

    await Promise.all(ids.map(async (customerId) => {
      for (let count = 0; ; count += 1) {
        const mark = '${run}-' + count;
        const token = { type: 'token', value: mark };
        const connections = ['hubspot', 'gong'].map((providerName) =>
          ({ providerName, instanceUrl: mark, credentials: token }));
        const { customer } = await customers.upsert({ customerId, name: mark, email: 'a@b.c', connections });
        tell({ customerId, version: customer.version, mark });
      }
    }));`;
}

interface Life {
  readonly script: string;
  /** The number of the process. */
  readonly run: number;
  /** Killed after so many writes were acknowledged. */
  readonly dieAfter: number;
}

interface Written {
  readonly customerId: string;
  readonly version: number;
  /** Identifies the write. */
  readonly mark: string;
}

/** By customer: the last acknowledged write, and the number of its process. */
type Acknowledged = Map<string, Written & { readonly run: number }>;

interface Found extends Written {
  /** Of each connection: in its own row, and in its credentials'. */
  readonly marks: readonly string[];
}
