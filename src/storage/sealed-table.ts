import type { Engine } from './engine/open.ts';
import { keyIdOf, type Sealer } from './sealing/seal.ts';

/** A small table of which some columns are sealed, as a change of keys sees it. Each row names the key of all of them. */
export function createSealedTable<Place>(engine: Engine, spec: SealedTableSpec<Place>): SealedTable {
  const { sample, withOtherKeys, reseal } = toStatements(spec);
  const ask = (statement: typeof sample, values: readonly unknown[]) =>
    engine.repeatable(() => engine.query<SealedRow<Place>>(statement, values));
  return {
    findUnreadableKeys: async () => {
      if (spec.isShortLived) return [];
      const rows = await ask(sample, []);
      const readable = new Set(rows.filter((row) => open(spec, row)).map(({ keyId }) => keyId));
      return [...new Set(rows.map(({ keyId }) => keyId))].filter((keyId) => !readable.has(keyId));
    },
    rotate: async (currentKeyId, batchSize) => {
      const total = { resealed: 0, unreadable: 0 };
      for (let after: string | undefined = ''; after !== undefined; ) {
        const rows: readonly SealedRow<Place>[] = await ask(withOtherKeys, [currentKeyId, after, batchSize]);
        const resealed = rows.flatMap((row) => sealAnew(spec, row));
        const values = [JSON.stringify(resealed)];
        await engine.repeatable(() => engine.query(reseal, values));
        total.resealed += resealed.length;
        total.unreadable += rows.length - resealed.length;
        after = rows.at(-1)?.rowId;
      }
      return total;
    },
  };
}

function sealAnew<Place>(spec: SealedTableSpec<Place>, row: SealedRow<Place>) {
  const opened = open(spec, row);
  if (!opened) return [];
  const { sealer, columns, bindingOf } = spec;
  const sealed = opened.map((text, index) =>
    text === null ? null : sealer.seal(text, bindingOf(row.place, columns[index] ?? '')),
  );
  const keyId = keyIdOf(sealed.find((text) => text !== null) ?? '');
  return [{ rowId: row.rowId, before: row.sealed, sealed, keyId }];
}

/** Undefined unless all of it opens. */
function open<Place>(
  { sealer, columns, bindingOf }: SealedTableSpec<Place>,
  { place, sealed }: SealedRow<Place>,
) {
  const opened = sealed.map((text, index) =>
    text === null ? null : sealer.open(text, bindingOf(place, columns[index] ?? '')),
  );
  return opened.every((text) => text !== undefined) ? opened : undefined;
}

function toStatements({ table, key, place, columns }: TableNames) {
  const rowId = `row(${key.map((column) => `kept.${column}`).join(', ')})::text`;
  const sealed = `jsonb_build_array(${columns.map((column) => `kept.${column}`).join(', ')})`;
  const named = Object.entries(place).map(([name, column]) => `'${name}', kept.${column}`);
  const row = `${rowId} as "rowId", json_build_object(${named.join(', ')}) as place, kept.key_id as "keyId", ${sealed} as sealed`;
  const from = `crossbook.${table} as kept`;
  return {
    /** Three of each key, so that one damaged row does not speak against its key. */
    sample: {
      name: `sample_keys_of_${table}`,
      text: `
select kept.* from (select distinct key_id from crossbook.${table} where key_id is not null) as used
cross join lateral (select ${row} from ${from} where kept.key_id = used.key_id limit 3) as kept`,
    },
    withOtherKeys: {
      name: `with_other_keys_in_${table}`,
      text: `
select ${row} from ${from} where kept.key_id <> $1::text and ${rowId} > $2::text
order by ${rowId} limit $3::int`,
    },
    /** A row that was stored anew meanwhile is sealed with the current key already. */
    reseal: {
      name: `reseal_${table}`,
      text: `
update ${from} set key_id = given."keyId", ${columns.map((column, index) => `${column} = given.sealed ->> ${index}`).join(', ')}
from jsonb_to_recordset($1::jsonb) as given("rowId" text, before jsonb, sealed jsonb, "keyId" text)
where ${rowId} = given."rowId" and ${sealed} = given.before`,
    },
  };
}

export interface SealedTable {
  /** Ids of keys that rows were sealed with, and that the ring does not have or has another key for. */
  findUnreadableKeys(): Promise<readonly string[]>;
  /** Seals with the current key whatever another has sealed. */
  rotate(currentKeyId: string, batchSize: number): Promise<SealCounts>;
}

export interface SealCounts {
  readonly resealed: number;
  readonly unreadable: number;
}

interface SealedTableSpec<Place> {
  readonly table: string;
  /** The columns of its primary key. */
  readonly key: readonly string[];
  /** What the bindings are made of: its columns by the names in `Place`. */
  readonly place: { readonly [Name in keyof Place]: string };
  /** The sealed ones. They may be null. */
  readonly columns: readonly string[];
  readonly sealer: Sealer;
  /** Rows of minutes: a key that they lack is no reason not to start. */
  readonly isShortLived?: boolean;
  bindingOf(place: Place, column: string): string;
}

interface TableNames {
  readonly table: string;
  readonly key: readonly string[];
  readonly place: object;
  readonly columns: readonly string[];
}

interface SealedRow<Place> {
  readonly rowId: string;
  readonly place: Place;
  readonly keyId: string;
  readonly sealed: readonly (string | null)[];
}
