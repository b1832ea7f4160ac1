import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSandbox, type Sandbox } from '@crossbook/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { parseKeyRing } from '../../src/storage/key-ring.ts';
import { type Compiled, compile } from '../support/compile.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';
import { openRival } from '../support/postgres-rival.ts';
import { type Replica, startReplica } from '../support/start-replica.ts';

const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;
const IDLE = 200;

let fresh: TestDatabase;
let sandbox: Sandbox;
let compiled: Compiled;
let rival: Awaited<ReturnType<typeof openRival>>;
const children: ChildProcess[] = [];

beforeAll(async () => {
  [fresh, sandbox] = await Promise.all([createTestDatabase(), openSandbox()]);
  compiled = compile('test/app/refreshing-process.ts');
});
afterAll(async () => {
  for (const child of children) child.kill();
  await rival.close();
  compiled.remove();
  await sandbox.close();
  await fresh.drop();
});

test('one of two replicas refreshes idle tokens, and when it is killed the other takes over: each token is refreshed once, and none is lost', async () => {
  const accounts = Array.from({ length: IDLE }, () => {
    const account = sandbox.salesforce.createAccount({ people: [], limits: null });
    account.setQuirks({ rotateRefreshTokens: true });
    return account;
  });
  const refreshes = () => accounts.map((account) => account.calls().filter(isRefresh).length);
  const total = () => refreshes().reduce((sum, count) => sum + count, 0);
  await connect(accounts);
  rival = await openRival(fresh.url);
  const clients = Object.fromEntries(accounts.map((one) => [one.clientId, one.clientSecret]));

  // Used a day ago: no token counts as idle.
  await idleFor('1 day');
  const [first, second] = await Promise.all([start(clients), start(clients)]);
  first.run();
  expect(await first.outcome()).toEqual([]);

  await idleFor('8 days');
  await endLease();
  first.run();
  await expect.poll(total).toBeGreaterThan(5);
  second.run();
  expect(await second.outcome()).toEqual([]);
  await expect.poll(total).toBeGreaterThan(IDLE / 4);
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  const underWay = total();
  expect(underWay).toBeLessThan(IDLE);

  // The lease has expired, and an hour later so have the claims of the killed process.
  await endLease();
  await rival.run('update crossbook.credentials set idle_since = null where generation = 1');
  second.run();
  const outcomes = (await second.outcome()) as string[];
  const lost = outcomes.filter((outcome) => outcome !== 'renewed');
  const twice = refreshes().filter((count) => count > 1);
  expect(refreshes().every((count) => count >= 1)).toBe(true);
  // Only the refresh that the killed process had sent but not stored may be repeated.
  expect(twice.length).toBeLessThanOrEqual(1);
  expect(lost.length).toBeLessThanOrEqual(twice.length);
  const states = await rival.run(
    'select status, count(*)::int as count from crossbook.connections group by status order by status',
  );
  expect(states[0]).toEqual({ status: 'connected', count: IDLE - lost.length });

  await endLease();
  second.run();
  expect(await second.outcome()).toEqual([]);
});

async function connect(accounts: readonly SalesforceAccount[]): Promise<void> {
  const database = await openDatabase(fresh, { ...PATIENT_DATABASE, keyRing: parseKeyRing(KEYS) });
  const { id } = await database.admin.createApplication('Idle');
  const { customers } = database.forApplication(id);
  const seeds = await openRival(fresh.url);
  for (const [index, { accessToken, refreshToken, instanceUrl, clientId }] of accounts.entries()) {
    const credentials = { type: 'oauth2', accessToken, refreshToken, expiresAt: null } as const;
    const connections = [{ providerName: 'salesforce' as const, instanceUrl, credentials }];
    const customerId = `idle ${index}`;
    const input = { customerId, name: 'I', email: 'i@example.com', connections };
    const { customer } = await customers.upsert(input);
    await seeds.run(
      `update crossbook.credentials set oauth_client_id = '${clientId}'
       where connection_id = '${customer.connections[0]?.id}'`,
    );
  }
  await seeds.close();
  await database.close();
}

async function idleFor(time: string): Promise<void> {
  await rival.run(
    `update crossbook.credentials set idle_since = null, updated_at = to_timestamp(${systemClock.wall() / 1_000}) - interval '${time}'`,
  );
}

/** Expires the lease. */
async function endLease(): Promise<void> {
  await rival.run(
    `update crossbook.job_leases set until = clock_timestamp() - interval '1 second'`,
  );
}

function start(clients: object): Promise<Replica> {
  const setup = { database: fresh.url, keys: KEYS, sandbox: sandbox.salesforce.origin, clients };
  return startReplica(compiled.file, setup, children);
}

function isRefresh({ operation }: { readonly operation: string | undefined }): boolean {
  return operation === 'oauth.token';
}

type SalesforceAccount = ReturnType<Sandbox['salesforce']['createAccount']>;
