import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { createStatementBreakers } from '../../src/storage/engine/circuit-breaker.ts';
import { createFakeClock } from '../support/clock.ts';
import { createTestDatabase, TEST_RING, type TestDatabase } from '../support/databases.ts';
import { openRival, type Rival } from '../support/postgres-rival.ts';

const ADA = { customerId: 'ada', name: 'Ada', email: 'ada@example.com' };
const BOB = { ...ADA, customerId: 'bob' };
const REFUSED = { code: 'SERVICE_UNAVAILABLE', retryAfterMs: 1_000 };
const LOCK_TIMEOUT = Object.assign(new Error('canceling statement due to lock timeout'), {
  code: '55P03',
});

const clock = createFakeClock();
let fresh: TestDatabase;
let database: Database;
let rival: Rival;
let applicationId: string;

beforeAll(async () => {
  fresh = await createTestDatabase();
  database = await openDatabase(fresh, {
    keyRing: TEST_RING,
    clock,
    poolSize: 4,
    lockTimeoutMs: 200,
    deadlineMs: 1_000,
  });
  rival = await openRival(fresh.url);
  applicationId = (await database.admin.createApplication('test')).id;
  await database.forApplication(applicationId).customers.upsert(ADA);
});
afterAll(async () => {
  await database.close();
  await rival.close();
  await fresh.drop();
});

test('after one statement timed out at a locked table it is rejected immediately, while other statements and the probe succeed', async () => {
  const { customers, connections } = database.forApplication(applicationId);
  await rival.run('begin');
  await rival.run('lock table crossbook.customers');
  await expect(customers.upsert(ADA)).rejects.toMatchObject(REFUSED);
  expect(await connections.findMany([{ customerId: 'ada', providerName: 'hubspot' }])).toEqual([
    undefined,
  ]);
  expect(await database.checkShared()).toMatchObject({ database: true, writable: true });
  await rival.run('rollback');
  // The lock is gone, so these rejections come from the open circuit breaker.
  for (let n = 0; n < 3; n++) await expect(customers.upsert(ADA)).rejects.toMatchObject(REFUSED);
  await clock.advance(500);
  expect((await customers.upsert(ADA)).customer.version).toBe(2);
  expect((await customers.upsert(ADA)).customer.version).toBe(3);
});

test('a locked row of one customer does not block upserts of another', async () => {
  const { customers } = database.forApplication(applicationId);
  await rival.run('begin');
  await rival.run(`select from crossbook.customers where customer_id = 'ada' for update`);
  await expect(customers.upsert(ADA)).rejects.toMatchObject(REFUSED);
  expect((await customers.upsert(BOB)).created).toBe(true);
  await rival.run('rollback');
});

test('an upsert outlasts a row that is locked for longer than the lock timeout, as by a slow disk', async () => {
  const patient = await openDatabase(fresh, {
    keyRing: TEST_RING,
    lockTimeoutMs: 50,
    deadlineMs: 600_000,
  });
  const { customers } = patient.forApplication(applicationId);
  const { version } = (await customers.upsert(ADA)).customer;
  await rival.run('begin');
  await rival.run(`select from crossbook.customers where customer_id = 'ada' for update`);
  const written = customers.upsert(ADA);
  await rival.untilSomebodyWaits();
  await rival.run('select pg_sleep(0.2)');
  await rival.run('rollback');
  expect((await written).customer.version).toBe(version + 1);
  await patient.close();
});

test('while the table is locked one statement at a time tries, and after each failure none for a while', async () => {
  const breakers = createStatementBreakers(clock);
  let tried = 0;
  let end: ((error?: Error) => void) | undefined;
  const run = () =>
    breakers.run('select', () => {
      tried += 1;
      return new Promise<void>((resolve, reject) => {
        end = (error) => (error ? reject(error) : resolve());
      });
    });
  for (let round = 1; round <= 3; round++) {
    const trying = run();
    const refused = round > 1 ? [expect(run()).rejects.toBe(LOCK_TIMEOUT)] : [];
    expect(tried).toBe(round);
    end?.(LOCK_TIMEOUT);
    await Promise.all([...refused, expect(trying).rejects.toBe(LOCK_TIMEOUT)]);
    await expect(run()).rejects.toBe(LOCK_TIMEOUT);
    expect(tried).toBe(round);
    await clock.advance(500);
  }
  const answered = run();
  end?.();
  await answered;
  for (let n = 0; n < 2; n++) void run();
  expect(tried).toBe(6);
});
