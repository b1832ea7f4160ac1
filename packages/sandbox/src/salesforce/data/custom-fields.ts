import type {
  CompoundAddress,
  FieldDefinition,
  ObjectDefinition,
  Row,
  RowValue,
} from '../soql/table.ts';
import type { CustomField } from '../types.ts';
import { toWireDatetime } from '../values/datetime.ts';

/** The org's custom fields; strings by default. */
export function describeCustom(
  definition: ObjectDefinition,
  described: Described,
): ObjectDefinition {
  const entries = Object.entries(described);
  if (entries.length === 0) return definition;
  const fields = new Map(definition.fields);
  for (const [name, custom] of entries) {
    const { type, label, values = [], isCalculated = false } = custom;
    const { isRestricted = false, isUnfilterable = false, isUnique = false } = custom;
    const field: FieldDefinition = {
      name,
      ...(label !== undefined && { label }),
      type,
      length: type === 'string' ? 255 : 0,
      nillable: type !== 'boolean',
      values,
      isCalculated,
      isRestricted,
      isUnfilterable,
      isUnique,
      relationshipName: null,
      referenceTo: null,
      childRelationshipName: null,
    };
    fields.set(name.toLowerCase(), field);
  }
  return { ...definition, fields };
}

/** A person's custom fields are strings: converts them to the types of the org. */
export function toTyped(row: Row, described: Described): Row {
  const entries = Object.entries(described);
  if (entries.length === 0) return row;
  const typed = entries.map(([name, field]) => [name, toValue(field, row[name] ?? null)] as const);
  return { ...row, ...Object.fromEntries(typed) };
}

/** An unset checkbox is false, never null. */
function toValue({ type }: CustomField, value: RowValue): RowValue {
  if (type === 'boolean') return value === 'true';
  if (value === null || typeof value !== 'string') return value;
  if (NUMBERS.includes(type)) return Number(value);
  if (type === 'datetime') return toWireDatetime(value) ?? value;
  return type === 'location' ? toLocation(value) : value;
}

/** `52.5;13.4` is a location, which is an object in a record. */
function toLocation(text: string): CompoundAddress {
  const [latitude = null, longitude = null] = text.split(';');
  return { latitude, longitude };
}

const NUMBERS: readonly CustomField['type'][] = ['int', 'long', 'double', 'currency', 'percent'];

type Described = Readonly<Record<string, CustomField>>;
