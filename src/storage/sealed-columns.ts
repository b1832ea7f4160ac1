import type { StoreDeps } from './database.ts';
import type { Statements } from './engine/open.ts';
import { createSealer, type KeyRing } from './sealing.ts';

/** The encrypted columns that a key rotation re-encrypts (the contact cache is not one: it is deleted instead). A row names the encryption key of its columns in `key_id`. */
export function createSealedColumns(ring: KeyRing) {
  return {
    /**
     * Bound to application, customer and provider, which are unique together, instead of the connection's id: an
     * upsert encrypts before the database has decided whether the connection exists.
     */
    credentials: createSealedColumn(ring, 'credentials', {
      table: 'credentials',
      columns: ['sealed'],
      rowId: 'stored.connection_id',
      place: 'stored.application_id, named.customer_id, named.provider_name',
      join: 'join crossbook.connections as named on named.id = stored.connection_id',
    }),
    webhookSecret: createSealedColumn(ring, 'webhook secret', {
      table: 'webhook_endpoints',
      rowId: 'stored.id',
      place: 'stored.id',
      columns: ['sealed_secret', 'sealed_previous_secret'],
    }),
    /** Also bound to the client's id, so that a secret cannot be used for another client. */
    clientSecret: createSealedColumn(ring, 'oauth client', {
      table: 'oauth_clients',
      columns: ['sealed_secret'],
      rowId: 'row(stored.application_id, stored.provider_name)::text',
      rowIdType: 'text',
      place: 'stored.application_id, stored.provider_name, stored.client_id',
    }),
    /** The grant until the application confirms it, bound to its link. */
    grant: createSealedColumn(ring, 'connect', {
      table: 'connect_links',
      columns: ['sealed_grant'],
      rowId: 'stored.id',
      place: 'stored.id',
      isShortLived: true,
    }),
    /** The PKCE verifier, bound to its state. */
    verifier: createSealedColumn(ring, 'connect', {
      table: 'connect_flows',
      columns: ['sealed_verifier'],
      place: 'stored.state_hash',
      rowId: 'stored.state_hash',
      rowIdType: 'text',
      isShortLived: true,
    }),
  };
}

function createSealedColumn(ring: KeyRing, purpose: string, spec: ColumnSpec): SealedColumn {
  const sealer = createSealer(ring, purpose);
  const bindingOf = (place: Place) =>
    JSON.stringify([`${spec.table}.${spec.columns[0]}`, ...place]);
  return {
    ...spec,
    seal: (text, ...place) => ({
      sealed: sealer.seal(text, bindingOf(place)),
      keyId: ring.current.id,
    }),
    open: (sealed, ...place) => sealer.open(sealed, bindingOf(place)),
  };
}

/** Key rotation: re-encrypts sealed columns, and finds data whose keys are missing. */
export function createKeyRotation({ engine, secrets }: StoreDeps, ring: KeyRing) {
  const columns = Object.values(secrets);
  return {
    /** Ids of keys that stored data was encrypted with and that the ring lacks or has with another secret. */
    async findUnreadableKeys(): Promise<readonly string[]> {
      const lasting = columns.filter(({ isShortLived }) => !isShortLived);
      const found = await Promise.all(lasting.map((column) => findUnreadableKeys(engine, column)));
      return [...new Set(found.flat())];
    },
    /** Re-encrypts all data with the ring's first key, in batches, while requests are served. */
    async rotateSeals(batchSize = 200) {
      await deleteStaleKeys(engine, ring.current.id);
      const total = { resealed: 0, unreadable: 0 };
      for (const column of columns) {
        const { withOtherKeys, resealRows } = toStatements(column);
        for (
          let after: string | undefined = FIRST_ID[column.rowIdType ?? 'uuid'];
          after !== undefined;
        ) {
          const values: readonly unknown[] = [ring.current.id, after, batchSize];
          const rows = await engine.query<SealedRow>(withOtherKeys, values);
          const resealed = rows.flatMap((row) => reseal(column, row));
          await engine.query(resealRows, [JSON.stringify(resealed), ring.current.id]);
          total.resealed += resealed.length;
          total.unreadable += rows.length - resealed.length;
          after = rows.at(-1)?.rowId;
        }
      }
      return total;
    },
  };
}

/** Deletes cache entries whose hashes were made with another key and cannot be found. */
async function deleteStaleKeys(engine: Statements, keyId: string): Promise<void> {
  // By the primary key: each statement looks at one page of the table.
  for (let after: readonly unknown[] | undefined = [FIRST_ID.uuid, '']; after; ) {
    const values: readonly unknown[] = [keyId, ...after, STALE_AT_ONCE];
    const [page]: readonly StalePage[] = await engine.query(DELETE_STALE_KEYS, values);
    after = page?.last ?? undefined;
  }
}

async function findUnreadableKeys(
  engine: Statements,
  column: SealedColumn,
): Promise<readonly string[]> {
  const rows = await engine.query<SealedRow>(toStatements(column).sample, []);
  const readable = new Set(rows.filter((row) => openRow(column, row)).map(({ keyId }) => keyId));
  return rows.map(({ keyId }) => keyId).filter((keyId) => !readable.has(keyId));
}

function reseal(column: SealedColumn, row: SealedRow) {
  const { rowId, place, sealed: before } = row;
  const sealed = openRow(column, row)?.map((text) =>
    text === null ? null : column.seal(text, ...place).sealed,
  );
  return sealed ? [{ rowId, before, sealed }] : [];
}

/** Undefined unless all columns can be decrypted. */
function openRow(column: SealedColumn, { place, sealed }: SealedRow) {
  const opened = sealed.map((text) => (text === null ? null : column.open(text, ...place)));
  return opened.every((text) => text !== undefined) ? opened : undefined;
}

function toStatements({ table, columns, rowId, rowIdType = 'uuid', place, join = '' }: ColumnSpec) {
  const sealed = `jsonb_build_array(${columns.map((column) => `stored.${column}`).join(', ')})`;
  const rows = `
select ${rowId} as "rowId", json_build_array(${place}) as place, stored.key_id as "keyId", ${sealed} as sealed
from crossbook.${table} as stored ${join}`;
  const changes = columns.map((column, index) => `${column} = given.sealed ->> ${index}`);
  return {
    /** Samples three rows per key, so that one damaged row does not discredit its key. */
    sample: {
      name: `sample_keys_of_${table}`,
      text: `
select found.* from (select distinct key_id from crossbook.${table} where key_id is not null) as used
cross join lateral (${rows} where stored.key_id = used.key_id limit 3) as found`,
    },
    withOtherKeys: {
      name: `with_other_keys_in_${table}`,
      text: `${rows}
where stored.key_id <> $1::text and ${rowId} > $2::${rowIdType} order by ${rowId} limit $3::int`,
    },
    /** Skips rows written meanwhile, which use the current key already. */
    resealRows: {
      name: `reseal_${table}`,
      text: `
update crossbook.${table} as stored set key_id = $2::text, ${changes.join(', ')}
from jsonb_to_recordset($1::jsonb) as given("rowId" ${rowIdType}, before jsonb, sealed jsonb)
where ${rowId} = given."rowId" and ${sealed} = given.before`,
    },
  };
}

/** Below every id. */
const FIRST_ID = { uuid: '00000000-0000-0000-0000-000000000000', text: '' };

const DELETE_STALE_KEYS = {
  name: 'forget_other_keys',
  text: `
with page as materialized (
  select application_id, key_hash, left(sealed, 100) as start from crossbook.contact_cache
  where (application_id, key_hash) > ($2::uuid, $3::text)
  order by application_id, key_hash limit $4::int
), deleted as (
  delete from crossbook.contact_cache as stored using page
  where stored.application_id = page.application_id and stored.key_hash = page.key_hash
    and split_part(page.start, '.', 1) <> $1::text
)
select json_build_array(application_id, key_hash) as last from page
order by application_id desc, key_hash desc limit 1`,
};

const STALE_AT_ONCE = 1_000;

interface StalePage {
  readonly last: readonly unknown[] | null;
}

export type SealedColumns = ReturnType<typeof createSealedColumns>;

interface SealedColumn extends ColumnSpec {
  /** The place is bound but not stored: a ciphertext opens only in its own row. */
  seal(text: string, ...place: Place): SealedText;
  /** Undefined where it was tampered with or moved, or its key is not in the ring. */
  open(sealed: string, ...place: Place): string | undefined;
}

export interface SealedText {
  readonly sealed: string;
  readonly keyId: string;
}

type Place = readonly string[];

/** The SQL parts for key rotation; `stored` is the row. */
interface ColumnSpec {
  readonly table: string;
  /** Nullable columns. */
  readonly columns: readonly string[];
  readonly rowId: string;
  readonly rowIdType?: keyof typeof FIRST_ID;
  /** The columns of the binding. */
  readonly place: string;
  readonly join?: string;
  /** Rows that live for minutes: a missing key for them does not prevent a start. */
  readonly isShortLived?: boolean;
}

interface SealedRow {
  readonly rowId: string;
  readonly place: Place;
  readonly keyId: string;
  readonly sealed: readonly (string | null)[];
}
