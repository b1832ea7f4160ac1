import { randomBytes } from 'node:crypto';
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
import { quote } from '../lib/text.ts';
import { DestinationClient } from './client.ts';
import { type HostRules, refuseOwnDatabase, toClientConfig } from './connect.ts';
import { type Place, toSyncFailure } from './failures.ts';
import {
  createRowArrays,
  FIND_TABLE,
  quoteName,
  toDeleteRows,
  toRange,
  toStatements,
} from './table.ts';

/** The destinations of all applications: each has a small pool, which ends when it is not used. */
export function createDestinations(options: DestinationsOptions): OpenDestinations {
  const pools = new Map<string, KeptPool>();
  const { clock } = options;

  return {
    async check(destination) {
      const place = { ...destination, table: undefined };
      const client = await connectOnce(await toClientConfig(destination, options), place);
      try {
        await refuseOwnDatabase(client);
        await checkSchema(client, destination.schema);
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
            const result = await work(client);
            isBroken = false;
            return result;
          } catch (error) {
            isBroken = !(hasResponded(error) && (await rollBack(client)));
            throw error;
          } finally {
            client.release(isBroken);
          }
        } catch (error) {
          const known = toSyncFailure(error, { ...destination, ...place });
          // After a failover its name may have another address.
          if (known?.code === 'DESTINATION_UNREACHABLE') end(destination.applicationId, kept);
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
  const pool = new pg.Pool({
    ...config,
    max: MAX_CONNECTIONS,
    idleTimeoutMillis: IDLE_MS,
    query_timeout: STATEMENT_MS + 5_000,
    allowExitOnIdle: true,
    verify: (client, callback) => void refuseOwnDatabase(client).then(() => callback(), callback),
    // Its type leaves out the settings of the pool, which it is constructed with.
    Client: DestinationClient as unknown as new () => pg.ClientBase,
  });
  // The statement that is under way rejects with it.
  pool.on('error', () => undefined);
  return pool;
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

/** Creates a table, and takes it back. */
async function checkSchema(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query('select 1 from pg_catalog.pg_namespace where nspname = $1', [
    schema,
  ]);
  if (rows.length === 0) throw noSchema(schema);
  const table = quoteName(`crossbook_check_${randomBytes(6).toString('hex')}`);
  // Whatever fails, the connection ends, and the transaction with it.
  await client.query('begin');
  await client.query(`create table ${quoteName(schema)}.${table} (id int)`);
  await client.query('rollback');
}

function noSchema(schema: string): SyncFailure {
  return new SyncFailure(
    'DESTINATION_TABLE',
    `The schema ${quote(schema)} does not exist: create it, or choose another one.`,
  );
}

function openDestination(run: Run): OpenedDestination {
  return {
    openTable: (table) =>
      run(table, async (client) => {
        const statements = toStatements(table.kind, table.schema, table.table);
        const identity = await prepare(client, table, statements);
        return toTable(table, { identity, statements, run });
      }),
    deleteRows: ({ schema, table }, owner: RowsOfCustomer) =>
      run({ schema, table }, async (client) => {
        const { rows } = await client.query<FoundTableRow>(FIND_TABLE, [schema, table]);
        // What its owner has removed has no rows.
        if (!rows[0]?.oid) return 0;
        await begin(client);
        const { rowCount } = await client.query(toDeleteRows(schema, table), [
          owner.applicationId,
          owner.customerId,
          DELETED_AT_ONCE,
        ]);
        await client.query('commit');
        return rowCount ?? 0;
      }),
  };
}

/** Creates the table, or the columns that it lacks. Returns its OID, which another table of that name does not have. */
async function prepare(
  client: pg.PoolClient,
  { schema, table }: TableOfSync,
  { create, addable, addColumn }: Statements,
): Promise<string> {
  const find = async (): Promise<FoundTable> => {
    const { rows } = await client.query<FoundTableRow>(FIND_TABLE, [schema, table]);
    const [{ hasSchema, oid, columns } = NO_ROW] = rows;
    return {
      hasSchema: hasSchema === TRUE,
      oid,
      columns: columns === null ? null : readNames(columns),
    };
  };
  const { hasSchema, oid, columns } = await find();
  if (!hasSchema) throw noSchema(schema);
  const missing = addable.filter(([name]) => columns !== null && !columns.includes(name));
  if (oid !== null && missing.length === 0) return oid;
  await begin(client);
  // Another process may create it at the same time, which `if not exists` does not prevent.
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `crossbook ${schema}.${table}`,
  ]);
  if (oid === null) await client.query(create);
  for (const [name, type] of missing) await client.query(addColumn(name, type));
  const prepared = oid ?? (await find()).oid;
  await client.query('commit');
  if (prepared === null) throw new Error('A table that was created is not there');
  return prepared;
}

/** A list of names in JSON. */
function readNames(columns: string): readonly string[] {
  const names: unknown = JSON.parse(columns);
  return Array.isArray(names) ? names : [];
}

interface FoundTableRow {
  readonly hasSchema: string;
  readonly oid: string | null;
  readonly columns: string | null;
}

const NO_ROW: FoundTableRow = { hasSchema: '', oid: null, columns: null };
/** All values are read as text. */
const TRUE = 't';

function toTable(table: TableOfSync, { identity, statements, run }: OpenedTable): SyncTable {
  const key = [table.applicationId, table.providerName, table.customerId];
  return {
    identity,
    toRows: (records) => toRows(records, statements),
    async write(page) {
      const syncedAt = page.syncedAt.toISOString();
      return run(table, async (client) => {
        await begin(client);
        let records = 0;
        for (const arrays of page.rows.flatMap(({ pieces }) => pieces)) {
          const values = [...key, syncedAt, ...arrays];
          const { rowCount } = await client.query(statements.merge, values);
          records += rowCount ?? 0;
        }
        let deleted = 0;
        for (const some of chunk([...new Set(page.removed)], IDS_AT_ONCE)) {
          const { rowCount } = await client.query(statements.markDeleted, [...key, some, syncedAt]);
          deleted += rowCount ?? 0;
        }
        const written = await findWritten(client, page, { statements, key });
        if (!page.mayCommit())
          throw new LeaseLost('The lease of a sync ended before its rows were committed.');
        await client.query('commit');
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

/** Timeouts are set in each transaction, because a pooler may give the session to others. */
async function begin(client: pg.PoolClient): Promise<void> {
  await client.query(
    `begin; set local statement_timeout = ${STATEMENT_MS}; set local lock_timeout = ${LOCK_MS}; set local idle_in_transaction_session_timeout = ${STATEMENT_MS}`,
  );
}

/** Behind a statement without a response, a rollback would wait as long again. */
function hasResponded(error: unknown): boolean {
  return error instanceof pg.DatabaseError || error instanceof LeaseLost;
}

/** False: the connection cannot be used any more. */
async function rollBack(client: pg.PoolClient): Promise<boolean> {
  return client.query('rollback').then(
    () => true,
    () => false,
  );
}

/** Another process has the sync now. */
class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Of one application in one process. */
const MAX_CONNECTIONS = 4;
const IDLE_MS = 60_000;
const STATEMENT_MS = 30_000;
const LOCK_MS = 10_000;
const DELETED_AT_ONCE = 10_000;
/** The driver writes a list in one piece. Well below what is read of one response. */
const IDS_AT_ONCE = 2_000;
const PIECE_ROWS = 500;
const PIECE_BYTES = 256 * 1024;

type Statements = ReturnType<typeof toStatements>;

interface FoundTable {
  readonly hasSchema: boolean;
  /** Null: there is no table. */
  readonly oid: string | null;
  readonly columns: readonly string[] | null;
}

interface OpenedTable {
  readonly identity: string;
  readonly statements: Statements;
  readonly run: Run;
}

/** Runs work on a connection. Errors are those of a destination. */
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
