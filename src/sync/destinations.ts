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
import type { EdgeTable } from '../domain/synced-records.ts';
import { chunk } from '../lib/batcher.ts';
import type { Clock } from '../lib/clock.ts';
import { withErrorListener } from '../lib/error-listener.ts';
import { DestinationClient } from './client.ts';
import { type HostRules, refuseOwnDatabase, toClientConfig } from './connect.ts';
import { type EdgeStatements, toEdgeStatements } from './edge-table.ts';
import { writeEdges } from './edges.ts';
import { type Place, toSyncFailure } from './failures.ts';
import { analyzeNew, checkSchema, hasTable, prepareTable } from './prepare.ts';
import { writeRows } from './rows.ts';
import { createRowArrays, type Statements, toDeleteRows, toRange, toStatements } from './table.ts';
import { begin, hasResponded, LeaseLost, rollBack, STATEMENT_MS } from './transaction.ts';

/** The destinations of all applications: each has a small pool, which ends when it is not used. */
export function createDestinations(options: DestinationsOptions): OpenDestinations {
  const pools = new Map<string, PoolEntry>();
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
        const entry = poolOf(destination);
        entry.users += 1;
        try {
          const pool = await entry.pool;
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
            end(destination.applicationId, entry);
          throw known ?? error;
        } finally {
          entry.users -= 1;
          entry.usedAt = clock.now();
        }
      });
    },

    endIdle() {
      for (const [applicationId, entry] of pools)
        if (entry.users === 0 && clock.now() - entry.usedAt >= IDLE_MS) end(applicationId, entry);
    },

    countPools: () => pools.size,

    async close() {
      const all = [...pools.values()];
      pools.clear();
      await Promise.all(all.map(async ({ pool }) => (await pool.catch(() => undefined))?.end()));
    },
  };

  /** One for each version of an application's destination. */
  function poolOf(destination: StoredDestination): PoolEntry {
    const { applicationId, version } = destination;
    const known = pools.get(applicationId);
    if (known?.version === version) return known;
    if (known) end(applicationId, known);
    const entry = {
      version,
      pool: toClientConfig(destination, options).then(openPool),
      users: 0,
      usedAt: clock.now(),
    };
    entry.pool.catch(() => end(applicationId, entry));
    pools.set(applicationId, entry);
    return entry;
  }

  function end(applicationId: string, entry: PoolEntry): void {
    if (pools.get(applicationId) === entry) pools.delete(applicationId);
    // Connections that are in use end when they are released.
    void entry.pool
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
        const { kind, schema } = table;
        const statements = toStatements(kind, schema, table.table);
        const identities = [await prepareTable(client, table, statements)];
        const edges = new Map<EdgeTable, EdgeStatements>();
        for (const name of table.edgeTables) {
          const ofEdges = toEdgeStatements(name, schema, table.table);
          edges.set(name, ofEdges);
          identities.push(await prepareTable(client, { schema, table: name }, ofEdges));
        }
        return toTable(table, { identity: identities.join(' '), statements, edges, run });
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

function toTable(table: TableOfSync, { identity, statements, edges, run }: OpenedTable): SyncTable {
  const key = [table.applicationId, table.providerName, table.customerId];
  const edgeWriter = { table, statements: edges, key };
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
        const counted = await writeEdges(client, edgeWriter, page);
        records += counted.records;
        deleted += counted.deleted;
        const written = await findWritten(client, page, { statements, key });
        if (!page.mayCommit())
          throw new LeaseLost('The lease of a sync ended before its rows were committed.');
        return { records, deleted, ...written };
      });
    },
    listOthers: (range, ids, limit) =>
      run(table, async (client) => {
        const { text, values } = toRange(range, { column: 'id', first: 6 });
        const { rows } = await client.query<{ id: string }>(statements.findOthers(text), [
          ...key,
          ids,
          limit,
          ...values,
        ]);
        const known = new Set(ids);
        return rows.flatMap(({ id }) => (known.has(id) ? [] : id)).slice(0, limit);
      }),
    analyzeNew: () =>
      run(table, async (client) => {
        const { schema } = table;
        await analyzeNew(client, { schema, table: table.table }, statements);
        for (const [name, ofEdges] of edges)
          await analyzeNew(client, { schema, table: name }, ofEdges);
      }).catch(() => undefined),
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
  readonly edges: ReadonlyMap<EdgeTable, EdgeStatements>;
  readonly statements: Statements;
  readonly run: Run;
}

/** Runs work in a transaction. Errors are those of a destination. */
type Run = <T>(
  place: Pick<Place, 'schema' | 'table'>,
  work: (client: pg.PoolClient) => Promise<T>,
) => Promise<T>;

interface PoolEntry {
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
