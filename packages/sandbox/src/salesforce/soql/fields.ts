import { queryFault, type SalesforceError } from '../errors.ts';
import type { Aggregate, Name } from './syntax.ts';
import type { Database, FieldDefinition, FieldType, Row, RowValue, Table } from './table.ts';

/** Resolves a field name, over as many relationships as it has dots. */
export function resolveField(scope: Scope, name: Name | Aggregate): BoundField {
  if (scope.groups) return scope.groups.resolve(name);
  if ('of' in name) throw queryFault(scope.soql, { ...NO_GROUPS, at: name.at });
  const segments = name.text.split('.');
  if (segments.length > 1 && isOwnName(scope, segments[0])) segments.shift();
  const last = segments.pop() ?? '';
  const steps: Step[] = [];
  let table = scope.table;
  for (const segment of segments) {
    const step = resolveStep(scope, table, { text: segment, at: name.at });
    steps.push(step);
    table = step.table;
  }
  const definition = table.definition.fields.get(last.toLowerCase());
  if (definition === undefined) throw unknownColumn(scope, name, { column: last, table });
  const read = reader(steps, definition);
  const { locale } = scope.database;
  return { definition, steps, read, key: (row) => toKey(definition.type, read(row), locale) };
}

/** The comparison key of a value: strings are case-folded and never empty, ids have 15 characters. */
export function toKey(type: FieldType, value: RowValue | undefined, locale: string): Key {
  if (value === undefined || value === null || value === '' || typeof value === 'object')
    return null;
  if (typeof value !== 'string') return value;
  if (type === 'id' || type === 'reference') return value.slice(0, 15);
  return type === 'date' || type === 'datetime' ? value : value.toLocaleLowerCase(locale);
}

export function parentOf(step: Step, row: Row): Row | undefined {
  const id = row[step.idField];
  return typeof id === 'string' ? step.table.find(id.slice(0, 15)) : undefined;
}

function isOwnName({ table, alias }: Scope, segment = ''): boolean {
  const own = segment.toLowerCase();
  return own === alias?.toLowerCase() || own === table.definition.name.toLowerCase();
}

function resolveStep(scope: Scope, table: Table, name: Name): Step {
  const relationship = name.text.toLowerCase();
  for (const field of table.definition.fields.values()) {
    if (field.relationshipName?.toLowerCase() !== relationship || field.referenceTo === null)
      continue;
    const parent = scope.database.table(field.referenceTo);
    if (parent) return { name: field.relationshipName, idField: field.name, table: parent };
  }
  throw queryFault(scope.soql, {
    errorCode: 'INVALID_FIELD',
    at: name.at,
    text: `Didn't understand relationship '${name.text}' in field path. If you are attempting to use a custom relationship, be sure to append the '__r' after the custom relationship name. Please reference your WSDL or the describe call for the appropriate names.`,
  });
}

function reader(steps: readonly Step[], { name }: FieldDefinition): BoundField['read'] {
  if (steps.length === 0) return (row) => row[name];
  return (row) => {
    let current: Row | undefined = row;
    for (const step of steps) current = current && parentOf(step, current);
    return current?.[name];
  };
}

function unknownColumn(
  { soql }: Scope,
  { at }: Name,
  { column, table }: { column: string; table: Table },
): SalesforceError {
  const text = `No such column '${column}' on entity '${table.definition.name}'. If you are attempting to use a custom field, be sure to append the '__c' after the custom field name. Please reference your WSDL or the describe call for the appropriate names.`;
  return queryFault(soql, { errorCode: 'INVALID_FIELD', at, text });
}

const NO_GROUPS = {
  errorCode: 'MALFORMED_QUERY',
  text: 'Aggregate functions can be used in SELECT, HAVING and ORDER BY only',
};

export interface Scope {
  readonly soql: string;
  /** The time of the query. */
  readonly now: number;
  readonly database: Database;
  readonly table: Table;
  readonly alias: string | undefined;
  /** Names fields of groups instead of records. */
  readonly groups?: { resolve(name: Name | Aggregate): BoundField };
}

export interface BoundField {
  readonly definition: FieldDefinition;
  /** The relationships to follow; empty for a field of the record itself. */
  readonly steps: readonly Step[];
  readonly read: (row: Row) => RowValue | undefined;
  /** The comparison key of the field. */
  readonly key: (row: Row) => Key;
}

export interface Step {
  readonly name: string;
  readonly idField: string;
  readonly table: Table;
}

export type Key = string | number | boolean | null;
