import pg from 'pg';
import {
  type Destinations,
  type OpenedDestination,
  type RowsOfCustomer,
  type StoredDestination,
  type SyncedRecord,
  SyncFailure,
  type SyncRows,
  type SyncTable,
  type TableOfSync,
  type Written,
  type WrittenBatch,
} from '../domain/sync.ts';
import { chunk } from '../lib/batcher.ts';
import type { Clock } from '../lib/clock.ts';
import { withErrorListener } from '../lib/error-listener.ts';
import { quote } from '../lib/text.ts';
import { DestinationClient } from './client.ts';
import { type HostRules, refuseOwnDatabase, toClientConfig } from './connect.ts';
import { type Place, toSyncFailure } from './failures.ts';
import { checkSchema, hasTable, prepareTable } from './prepare.ts';
import { createRowArrays, type Statements, toDeleteRows, toRange, toStatements } from './table.ts';
import { begin, hasResponded, LeaseLost, rollBack, STATEMENT_MS } from './transaction.ts';

/** The destinations of all applications: each has a small pool, which ends when it is not used. */
export function createDestinations(options: DestinationsOptions): OpenDestinations {
  const pools = new Map<string, KeptPool>();
  const { clock } = options;

  return {
    async check(destination) {
      const place = { ...destination, table: undefined };
      const client = await connectOnce(await toClientConfig(destination, options), place);
      try {
        await begin(client);
        await refuseOwnDatabase(client);
        await checkSchema(client, destination.schema);
        await client.query('rollback');
      } catch (error) {
        throw toSyncFailure(error, place) ?? error;
      } finally {
        await client.end().catch(() => undefined);
      }
    },

    open(destination) {
      return openDestination(async (place, work) => {
        const kept = poolOf(destination);
        kept.users += 1;
        try {
          const pool = await kept.pool;
          const client = await pool.connect();
          let isBroken = true;
          try {
            await begin(client);
            const result = await work(client);
            await client.query('commit');
            isBroken = false;
            return result;
          } catch (error) {
            isBroken = !(await rollBack(client, error));
            throw error;
          } finally {
            client.release(isBroken);
          }
        } catch (error) {
          const known = toSyncFailure(error, { ...destination, ...place });
          // After a failover its name may have another address.
          if (known?.code === 'DESTINATION_UNREACHABLE' || !hasResponded(error))
            end(destination.applicationId, kept);
          throw known ?? error;
        } finally {
          kept.users -= 1;
          kept.usedAt = clock.now();
        }
      });
    },

    endIdle() {
      for (const [applicationId, kept] of pools)
        if (kept.users === 0 && clock.now() - kept.usedAt >= IDLE_MS) end(applicationId, kept);
    },

    countPools: () => pools.size,

    async close() {
      const all = [...pools.values()];
      pools.clear();
      await Promise.all(all.map(async ({ pool }) => (await pool.catch(() => undefined))?.end()));
    },
  };

  /** One for each version of an application's destination. */
  function poolOf(destination: StoredDestination): KeptPool {
    const { applicationId, version } = destination;
    const known = pools.get(applicationId);
    if (known?.version === version) return known;
    if (known) end(applicationId, known);
    const kept = {
      version,
      pool: toClientConfig(destination, options).then(openPool),
      users: 0,
      usedAt: clock.now(),
    };
    kept.pool.catch(() => end(applicationId, kept));
    pools.set(applicationId, kept);
    return kept;
  }

  function end(applicationId: string, kept: KeptPool): void {
    if (pools.get(applicationId) === kept) pools.delete(applicationId);
    // Connections that are in use end when they are released.
    void kept.pool
      .then((pool) => (pool.ended || pool.ending ? undefined : pool.end()))
      .catch(() => undefined);
  }
}

function openPool(config: pg.ClientConfig): pg.Pool {
  // The statement that is under way rejects with it.
  return withErrorListener(
    new pg.Pool({
      ...config,
      max: MAX_CONNECTIONS,
      idleTimeoutMillis: IDLE_MS,
      query_timeout: STATEMENT_MS + 5_000,
      allowExitOnIdle: true,
      verify: (client, callback) => void checkDatabase(client).then(() => callback(), callback),
      // Its type leaves out the settings of the pool, which it is constructed with.
      Client: DestinationClient as unknown as new () => pg.ClientBase,
    }),
  );
}

async function checkDatabase(client: pg.ClientBase): Promise<void> {
  await begin(client);
  await refuseOwnDatabase(client);
  await client.query('rollback');
}

async function connectOnce(config: pg.ClientConfig, place: Place) {
  const client = new DestinationClient({ ...config, query_timeout: 10_000 });
  try {
    await client.connect();
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw toSyncFailure(error, place) ?? unreachable(place);
  }
}

function unreachable({ host, port }: Place): SyncFailure {
  return new SyncFailure(
    'DESTINATION_UNREACHABLE',
    `The server at ${host}:${port} cannot be reached.`,
  );
}

function openDestination(run: Run): OpenedDestination {
  return {
    openTable: (table) =>
      run(table, async (client) => {
        const statements = toStatements(table.kind, table.schema, table.table);
        const identity = await prepareTable(client, table, statements);
        return toTable(table, { identity, statements, run });
      }),
    deleteRows: (place, owner: RowsOfCustomer) =>
      run(place, async (client) => {
        // A table that its owner has removed, or that was never one of syncs, has no rows.
        if (!(await hasTable(client, place))) return 0;
        const text = toDeleteRows(place.schema, place.table);
        const values = [owner.applicationId, owner.customerId, DELETED_AT_ONCE];
        return writeRows(client, place, { text, values });
      }),
  };
}

/** Runs a statement that returns how many rows it had to write, and how many it has written. */
async function writeRows(
  client: pg.PoolClient,
  { schema, table }: Pick<TableOfSync, 'schema' | 'table'>,
  { text, values }: { readonly text: string; readonly values: unknown[] },
): Promise<number> {
  const { rows } = await client.query<{ due: string; written: string }>(text, values);
  const due = Number(rows[0]?.due);
  const written = Number(rows[0]?.written);
  if (written >= due) return written;
  throw new SyncFailure(
    'DESTINATION_TABLE',
    `The table ${quote(table)} in the schema ${quote(schema)} took ${written} of ${due} rows, because a trigger of the table discards rows: change or drop the trigger.`,
  );
}

function toTable(table: TableOfSync, { identity, statements, run }: OpenedTable): SyncTable {
  const key = [table.applicationId, table.providerName, table.customerId];
  return {
    identity,
    toRows: (records) => toRows(records, statements),
    async write(page) {
      const syncedAt = page.syncedAt.toISOString();
      return run(table, async (client) => {
        let records = 0;
        for (const arrays of page.rows.flatMap(({ pieces }) => pieces)) {
          const values = [...key, syncedAt, ...arrays];
          records += await writeRows(client, table, { text: statements.merge, values });
        }
        let deleted = 0;
        for (const some of chunk([...new Set(page.removed)], IDS_AT_ONCE)) {
          const values = [...key, some, syncedAt];
          deleted += await writeRows(client, table, { text: statements.markDeleted, values });
        }
        const written = await findWritten(client, page, { statements, key });
        if (!page.mayCommit())
          throw new LeaseLost('The lease of a sync ended before its rows were committed.');
        return { records, deleted, ...written };
      });
    },
    listOthers: (range, ids, limit) =>
      run(table, async (client) => {
        const { text, values } = toRange(range);
        const { rows } = await client.query<{ id: string }>(statements.findOthers(text), [
          ...key,
          ids,
          limit,
          ...values,
        ]);
        const known = new Set(ids);
        return rows.flatMap(({ id }) => (known.has(id) ? [] : id)).slice(0, limit);
      }),
  };
}

/** Rows in pieces that the database does not take long for. */
function toRows(records: readonly SyncedRecord[], { columns }: Statements): SyncRows {
  const pieces: (readonly Buffer[])[] = [];
  let piece = createRowArrays(columns);
  // A statement must not write a row twice: of two versions, the last one counts.
  const byId = new Map(records.map((record) => [record.id, record]));
  for (const record of byId.values()) {
    piece.add(record);
    if (piece.rows() < PIECE_ROWS && piece.byteLength() < PIECE_BYTES) continue;
    pieces.push(piece.toBuffers());
    piece = createRowArrays(columns);
  }
  if (piece.rows() > 0) pieces.push(piece.toBuffers());
  return { ids: [...byId.keys()], pieces };
}

async function findWritten(
  client: pg.PoolClient,
  { rows: written, removed, reportSince }: WrittenBatch,
  { statements, key }: { statements: Statements; key: readonly string[] },
): Promise<Pick<Written, 'changedIds' | 'deletedIds'>> {
  const ids = [...written.flatMap(({ ids }) => ids), ...removed];
  if (reportSince === undefined || ids.length === 0) return { changedIds: [], deletedIds: [] };
  const known = new Set(ids);
  const found: WrittenRow[] = [];
  for (const some of chunk(ids, IDS_AT_ONCE)) {
    const { rows } = await client.query<WrittenRow>(statements.findWritten, [
      ...key,
      some,
      reportSince.toISOString(),
    ]);
    found.push(...rows.filter(({ id }) => known.delete(id)));
  }
  const pick = (deleted: boolean) =>
    found.flatMap(({ id, isDeleted }) => ((isDeleted === TRUE) === deleted ? id : []));
  return { changedIds: pick(false), deletedIds: pick(true) };
}

interface WrittenRow {
  readonly id: string;
  readonly isDeleted: string;
}

/** All values are read as text. */
const TRUE = 't';

/** Of one application in one process. */
const MAX_CONNECTIONS = 4;
const IDLE_MS = 60_000;
const DELETED_AT_ONCE = 10_000;
/** The driver writes a list in one piece. Well below what is read of one response. */
const IDS_AT_ONCE = 2_000;
const PIECE_ROWS = 500;
const PIECE_BYTES = 256 * 1024;

interface OpenedTable {
  readonly identity: string;
  readonly statements: Statements;
  readonly run: Run;
}

/** Runs work in a transaction. Errors are those of a destination. */
type Run = <T>(
  place: Pick<Place, 'schema' | 'table'>,
  work: (client: pg.PoolClient) => Promise<T>,
) => Promise<T>;

interface KeptPool {
  readonly version: number;
  readonly pool: Promise<pg.Pool>;
  users: number;
  usedAt: number;
}

interface OpenDestinations extends Destinations {
  /** Ends the pools that were not used for a minute. */
  endIdle(): void;
  countPools(): number;
  close(): Promise<void>;
}

interface DestinationsOptions extends HostRules {
  readonly clock: Pick<Clock, 'now'>;
}
