import type { Statements } from './engine/statements.ts';
import type { KeyRing } from './key-ring.ts';
import { createSealer } from './sealing.ts';

/**
 * The encrypted columns that a key rotation re-encrypts (the contact cache is not one: it is deleted instead). A row
 * names the encryption key of its columns in `key_id`.
 */
export function createSealedColumns(ring: KeyRing) {
  return {
    /**
     * Bound to application, customer and provider, which are unique together, instead of the connection's id: an
     * upsert encrypts before the database has decided whether the connection exists.
     */
    credentials: createSealedColumn(ring, 'credentials', {
      table: 'credentials',
      columns: ['sealed'],
      key: { application_id: 'uuid', connection_id: 'uuid' },
      place: 'stored.application_id, named.customer_id, named.provider_name',
      join: `join crossbook.connections as named
  on named.application_id = stored.application_id and named.id = stored.connection_id`,
    }),
    webhookSecret: createSealedColumn(ring, 'webhook secret', {
      table: 'webhook_endpoints',
      key: { application_id: 'uuid', id: 'uuid' },
      place: 'stored.id',
      columns: ['sealed_secret', 'sealed_previous_secret'],
    }),
    /** Also bound to the client's id, so that a secret cannot be used for another client. */
    clientSecret: createSealedColumn(ring, 'oauth client', {
      table: 'oauth_clients',
      columns: ['sealed_secret'],
      key: { application_id: 'uuid', provider_name: 'text' },
      place: 'stored.application_id, stored.provider_name, stored.client_id',
    }),
    /** Also bound to where it is sent, so that it cannot be used for another host or user. */
    destinationPassword: createSealedColumn(ring, 'sync destination', {
      table: 'sync_destinations',
      columns: ['sealed_password'],
      key: { application_id: 'uuid' },
      place:
        'stored.application_id::text, stored.host, stored.port::text, stored.database_name, stored.user_name',
    }),
    /** The results of writes, bound to their write. */
    writeItems: createSealedColumn(ring, 'writes', {
      table: 'writes',
      columns: ['sealed'],
      key: { application_id: 'uuid', id: 'uuid' },
      place: 'stored.application_id, stored.id',
    }),
    /** No secret: a constant of each API key, because installations may store nothing else that is encrypted. */
    keyCheck: createSealedColumn(ring, 'key check', {
      table: 'api_keys',
      columns: ['sealed_check'],
      key: { application_id: 'uuid', public_id: 'text' },
      place: 'stored.public_id',
    }),
    /** The grant until the application confirms it, bound to its link. */
    grant: createSealedColumn(ring, 'connect', {
      table: 'connect_links',
      columns: ['sealed_grant'],
      key: { application_id: 'uuid', id: 'uuid' },
      place: 'stored.id',
      isShortLived: true,
    }),
    /** The PKCE verifier, bound to its state. */
    verifier: createSealedColumn(ring, 'connect', {
      table: 'connect_flows',
      columns: ['sealed_verifier'],
      place: 'stored.state_hash',
      key: { application_id: 'uuid', state_hash: 'text' },
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
export function createKeyRotation({ engine, secrets }: RotationDeps, ring: KeyRing) {
  const columns = Object.values(secrets);
  return {
    /** Ids of keys that stored data was encrypted with and that the ring lacks or has with another secret. */
    async findUnreadableKeys(): Promise<readonly string[]> {
      const lasting = columns.filter(({ isShortLived }) => !isShortLived);
      const found = new Set<string>();
      // One after the other: together they could be more statements than may wait for a connection.
      for (const column of lasting)
        for (const keyId of await findUnreadableKeys(engine, column)) found.add(keyId);
      return [...found];
    },
    /** Re-encrypts all data with the ring's first key, in batches, while requests are served. */
    async rotateSeals(batchSize = 200) {
      await deleteStaleKeys(engine, ring.current.id);
      const total = { resealed: 0, unreadable: 0 };
      for (const column of columns) {
        const { withOtherKeys, resealRows } = toStatements(column);
        const first = Object.values(column.key).map((type) => FIRST_ID[type]);
        for (let after: readonly string[] | undefined = first; after !== undefined; ) {
          const values: readonly unknown[] = [ring.current.id, JSON.stringify(after), batchSize];
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

function toStatements({ table, columns, key, place, join = '' }: ColumnSpec) {
  const names = Object.keys(key).map((name) => `stored.${name}`);
  const fromJson = (json: string) =>
    Object.values(key).map((type, index) => `(${json} ->> ${index})::${type}`);
  const sealed = `jsonb_build_array(${columns.map((column) => `stored.${column}`).join(', ')})`;
  const select = (source: string) => `
select json_build_array(${names.join(', ')}) as "rowId", json_build_array(${place}) as place, stored.key_id as "keyId", ${sealed} as sealed
from ${source} as stored ${join}`;
  const rows = select(`crossbook.${table}`);
  // By its order, or a scan of all rows would look for the few of a key.
  const sampled = `(
  select * from crossbook.${table} where key_id >= used.key_id order by key_id limit 3
)`;
  const changes = columns.map((column, index) => `${column} = given.sealed ->> ${index}`);
  return {
    /**
     * Samples three rows per key, so that one damaged row does not discredit its key. Steps from key to key in the
     * index (a loose index scan): `distinct` would read all rows.
     */
    sample: {
      name: `sample_keys_of_${table}`,
      text: `
with recursive used as (
  (select key_id from crossbook.${table} where key_id is not null order by key_id limit 1)
  union all
  select (
    select next.key_id from crossbook.${table} as next where next.key_id > used.key_id
    order by next.key_id limit 1
  ) from used where used.key_id is not null
)
select found.* from used cross join lateral (
  ${select(sampled)} where stored.key_id = used.key_id
) as found`,
    },
    withOtherKeys: {
      name: `with_other_keys_in_${table}`,
      text: `${rows}
where stored.key_id <> $1::text and (${names.join(', ')}) > (${fromJson('$2::json').join(', ')})
order by ${names.join(', ')} limit $3::int`,
    },
    /** Skips rows written meanwhile, which use the current key already. */
    resealRows: {
      name: `reseal_${table}`,
      text: `
update crossbook.${table} as stored set key_id = $2::text, ${changes.join(', ')}
from jsonb_to_recordset($1::jsonb) as given("rowId" jsonb, before jsonb, sealed jsonb)
where (${names.join(', ')}) = (${fromJson('given."rowId"').join(', ')}) and ${sealed} = given.before`,
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
  /** Undefined if it was tampered with or moved, or its key is not in the ring. */
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
  /** The columns of the primary key. */
  readonly key: Readonly<Record<string, keyof typeof FIRST_ID>>;
  /** The columns of the binding. */
  readonly place: string;
  readonly join?: string;
  /** Rows that live for minutes: a missing key for them does not prevent a start. */
  readonly isShortLived?: boolean;
}

interface SealedRow {
  readonly rowId: readonly string[];
  readonly place: Place;
  readonly keyId: string;
  readonly sealed: readonly (string | null)[];
}

interface RotationDeps {
  readonly engine: Statements;
  readonly secrets: SealedColumns;
}
