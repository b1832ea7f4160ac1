import type { FieldDefinition, ObjectDefinition, Row, RowValue } from '../soql/table.ts';
import type { CustomField } from '../types.ts';

/** The org's custom fields; strings by default. */
export function describeCustom(
  definition: ObjectDefinition,
  described: Described,
): ObjectDefinition {
  const entries = Object.entries(described);
  if (entries.length === 0) return definition;
  const fields = new Map(definition.fields);
  for (const [name, { type, values = [], isCalculated = false }] of entries) {
    const field: FieldDefinition = {
      name,
      type,
      length: type === 'string' ? 255 : 0,
      nillable: type !== 'boolean',
      values,
      isCalculated,
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
  return type === 'double' && value !== null ? Number(value) : value;
}

type Described = Readonly<Record<string, CustomField>>;
