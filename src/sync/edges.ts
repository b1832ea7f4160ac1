import type pg from 'pg';
import type { LinksById } from '../domain/records/link.ts';
import type { TableOfSync, Written, WrittenBatch } from '../domain/sync.ts';
import { EDGE_TABLES, type EdgeTable } from '../domain/synced-records.ts';
import { chunk } from '../lib/batcher.ts';
import type { EdgeStatements } from './edge-table.ts';
import { countRows, writeRows } from './rows.ts';

/** Replaces the edges of records, and deletes those of deleted records, in the transaction of the rows. */
export async function writeEdges(
  client: pg.PoolClient,
  { table: { schema, kind }, statements, key }: EdgeWriter,
  { edges, removed, orphansIn, syncedAt }: WrittenBatch,
): Promise<Pick<Written, 'records' | 'deleted'>> {
  let records = 0;
  let deleted = 0;
  for (const [table, { replace, deleteFrom, deleteTo, deleteOrphans }] of statements) {
    const place = { schema, table };
    const isOwn = EDGE_TABLES[table].from === kind;
    for (const { links } of edges.filter((one) => one.table === table)) {
      for (const { ids, arrays } of toPieces(links)) {
        const values = [...key, ids, ...arrays, syncedAt.toISOString()];
        const counts = await countRows(client, place, { text: replace, values });
        records += counts.written - counts.removed;
        deleted += counts.removed;
      }
    }
    for (const ids of chunk([...new Set(removed)], AT_ONCE)) {
      const text = isOwn ? deleteFrom : deleteTo;
      deleted += await writeRows(client, place, { text, values: [...key, ids] });
    }
    if (!isOwn || !orphansIn) continue;
    const { text, values } = deleteOrphans(orphansIn);
    deleted += await writeRows(client, place, { text, values: [...key, ...values] });
  }
  return { records, deleted };
}

/** Records with all their edges, which are arrays of both ids and of `is_primary`: as many as are written at once. */
function* toPieces(links: LinksById) {
  let piece = createPiece();
  for (const [id, linked] of links) {
    if (piece.ids.length > 0 && piece.ids.length + piece.to.length + linked.length > AT_ONCE) {
      yield toArrays(piece);
      piece = createPiece();
    }
    piece.ids.push(id);
    for (const { remoteId, isPrimary } of linked) {
      piece.from.push(id);
      piece.to.push(remoteId);
      piece.primary.push(String(isPrimary));
    }
  }
  if (piece.ids.length > 0) yield toArrays(piece);
}

function createPiece(): Piece {
  return { ids: [], from: [], to: [], primary: [] };
}

function toArrays({ ids, from, to, primary }: Piece) {
  return { ids, arrays: [from, to, primary] };
}

/** The driver writes a list in one piece. */
const AT_ONCE = 2_000;

interface Piece {
  readonly ids: string[];
  readonly from: string[];
  readonly to: string[];
  readonly primary: string[];
}

interface EdgeWriter {
  readonly table: TableOfSync;
  readonly statements: ReadonlyMap<EdgeTable, EdgeStatements>;
  /** Application, provider and customer. */
  readonly key: readonly string[];
}
