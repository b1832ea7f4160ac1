import { type Connection, findFieldMappings } from '../../domain/connection.ts';
import { isObjectOf } from '../../domain/custom-fields.ts';
import type { FilterKind } from '../../domain/records/conditions.ts';
import type { CrmRecord, RecordKind, RecordOrigin } from '../../domain/records/record.ts';
import {
  type FieldSelection,
  readSelectedFields,
  type SelectedFields,
} from '../../domain/records/record-search.ts';
import { isRecord } from '../../lib/json.ts';
import { toText } from '../../lib/text.ts';
import type { Completable } from '../complete-records.ts';

/** A type of record in HubSpot. */
export interface HubSpotObject<Item extends CrmRecord> extends Completable<Item> {
  readonly kind: RecordKind<Item>;
  readonly filters: Pick<FilterKind<Item, never>, 'matches' | 'verifiedFields'>;
  /** As paths name it. */
  readonly name: string;
  /** The properties that each field of the common shape is made of. HubSpot sends only requested properties. */
  readonly properties: Readonly<Record<string, readonly string[]>>;
  /** The properties with the names of a record, of which `namePrefix` compares the words. */
  readonly nameProperties: readonly string[];
  /** Requested with every record, so that hits can be verified. */
  readonly keys: readonly string[];
  /** The property with the time of the last change. */
  readonly modified: string;
  /** The properties with the ids of records that were merged into this one. */
  readonly mergedIds: readonly string[];
  /** Undefined if it is no record. Throws only for raw data beyond its limits, whatever the response holds. */
  toRecord(record: unknown, source: RecordOrigin, selection: FieldSelection): Item | undefined;
}

type AnyObject = Pick<HubSpotObject<CrmRecord>, 'properties' | 'keys' | 'kind'>;

/** The properties to request: also those of custom fields and, with raw data, those that were mapped or asked for. */
export function propertiesFor(
  object: AnyObject,
  connection: Connection,
  selection: FieldSelection,
): readonly string[] {
  const common = commonPropertiesFor(object, connection, selection);
  const sources = selection.customFields?.fields.map(({ source }) => source) ?? NONE;
  return sources.length > 0 ? [...new Set([...common, ...sources])] : common;
}

function commonPropertiesFor(
  object: AnyObject,
  connection: Connection,
  selection: FieldSelection,
): readonly string[] {
  const fields = readSelectedFields(selection);
  if (fields) return toProperties(object, fields);
  const every = toProperties(object, everyFieldOf(object));
  if (!selection.rawData) return every;
  const mapped = findFieldMappings(connection, (name) =>
    isObjectOf(object.kind.type, undefined, name),
  )
    .map(({ mappedField }) => mappedField.trim())
    .filter((field) => field !== '');
  return [...new Set([...every, ...mapped, ...(selection.rawFields ?? NONE)])];
}

function toProperties({ properties, keys }: AnyObject, fields: SelectedFields): readonly string[] {
  const known = remembered.get(fields);
  if (known) return known;
  const all = new Set(keys);
  for (const field of fields) for (const property of properties[field] ?? NONE) all.add(property);
  const names = [...all];
  remembered.set(fields, names);
  return names;
}

/** Memoized, because a selection is of one type of record. */
const remembered = new WeakMap<SelectedFields, readonly string[]>();

/** All fields of a type, as a selection. */
function everyFieldOf({ kind }: AnyObject): SelectedFields {
  const known = every.get(kind);
  if (known) return known;
  const fields = new Set(kind.fields);
  every.set(kind, fields);
  return fields;
}

const every = new WeakMap<AnyObject['kind'], SelectedFields>();

/**
 * The ids of records that were merged into this one, under which HubSpot also returns it. Of contacts, portals have two
 * properties, of which the second has the time of each merge (`501:1700000000000`); a portal that shows none has no old
 * ids.
 */
export function toMergedIds(
  { mergedIds }: Pick<HubSpotObject<CrmRecord>, 'mergedIds'>,
  record: unknown,
): readonly string[] {
  const properties = propertiesOf(record);
  const ids: string[] = [];
  for (const name of mergedIds) {
    const list = toText(properties[name]);
    if (list === null) continue;
    for (const id of splitList(list)) ids.push(id.split(':', 1)[0] ?? '');
  }
  return ids;
}

/** The properties of a record: null if never set, empty if cleared, missing if the portal lacks it. */
export function propertiesOf(record: unknown): Properties {
  return isRecord(record) && isRecord(record['properties']) ? record['properties'] : NOTHING;
}

/** A property with several values. HubSpot merges at most 250 contacts into one. */
export function splitList(text: string): readonly string[] {
  return text.split(';', MAX_VALUES);
}

const MAX_VALUES = 500;

/** Of every object. Must be requested like any other property. */
export const MERGED_IDS = 'hs_merged_object_ids';

/** Whether it is a valid record id; HubSpot rejects a whole batch for an invalid one. */
export function isRecordId(id: string): boolean {
  return /^[1-9]\d{0,18}$/.test(id);
}

/** Compares ids numerically as strings, because they may exceed exact integers: the longer is the larger. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

const NOTHING: Properties = {};
const NONE: readonly never[] = [];

export type Properties = Readonly<Record<string, unknown>>;
