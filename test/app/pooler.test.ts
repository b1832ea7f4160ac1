import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { openEngine } from '../../src/storage/engine/open.ts';
import { createEmptyDatabase, createTestDatabase } from '../support/databases.ts';
import { PGBOUNCER } from '../support/machine.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { PRODUCTION_TIMEOUTS } from '../support/patience.ts';
import { openRival } from '../support/postgres-rival.ts';
import { runCli } from '../support/run-cli.ts';
import { openPgBouncer } from './pgbouncer.ts';

const REQUESTS = 10_000;
const AT_ONCE = 40;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe.skipIf(!PGBOUNCER)('Behind PgBouncer in transaction mode', () => {
  test(`a start runs migrations, and ${REQUESTS} requests of every kind get correct responses`, async () => {
    const { url } = await openPooled(createEmptyDatabase);
    const crossbook = await openApp({
      database: { url, pooler: 'transaction' },
      databaseConnections: 20,
    });
    closing.push(crossbook.close);
    const counts = new Map<string, number>();
    let next = 0;
    const client = async () => {
      while (next < REQUESTS) {
        const number = next++;
        const [kind, answer] = await ask(crossbook, number);
        const key = `${kind} ${answer}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    const each = REQUESTS / KINDS.length;
    expect(Object.fromEntries(counts)).toEqual(
      Object.fromEntries(KINDS.map(({ name, expected }) => [`${name} ${expected}`, each])),
    );
  });

  test('without the PgBouncer setting the start fails with an error that names it', async () => {
    const { url } = await openPooled(createTestDatabase);
    const opened = openApp({ database: { url } }, PRODUCTION_TIMEOUTS);
    await expect(opened).rejects.toThrow(
      /unsupported startup parameter.*CROSSBOOK_DATABASE_POOLER=transaction/,
    );
  });

  test('`doctor` names missing settings and role attributes, and reports success once they are there', async () => {
    const ignoring = {
      ignore_startup_parameters:
        'statement_timeout,lock_timeout,idle_in_transaction_session_timeout',
    };
    const { url, direct } = await openPooled(createTestDatabase, ignoring);
    expect(await examine({ DATABASE_URL: url })).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('CROSSBOOK_DATABASE_POOLER is not transaction'),
    });
    const pooled = { DATABASE_URL: url, CROSSBOOK_DATABASE_POOLER: 'transaction' };
    expect(await examine(pooled)).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining('lock_timeout'),
    });
    const rival = await openRival(direct);
    const name = new URL(direct).pathname.slice(1);
    await rival.run(`alter database ${name} set lock_timeout = '500ms'`);
    await rival.run(`alter database ${name} set statement_timeout = '10s'`);
    await rival.run(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
    );
    await rival.close();
    await expect
      .poll(() => examine(pooled))
      .toMatchObject({ state: 'ok', detail: 'transaction mode' });
    expect(await examine({ ...pooled, DATABASE_URL: direct })).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining('no pooler in transaction mode'),
    });
    expect(await examine({ DATABASE_URL: direct })).toBeUndefined();
  });
});

describe.skipIf(!PGBOUNCER)('Behind PgBouncer in session mode', () => {
  test('a start runs migrations, and requests of every kind get correct responses within the timeouts', async () => {
    const { url } = await openPooled(createEmptyDatabase, { pool_mode: 'session' });
    const database = { url, pooler: 'session' } as const;
    const crossbook = await openApp({ database, databaseConnections: 2 });
    closing.push(crossbook.close);
    for (let number = 0; number < 20 * KINDS.length; number += 1) {
      const { name, expected } = KINDS[number % KINDS.length] ?? {};
      expect(await ask(crossbook, number)).toEqual([name, expected]);
    }
    const engine = await openEngine(database, { poolSize: 1, statementTimeoutMs: 1_234 });
    closing.push(engine.close);
    const statement = { name: 'test_timeout', text: 'show statement_timeout' };
    expect(await engine.query(statement, [])).toEqual([{ statement_timeout: '1234ms' }]);
  });

  test('`doctor` has no complaint', async () => {
    const { url } = await openPooled(createTestDatabase, { pool_mode: 'session' });
    expect(
      await examine({ DATABASE_URL: url, CROSSBOOK_DATABASE_POOLER: 'session' }),
    ).toBeUndefined();
  });
});

async function examine(env: Record<string, string>) {
  const { json } = await runCli(['doctor', '--json'], { env: { CROSSBOOK_KEYS: KEYS, ...env } });
  const findings: { subject: string; state: string; detail: string }[] = json();
  return findings.find(({ subject }) => subject === 'pooler');
}

async function openPooled(create: typeof createTestDatabase, settings = {}) {
  const database = await create();
  closing.push(database.drop);
  const pooler = await openPgBouncer(database.url, settings);
  closing.push(pooler.close);
  return { url: pooler.url, direct: database.url };
}

async function ask(crossbook: TestApp, number: number): Promise<readonly [string, string]> {
  const kind = KINDS[number % KINDS.length];
  if (!kind) throw new Error('There is no such kind.');
  return [kind.name, await kind.ask(crossbook, number)];
}

const HUBSPOT = { 'x-provider-name': 'hubspot' };
const ADA = { filter: { email: 'ada@example.com' } };

const KINDS: readonly Kind[] = [
  {
    name: 'upsert',
    expected: '200',
    ask: async ({ rest }, number) => {
      // Some customers twice, so that the upsert inserts and updates.
      const customer = {
        customer_id: `c${number % 500}`,
        name: `Nr ${number}`,
        email: 'it@example.com',
      };
      return String((await rest('PUT', '/customers', customer)).status);
    },
  },
  {
    name: 'customer',
    expected: '200 demo',
    ask: async ({ rest }) => {
      const { status, body } = await rest('GET', '/customers/demo');
      return `${status} ${body.customer_id}`;
    },
  },
  {
    name: 'cached search',
    expected: '200 Ada',
    ask: async ({ rest }) => {
      const { status, body } = await rest(
        'POST',
        '/contacts/_search?read_from_cache=true',
        ADA,
        HUBSPOT,
      );
      return `${status} ${body.records?.[0]?.first_name}`;
    },
  },
  {
    name: 'graphql',
    expected: 'demo',
    ask: async ({ execute }) =>
      (await execute('{ customer { customerId } }')).data?.customer?.customerId,
  },
  {
    name: 'invented key',
    expected: '401',
    ask: async ({ rest }) => {
      const headers = { 'x-api-key': `cbk_${randomUUID()}_${randomUUID()}` };
      return String((await rest('GET', '/customers/demo', undefined, headers)).status);
    },
  },
];

const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;

interface Kind {
  readonly name: string;
  readonly expected: string;
  ask(crossbook: TestApp, number: number): Promise<string>;
}
