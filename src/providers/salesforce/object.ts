import type { FieldMapping } from '../../domain/connection.ts';
import type { FilterKind } from '../../domain/records/conditions.ts';
import type { CrmRecord, RecordKind, RecordOrigin } from '../../domain/records/record.ts';
import { type FieldSelection, readSelectedFields } from '../../domain/records/record-search.ts';
import { toTimestamp } from '../../lib/text.ts';
import type { Completable } from '../complete-records.ts';
import type { Row } from './query.ts';
import { type FieldName, fieldName, isFieldName, type ObjectName } from './soql.ts';

/** A type of record in Salesforce. */
export interface SalesforceObject<Item extends CrmRecord> extends Completable<Item> {
  readonly kind: RecordKind<Item>;
  readonly filters: Pick<FilterKind<Item, never>, 'matches' | 'verifiedFields'>;
  readonly name: ObjectName;
  /** With what the ids of its records begin. */
  readonly idPrefix: string;
  /** Whether its records can be merged. */
  readonly isMergeable: boolean;
  /** The fields that each field of the common shape is made of. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** The fields with the names of a record, of which `namePrefix` compares the words. */
  readonly nameFields: readonly FieldName[];
  /** Read with every record, so that hits can be verified. */
  readonly keys: readonly FieldName[];
  /** Further fields that every org has, in lower case: one that is not listed is hidden from the connected user. */
  readonly otherStandardFields: readonly string[];
  /** Maps a row in one pass. Invalid values count as missing; only raw data beyond its limits throws. */
  toRecord(row: Row, source: RecordOrigin, selection: FieldSelection): Item;
}

export type AnyObject = Pick<
  SalesforceObject<CrmRecord>,
  'kind' | 'name' | 'names' | 'keys' | 'isMergeable' | 'otherStandardFields'
>;

export const ID = fieldName('Id');
/** Of orgs with several currencies. In others it is learnt to be missing, like a hidden field. */
export const CURRENCY = 'CurrencyIsoCode';
const IS_DELETED = fieldName('IsDeleted');
const MASTER_RECORD_ID = fieldName('MasterRecordId');

/**
 * The fields of the SELECT: the selection, sources of custom fields and, for raw data, mapped fields, without hidden ones.
 * Hidden names are in lower case.
 */
export function selectFields(
  object: AnyObject,
  { selection, includesDeleted }: Wanted,
  mappings: readonly FieldMapping[],
  hidden: ReadonlySet<string>,
): readonly FieldName[] {
  const fields = readSelectedFields(selection) ?? object.kind.fields;
  const deleted = includesDeleted ? [IS_DELETED, ...mergeFieldsOf(object)] : [];
  return unique(
    [...toNames(object, fields), ...selectOptionalFields(selection, mappings), ...deleted],
    hidden,
  );
}

/** The fields that an org may lack: sources of custom fields and, for raw data, fields that were mapped or asked for. */
export function selectOptionalFields(
  { customFields, rawData, rawFields = [] }: FieldSelection,
  mappings: readonly FieldMapping[],
): readonly FieldName[] {
  const sources = customFields?.fields.map(({ source }) => source) ?? [];
  const raw = rawData
    ? [...mappings.map(({ mappedField }) => mappedField.trim()), ...rawFields]
    : [];
  return [...sources, ...raw].filter(isFieldName);
}

/** Removes duplicates, which are an error; field names are case-insensitive. */
function unique(names: readonly FieldName[], hidden: ReadonlySet<string>): readonly FieldName[] {
  const byName = new Map<string, FieldName>();
  for (const name of names) {
    const key = name.toLowerCase();
    if (!byName.has(key) && !hidden.has(key)) byName.set(key, name);
  }
  return [...byName.values()];
}

function toNames(
  { names, keys }: Pick<AnyObject, 'names' | 'keys'>,
  fields: Iterable<string>,
): readonly FieldName[] {
  return [ID, ...keys, ...[...fields].flatMap((field) => names[field] ?? []).map(fieldName)];
}

/** The id of the record that a merged one was merged into. */
function mergeFieldsOf({ isMergeable }: AnyObject): readonly FieldName[] {
  return isMergeable ? [MASTER_RECORD_ID] : [];
}

/** No org can hide these: if one is missing the cause is another. */
const NEVER_HIDDEN: ReadonlySet<string> = new Set([
  'Id',
  'CreatedDate',
  'LastModifiedDate',
  'SystemModstamp',
  'IsDeleted',
]);

/** Fields that may be hidden from the connected user; in lower case. */
export function hideableFieldsOf(object: AnyObject): ReadonlySet<string> {
  const known = hideable.get(object);
  if (known) return known;
  const names = [...toNames(object, object.kind.fields), ...mergeFieldsOf(object)]
    .filter((name) => !NEVER_HIDDEN.has(name))
    .map((name) => name.toLowerCase());
  const fields = new Set(names);
  hideable.set(object, fields);
  return fields;
}

const hideable = new WeakMap<AnyObject, ReadonlySet<string>>();

/** Whether every org has the field. */
export function isStandardField(object: AnyObject, name: string): boolean {
  const key = name.toLowerCase();
  return hideableFieldsOf(object).has(key) || object.otherStandardFields.includes(key);
}

/**
 * The fast path: nearly all of a page's thousands of timestamps look like `2021-12-02T18:22:42.000+0000` and need
 * only another suffix, at a fiftieth of the cost of a `Date`. All others, including days above 28, are parsed.
 */
export function toTime(value: unknown): string | null {
  return typeof value === 'string' && UTC_TIMESTAMP.test(value)
    ? `${value.slice(0, -5)}Z`
    : toTimestamp(value);
}

const UTC_TIMESTAMP =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}\+0000$/;

export interface Wanted {
  readonly selection: FieldSelection;
  /** Deleted records too, such as those that were merged into another one, with the id of the other. */
  readonly includesDeleted?: boolean;
}

/** Whether it can be the id of a record. An invalid one fails the whole call. */
export function isRecordId(id: string): boolean {
  return /^[A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?$/.test(id);
}

/** The part shared by both forms of an id. Sending it alone avoids errors for wrong checksums. */
export function toKey(id: string): string {
  return id.slice(0, 15);
}
