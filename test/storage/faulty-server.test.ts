import { rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CrossbookError } from '../../src/domain/errors.ts';
import { SyncFailure } from '../../src/domain/sync.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { ProtocolError } from '../../src/lib/postgres-messages.ts';
import { backUp } from '../../src/storage/backup.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { ConnectError } from '../../src/storage/engine/failures.ts';
import { migrate } from '../../src/storage/engine/migrate.ts';
import { openEngine } from '../../src/storage/engine/open.ts';
import { inspectDatabase, lookAtPooler } from '../../src/storage/inspect.ts';
import { createDestinations } from '../../src/sync/destinations.ts';
import { createEmptyDatabase, createTestDatabase, TEST_RING } from '../support/databases.ts';
import { createDice, createGivenDice } from '../support/dice.ts';
import { SEED } from '../support/fast-check.ts';
import {
  drawScript,
  type FaultyPostgres,
  openFaultyPostgres,
  type Script,
  toReport,
} from '../support/faulty-postgres.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { LOOPBACK_DESTINATIONS } from '../support/sync-hosts.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const folder = makeTemporaryFolder();
const TUNING = { deadlineMs: 1_000, connectionTimeoutMs: 5_000, statementTimeoutMs: 10_000 };
const ADA = { customerId: 'ada', name: 'Ada', email: 'ada@example.com' };
let server: FaultyPostgres;
let address = new URL('postgres://none');
let destinationName = '';
let closedPort = 0;
let applicationId = '';
let close = async () => {};

beforeAll(async () => {
  const direct = await createTestDatabase();
  const database = await openDatabase({ url: direct.url }, { keyRing: TEST_RING });
  applicationId = (await database.admin.createApplication('test')).id;
  await database.close();
  const destination = await createEmptyDatabase();
  destinationName = new URL(destination.url).pathname.slice(1);
  const client = new pg.Client(destination.url);
  await client.connect();
  await client.query('create schema crm');
  await client.end();
  closedPort = await findFreePorts();
  server = await openFaultyPostgres(direct.url);
  address = new URL(direct.url);
  address.search = '';
  address.hostname = '127.0.0.1';
  address.port = String(server.port);
  close = async () => {
    await server.close();
    await direct.drop();
    await destination.drop();
  };
});
afterAll(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

/** What the product does with databases, each with clients of its own. */
const SESSIONS: Readonly<Record<string, (run: number) => Promise<readonly unknown[]>>> = {
  async 'look-ups, writes and jobs'() {
    const database = await openDatabase(
      { url: address.href },
      { ...TUNING, keyRing: TEST_RING, cacheDelayMs: 0 },
    );
    const { customers, events } = database.forApplication(applicationId);
    const lease = '00000000-0000-4000-8000-000000000000';
    const all = await Promise.allSettled([
      ...Array.from({ length: 5 }, () => customers.upsert(ADA)),
      ...Array.from({ length: 5 }, () => customers.findMany(['ada'])),
      events.list({ limit: 10, after: undefined, customerId: undefined }),
      database.rowRemovals.claim(lease, 1_000),
      database.syncQueue.claim({ lease, leaseMs: 1_000, free: 1, held: new Map() }),
      database.ping(),
    ]);
    // Connections that were in use when a fault came are used again.
    const later = await Promise.allSettled([customers.findMany(['ada']), database.ping()]);
    await database.close();
    return failuresOf([...all, ...later]);
  },
  migrations: (run) =>
    withEngine(address.href, async (engine) => {
      const table = `crossbook.faulty_${run}`;
      await migrate(engine, {
        migrations: [
          { name: `${run} table`, statements: [`create table ${table} (id int)`] },
          {
            name: `${run} index`,
            statements: [`CREATE INDEX CONCURRENTLY "faulty_index_${run}" ON ${table} (id)`],
          },
          {
            name: `${run} rows`,
            statements: [`-- in batches\ndelete from ${table} returning id`],
          },
        ],
      });
      return [];
    }),
  'sessions and locks': () =>
    withEngine(address.href, async (engine) =>
      failuresOf(
        await Promise.allSettled([
          engine.holdSharedLock('faulty'),
          engine.session((run) => run('select $1::text as value', ['x'])),
          engine.ping(),
        ]),
      ),
    ),
  async 'the search for a primary'() {
    const several = address.href.replace(
      `127.0.0.1:${server.port}`,
      `127.0.0.1:${server.port},127.0.0.1:${closedPort},localhost:${server.port}`,
    );
    return withEngine(several, async (engine) => {
      const statement = { name: 'one', text: 'select 1' };
      return failuresOf(
        await Promise.allSettled(Array.from({ length: 4 }, () => engine.query(statement, []))),
      );
    });
  },
  async 'the commands doctor and backup'(run) {
    const target = { url: address.href };
    return failuresOf(
      await Promise.allSettled([
        inspectDatabase(target, TEST_RING),
        lookAtPooler(address.href),
        backUp(target, join(folder, `${run}.gz`)),
      ]),
    );
  },
  async 'syncs and removals of rows'(run) {
    const destinations = createDestinations({ clock: systemClock, hosts: LOOPBACK_DESTINATIONS });
    const { username: user, password, port } = address;
    const secret = { host: '127.0.0.1', port: Number(port), database: destinationName, user };
    const destination = { ...secret, password, caCertificate: null, schema: 'crm' };
    const key = { applicationId, customerId: 'ada', providerName: 'hubspot' } as const;
    const opened = destinations.open({ ...destination, applicationId, version: 1 });
    const table = { schema: 'crm', table: `faulty_${run % 5}` };
    const write = async () => {
      const one = await opened.openTable({ ...key, ...table, kind: 'CUSTOM', edgeTables: [] });
      const records = ['1', '2'].map((id) => ({ id, lastModifiedAt: null, data: { id } }));
      const rows = [one.toRows(records)];
      await one.write({
        rows,
        removed: ['3'],
        edges: [],
        syncedAt: new Date(),
        mayCommit: () => true,
      });
    };
    const all = await Promise.allSettled([
      destinations.check(destination),
      write(),
      opened.deleteRows(table, key),
    ]);
    await destinations.close();
    return failuresOf(all);
  },
};

async function withEngine<T>(
  url: string,
  work: (engine: Awaited<ReturnType<typeof openEngine>>) => Promise<T>,
): Promise<T> {
  const engine = await openEngine({ url }, TUNING);
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

function failuresOf(settled: readonly PromiseSettledResult<unknown>[]): readonly unknown[] {
  return settled.flatMap((one) => (one.status === 'rejected' ? one.reason : []));
}

/** Whether it says what happened to the database: errors of the runtime say only where the code was. */
function isOurs(failure: unknown): boolean {
  if (failure instanceof CrossbookError) return failure.code === 'SERVICE_UNAVAILABLE';
  if (failure instanceof SyncFailure || failure instanceof ConnectError) return true;
  if (failure instanceof ProtocolError || failure instanceof pg.DatabaseError) return true;
  return failure instanceof Error && OUR_WORDS.test(failure.message);
}

const OUR_WORDS =
  /^(?:PostgreSQL at |The database refused a statement|Connection terminated|Client has encountered a connection error|Received unexpected)/;

const RUNS = Number(process.env['CROSSBOOK_TEST_RUNS'] ?? 24);

test.each(Object.entries(SESSIONS))(
  'whatever PostgreSQL sends at any point of %s, the process lives, and each operation ends',
  async (name, session) => {
    for (let run = 0; run < RUNS / Object.keys(SESSIONS).length; run += 1) {
      const script = drawScript(createDice(SEED + run));
      const { faults, failures } = await collectFaults(script, () => session(run));
      const what = `${name}, seed ${SEED + run}: ${server.happened().join(', ')}`;
      expect(faults, what).toEqual([]);
      expect(
        failures.filter((failure) => !isOurs(failure)),
        what,
      ).toEqual([]);
    }
  },
);

test('a session that a server ends in the packet in which it accepts it is not used: a statement gets another one', async () => {
  const statement = { name: 'one', text: 'select 1 as one' };
  const ended: Script = [
    { at: 'Z', ...toReport('FATAL', '57P01', { isReady: true })(createGivenDice([0])) },
  ];
  const rows: unknown[] = [];
  const { faults, failures } = await collectFaults(ended, () =>
    withEngine(address.href, async (engine) => {
      rows.push(...(await engine.query(statement, [])));
      return [];
    }),
  );
  expect({ faults, failures, rows, happened: server.happened() }).toEqual({
    faults: [],
    failures: [],
    rows: [{ one: 1 }],
    happened: ['FATAL 57P01 ready'],
  });
});

/** What would end the process, and how the work ended. */
async function collectFaults(script: Script, work: () => Promise<readonly unknown[]>) {
  const faults: unknown[] = [];
  const add = (error: unknown) => void faults.push(error);
  const names = ['uncaughtException', 'unhandledRejection'] as const;
  const before = names.map((name) => process.rawListeners(name) as (() => void)[]);
  for (const name of names) process.removeAllListeners(name).on(name, add);
  server.play(script);
  try {
    const failures = await Promise.resolve(work()).catch((error: unknown) => [error]);
    await new Promise(setImmediate);
    return { faults, failures };
  } finally {
    names.forEach((name, at) => {
      process.off(name, add);
      for (const listener of before[at] ?? []) process.on(name, listener);
    });
  }
}
