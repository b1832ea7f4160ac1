import { type ChangeLog, createChangeLog, type Lag } from './change-log.ts';
import { createRandom } from './random.ts';
import { inventTimes, inventValues } from './records-invented.ts';

/** The records of one account besides its people: companies, deals, and two objects of its own. */
export const RECORD_KINDS = ['company', 'deal', 'subscription', 'machine'] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

/**
 * A record independent of any CRM. Each CRM has its own names for the values (`amount`, `Amount`, `Amount__c`).
 */
export interface CrmRecord {
  /** Ascending from 1: both CRMs derive record ids from it, in the same order. */
  readonly index: number;
  /** The values that it has been given. `readValues` adds those that a record has from the start. */
  readonly values: RecordValues;
  /** It exists from the start. */
  readonly isInvented: boolean;
  /** The companies of a deal. Absent: those that it has from the start. */
  readonly companies?: DealCompanies;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly isDeleted: boolean;
  /** The index of the record that this one was merged into. */
  readonly mergedInto: number | undefined;
}

export type RecordValues = Readonly<Record<string, string | null>>;

/** By index. */
export interface DealCompanies {
  readonly primary: number | null;
  readonly others: readonly number[];
}

/** All values of a record. Those that exist from the start have invented ones, which are computed and never stored. */
export function readValues(
  kind: RecordKind,
  { index, values, isInvented }: CrmRecord,
): RecordValues {
  if (!isInvented) return values;
  const invented = inventValues(kind, index);
  // A domain that was given replaces the website too.
  const isMoved = 'domain' in values && !('website' in values);
  return { ...invented, ...(isMoved && { website: null }), ...values };
}

export function createRecords({ now, countBase }: RecordsOptions): RecordsTable {
  const tables = new Map<RecordKind, Map<number, CrmRecord>>();
  const lists = new Map<RecordKind, readonly CrmRecord[]>();
  const merged = new Map<string, readonly number[]>();
  const lastAdded = new Map<RecordKind, number>();
  const changes = new Map<RecordKind, ChangeLog<CrmRecord>>();
  let version = {};

  const tableOf = (kind: RecordKind) => {
    const table = tables.get(kind) ?? new Map<number, CrmRecord>();
    tables.set(kind, table);
    return table;
  };
  const baseOf = (kind: RecordKind, index: number): CrmRecord | undefined =>
    index >= 1 && index <= countBase(kind) ? toBase(kind, index) : undefined;
  const get = (kind: RecordKind, index: number) =>
    tables.get(kind)?.get(index) ?? baseOf(kind, index);
  const changesOf = (kind: RecordKind) => {
    const log = changes.get(kind) ?? createChangeLog<CrmRecord>();
    changes.set(kind, log);
    return log;
  };
  const put = (kind: RecordKind, record: CrmRecord): void => {
    const { index } = record;
    changesOf(kind).add({ at: now(), index, before: get(kind, index) });
    version = {};
    tableOf(kind).set(record.index, record);
    lists.delete(kind);
  };
  const records: RecordsTable = {
    get,
    all(kind) {
      const count = countBase(kind);
      const known = lists.get(kind);
      if (known && (known.at(-1)?.index ?? 0) >= count) return known;
      const changed = tableOf(kind);
      const base = Array.from({ length: count }, (_, place) => toBase(kind, place + 1));
      const all = base.map((record) => changed.get(record.index) ?? record);
      for (const record of changed.values()) if (record.index > count) all.push(record);
      all.sort((one, other) => one.index - other.index);
      lists.set(kind, all);
      return all;
    },
    // Those that exist from the start have no values, and are many.
    valueNames: (kind) => [
      ...new Set([...tableOf(kind).values()].flatMap(({ values }) => Object.keys(values))),
    ],
    mergedInto: (kind, index) =>
      (merged.get(`${kind} ${index}`) ?? []).flatMap((one) => get(kind, one) ?? []),
    survivorOf(kind, index) {
      // Only changed records can be deleted.
      const record = tables.get(kind)?.get(index);
      if (record?.mergedInto !== undefined) return records.survivorOf(kind, record.mergedInto);
      return record?.isDeleted ? undefined : index;
    },
    version: () => version,
    staleVersions: (kind, lag) => changesOf(kind).stale(lag),
    add(kind, values, some = {}) {
      const index = Math.max(countBase(kind), lastAdded.get(kind) ?? 0) + 1;
      lastAdded.set(kind, index);
      const at = now();
      put(kind, { ...NEW, index, values, createdAt: at, updatedAt: at, ...some });
      return index;
    },
    change(kind, index, values, some = {}) {
      const before = get(kind, index);
      if (!before) return false;
      const merged = { ...before.values, ...values };
      put(kind, { ...before, values: merged, updatedAt: now(), ...some });
      return true;
    },
    merge(kind, index, into, some = {}) {
      if (index === into || !get(kind, index) || !get(kind, into)) return false;
      const survivor = `${kind} ${into}`;
      merged.set(survivor, [...(merged.get(survivor) ?? []), index]);
      records.change(kind, into, {}, some);
      return records.change(kind, index, {}, { ...some, isDeleted: true, mergedInto: into });
    },
    changeAtRandom(kind, { seed, count = 1, isTied = false }) {
      const random = createRandom(seed);
      const stamp = isTied ? { updatedAt: now() } : {};
      const alive = records.all(kind).flatMap(({ index, isDeleted }) => (isDeleted ? [] : [index]));
      const pick = () => Math.floor(random() * alive.length);
      for (let change = 0; change < count; change += 1) {
        const [place, other, roll] = [pick(), pick(), random()];
        const [index, into] = [alive[place], alive[other]];
        const name = `Name ${Math.floor(random() * 10 ** 6)}`;
        if (index === undefined || into === undefined || roll > 0.85) {
          alive.push(records.add(kind, { name }, stamp));
          continue;
        }
        if (roll < 0.6 || alive.length < MIN_RECORDS) {
          records.change(kind, index, { name }, stamp);
          continue;
        }
        if (roll < 0.75 || index === into)
          records.change(kind, index, {}, { ...stamp, isDeleted: true });
        else records.merge(kind, index, into, stamp);
        alive.splice(place, 1);
      }
    },
  };
  return records;
}

/** Values of a record or a person with that many fields, each with a text of that length: `text_1`, `text_2` and so on. */
export function longTexts({ fields, length }: { fields: number; length: number }): {
  readonly [name: string]: string;
} {
  const text = 'Long text. '.repeat(Math.ceil(length / 11)).slice(0, length);
  return Object.fromEntries(Array.from({ length: fields }, (_, n) => [`text_${n + 1}`, text]));
}

/** Those that exist from the start are the same in all accounts. */
function toBase(kind: RecordKind, index: number): CrmRecord {
  const made = BASE[kind][index];
  if (made) return made;
  const record = { ...NEW, index, values: NONE, isInvented: true, ...inventTimes(kind, index) };
  BASE[kind][index] = record;
  return record;
}

const BASE: Readonly<Record<RecordKind, CrmRecord[]>> = {
  company: [],
  deal: [],
  subscription: [],
  machine: [],
};
const NONE: RecordValues = {};
/** Below this many records none is deleted or merged. */
const MIN_RECORDS = 3;
const NEW = { isDeleted: false, mergedInto: undefined, isInvented: false };

export interface RecordsTable {
  get(kind: RecordKind, index: number): CrmRecord | undefined;
  /** Ordered by id, including deleted records. */
  all(kind: RecordKind): readonly CrmRecord[];
  /** The names of all values that its records have been given. */
  valueNames(kind: RecordKind): readonly string[];
  /** The records that were merged into this one. */
  mergedInto(kind: RecordKind, index: number): readonly CrmRecord[];
  /** The index of the record itself or of the one it was merged into; undefined if that is deleted. */
  survivorOf(kind: RecordKind, index: number): number | undefined;
  /** A new object after each change. */
  version(): object;
  /** The records that an index with this lag still has in an earlier version. */
  staleVersions(kind: RecordKind, lag: Lag): ReadonlyMap<number, CrmRecord | undefined>;
  /** Returns the index of the new record. */
  add(kind: RecordKind, values: RecordValues, some?: Partial<CrmRecord>): number;
  change(kind: RecordKind, index: number, values: RecordValues, some?: Partial<CrmRecord>): boolean;
  /** The first is deleted. The second survives, and is modified by that. */
  merge(kind: RecordKind, index: number, into: number, both?: Partial<CrmRecord>): boolean;
  /** Edits, adds, deletes and merges records in an order that depends on the seed and the records only. */
  changeAtRandom(kind: RecordKind, stream: RecordStream): void;
}

export interface RecordStream {
  readonly seed: number;
  /** Default: one. */
  readonly count?: number | undefined;
  /** All of them get the same modification time. */
  readonly isTied?: boolean | undefined;
}

interface RecordsOptions {
  readonly now: () => number;
  /** The number of records that exist from the start. It never falls. */
  countBase(kind: RecordKind): number;
}
