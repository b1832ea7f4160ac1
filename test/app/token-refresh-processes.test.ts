import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { RecordedCall } from '@crossbook/sandbox';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ConnectionUpsert } from '../../src/domain/customer.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { parseKeyRing } from '../../src/storage/key-ring.ts';
import { type Compiled, compile } from '../support/compile.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';
import { openRival } from '../support/postgres-rival.ts';
import { startReplica } from '../support/start-replica.ts';
import {
  type ControlledAccount,
  type SandboxProcess,
  startSandbox,
} from '../support/start-sandbox.ts';

const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;
const EMAILS = Array.from({ length: 1_000 }, (_, index) => `person.${index}@many.example`);

/** Long enough that no other process takes over a refresh before the test ends it. */
const LEASE_MS = 3_000;

describe('An expired token and several processes:', () => {
  let fresh: TestDatabase;
  let sandbox: SandboxProcess;
  let compiled: Compiled;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    fresh = await createTestDatabase();
    compiled = compile('test/support/searching-process.ts');
    sandbox = await startSandbox();
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill();
  });
  afterAll(async () => {
    await sandbox.close();
    compiled.remove();
    await fresh.drop();
  });

  const setUp = async (provider: 'hubspot' | 'salesforce') => {
    const { origin, control } = sandbox[provider];
    const account = await control<ControlledAccount>('POST', '', {
      people: EMAILS.map((email) => ({ email })),
    });
    const application = await store(provider, { origin, account });
    const { clientId, clientSecret } = account;
    const facts = { application, provider, database: fresh.url, keys: KEYS, sandbox: origin };
    const path = `/${encodeURIComponent(account.id)}`;
    await control('POST', `${path}/expire`, {});
    return {
      application,
      fail: (fault: object) => control('POST', `${path}/faults`, fault),
      async calls() {
        return (await control<Calls>('GET', `${path}/calls`)).calls;
      },
      /** A running process that searches for these emails when it gets a message. */
      start(emails: readonly string[], refreshLeaseMs?: number) {
        const setup = { ...facts, emails, refreshLeaseMs, client: { clientId, clientSecret } };
        return startReplica(compiled.file, setup, children);
      },
    };
  };

  test.each(['hubspot', 'salesforce'] as const)(
    'processes that search %s a thousand times make one refresh call together, and every search succeeds',
    async (provider) => {
      const { start, calls } = await setUp(provider);
      const halves = await Promise.all(
        [EMAILS.slice(0, 500), EMAILS.slice(500)].map((half) => start(half)),
      );
      for (const { run } of halves) run();
      for (const { outcome } of halves) expect(await outcome()).toEqual({ found: 500, failed: [] });
      const operations = (await calls()).map(({ operation }) => operation);
      expect(operations.filter((operation) => operation === 'oauth.token')).toHaveLength(1);
      expect(operations.length).toBeGreaterThan(5);
    },
  );

  test('when the process that refreshes is killed, another one refreshes within the lease time, once', async () => {
    const { application, start, calls, fail } = await setUp('hubspot');
    const refreshes = async () =>
      (await calls()).filter(({ operation }) => operation === 'oauth.token');
    await fail({ fault: { kind: 'hang' }, operation: 'oauth.token' });
    const [holder, ...others] = await Promise.all(
      [0, 10, 20].map((from) => start(EMAILS.slice(from, from + 10), LEASE_MS)),
    );
    holder?.run();
    await expect.poll(refreshes).toHaveLength(1);
    holder?.child.kill('SIGKILL');
    await once(holder?.child as ChildProcess, 'exit');
    const endsAt = await readLeaseEnd(application.id);

    // A waiting process gives up after twice the lease time, with an error.
    for (const { run } of others) run();
    for (const { outcome } of others) expect(await outcome()).toEqual({ found: 10, failed: [] });
    const [hung, ...later] = await refreshes();
    expect(hung).toMatchObject({ status: 0 });
    expect(later).toEqual([expect.objectContaining({ status: 200 })]);
    expect(later[0]?.startedAt).toBeGreaterThanOrEqual(endsAt);
  });

  async function readLeaseEnd(applicationId: string): Promise<number> {
    const rival = await openRival(fresh.url);
    const [row] = await rival.run(
      `select floor(extract(epoch from refreshing_until) * 1000)::float8 as "endsAt"
       from crossbook.credentials where application_id = '${applicationId}'`,
    );
    await rival.close();
    return (row as { endsAt: number }).endsAt;
  }

  async function store(providerName: ConnectionUpsert['providerName'], { origin, account }: Where) {
    const database = await openDatabase(fresh, {
      ...PATIENT_DATABASE,
      keyRing: parseKeyRing(KEYS),
    });
    const application = await database.admin.createApplication(`${providerName} ${randomUUID()}`);
    const { accessToken, refreshToken, instanceUrl } = account;
    const connection: ConnectionUpsert = {
      providerName,
      instanceUrl: providerName === 'hubspot' ? origin : instanceUrl,
      credentials: { type: 'oauth2', accessToken, refreshToken, expiresAt: null },
    };
    const customer = {
      customerId: 'expired',
      name: 'E',
      email: 'e@example.com',
      connections: [connection],
    };
    await database.forApplication(application.id).customers.upsert(customer);
    await database.close();
    return { id: application.id, name: application.name };
  }
});

interface Where {
  readonly origin: string;
  readonly account: ControlledAccount;
}

interface Calls {
  readonly calls: readonly RecordedCall[];
}
