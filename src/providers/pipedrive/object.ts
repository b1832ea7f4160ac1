import { readCustomFieldValues } from '../../domain/custom-field-values.ts';
import type { FilterKind } from '../../domain/records/conditions.ts';
import {
  type CrmRecord,
  type RecordKind,
  type RecordOrigin,
  toRawData,
} from '../../domain/records/record.ts';
import { type FieldSelection, readSelectedFields } from '../../domain/records/record-search.ts';
import { isRecord } from '../../lib/json.ts';
import { toText, toTimestamp } from '../../lib/text.ts';
import type { Completable } from '../complete-records.ts';

/** A type of record in Pipedrive. */
export interface PipedriveObject<Item extends CrmRecord> extends Completable<Item> {
  readonly kind: RecordKind<Item>;
  readonly filters: Pick<FilterKind<Item, never>, 'matches'>;
  /** As paths name it: its list, and that of its fields. */
  readonly name: 'persons' | 'organizations' | 'deals';
  readonly fields: 'personFields' | 'organizationFields' | 'dealFields';
  /** The standard fields that can be written, by their codes. */
  readonly writable: ReadonlySet<string>;
  /** The fields of a record that its own. */
  toFields(record: Wire): Own<Item>;
}

/** The custom fields of a record, by their keys. */
export function readCustomValues(record: Wire | undefined): Wire {
  const values = record?.['custom_fields'];
  return isRecord(values) ? values : NOTHING;
}

/** Maps a record. Returns undefined for anything else. Throws only for raw data beyond its limits. */
export function toRecord<Item extends CrmRecord>(
  object: Pick<PipedriveObject<Item>, 'toFields'>,
  record: unknown,
  source: RecordOrigin,
  { rawData, customFields }: FieldSelection,
): Item | undefined {
  if (!isRecord(record)) return undefined;
  const remoteId = toText(record['id']);
  if (remoteId === null || !isRecordId(remoteId)) return undefined;
  const modifiedAt = toTimestamp(record['update_time']) ?? toTimestamp(record['add_time']);
  const customValues = readCustomValues(record);
  const common: Common = {
    source,
    remoteId,
    createdAt: toTimestamp(record['add_time']),
    updatedAt: modifiedAt,
    lastModifiedAt: modifiedAt,
    isDeleted: record['is_deleted'] === true,
    rawData: rawData ? toRawData(record) : null,
    ...(customFields && {
      customFields: readCustomFieldValues(customFields, remoteId, (name) =>
        toPlainValue(Object.hasOwn(customValues, name) ? customValues[name] : record[name]),
      ),
    }),
  };
  return { ...object.toFields(record), ...common } as unknown as Item;
}

/** Pipedrive sends all fields. Those that were not selected are empty, as they are of other CRMs. */
export function selectFields<Item extends CrmRecord>(
  { kind: { fields } }: Pick<PipedriveObject<Item>, 'kind'>,
  record: Item,
  selection: FieldSelection,
): Item {
  const selected = readSelectedFields(selection);
  if (!selected) return record;
  const other: Record<string, unknown> = {};
  for (const name of fields)
    if (!selected.has(name) && name !== 'isDeleted')
      other[name] = Array.isArray(record[name as keyof Item]) ? [] : null;
  return { ...record, ...other };
}

/**
 * The value of a field as custom fields are read: options are their ids, an amount is its number, and an address its
 * text.
 */
export function toPlainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => String(toPlainValue(one) ?? ''));
  if (!isRecord(value)) return value;
  return value['value'] ?? value['id'] ?? null;
}

/** The keys of custom fields, of which a list takes a few. Undefined: all. */
export function toKeys({ rawData, customFields }: FieldSelection): string | undefined {
  const keys = customFields?.fields.map(({ source }) => source).filter(isFieldKey) ?? [];
  if (rawData || keys.length === 0 || keys.length > MAX_KEYS) return undefined;
  return [...new Set(keys)].join(',');
}

const MAX_KEYS = 15;

/** The key of a custom field: 40 hexadecimal digits. */
export function isFieldKey(name: string): boolean {
  return /^[0-9a-f]{40}$/.test(name);
}

/** Pipedrive rejects a whole list for an invalid id. */
export function isRecordId(id: string): boolean {
  return /^[1-9]\d{0,9}$/.test(id) && Number(id) < 2 ** 31;
}

/** Compares ids as numbers. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

const NOTHING: Wire = {};

export type Wire = Readonly<Record<string, unknown>>;
type Common = Omit<CrmRecord, 'place'> & {
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
};
/** The fields that are not those of every record. */
type Own<Item> = Omit<Item, keyof Common | 'place'>;
