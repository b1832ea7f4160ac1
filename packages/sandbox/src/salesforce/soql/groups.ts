import { queryFault, SalesforceError } from '../errors.ts';
import { type BoundField, type Key, resolveField, type Scope, toKey } from './fields.ts';
import { sortRows } from './order.ts';
import type { Aggregate, AggregateFunction, Name } from './syntax.ts';
import type { FieldType, Row, RowValue } from './table.ts';

/**
 * GROUP BY: turns records into groups, which are rows as well. Their fields are the grouped fields and the results of
 * the aggregate functions that the rest of the query names.
 */
export function bindGroups(scope: Scope, groupBy: readonly Name[]): Groups {
  const grouped = new Map<string, BoundField>();
  for (const name of groupBy) {
    const field = resolveField(scope, name);
    if (!isGroupable(field)) {
      const text = `field '${field.definition.name}' can not be grouped in a query call`;
      throw malformed(scope, name, text);
    }
    grouped.set(pathOf(field), field);
  }
  const aggregates = new Map<
    string,
    { readonly name: AggregateFunction; readonly of: BoundField }
  >();

  return {
    resolve(name) {
      if (!('of' in name)) {
        const field = resolveField(scope, name);
        const path = pathOf(field);
        if (grouped.has(path)) return toGroupField(scope, path, field);
        throw malformed(scope, name, `Field must be grouped or aggregated: ${name.text}`);
      }
      const of = resolveField(scope, name.of);
      if (!supports(name.function, of)) {
        const text = `field ${of.definition.name} does not support aggregate operator ${name.function}`;
        throw malformed(scope, name, text);
      }
      const path = `${name.function}(${pathOf(of)})`;
      aggregates.set(path, { name: name.function, of });
      return toGroupField(scope, path, of, name.function);
    },

    toGroups(rows) {
      const members = new Map<string, Row[]>();
      // Without GROUP BY all records are one group, also if there are none.
      if (grouped.size === 0) members.set('', []);
      for (const row of rows) {
        const key =
          grouped.size === 0 ? '' : JSON.stringify([...grouped.values()].map((it) => it.key(row)));
        const group = members.get(key);
        if (group) group.push(row);
        else members.set(key, [row]);
      }
      const groups = [...members.values()].map((group) =>
        Object.fromEntries([
          ...[...grouped].map(([path, field]) => [path, readValue(field, group[0])]),
          ...[...aggregates].map(([path, { name, of }]) => [path, FUNCTIONS[name](of, group)]),
        ]),
      );
      if (grouped.size > 0 && groups.length > MAX_GROUPS) throw tooManyGroups();
      const orderings = [...grouped].map(([path, field]) => ({
        field: toGroupField(scope, path, field),
        descending: false,
        nullsLast: false,
      }));
      return sortRows(groups, orderings);
    },
  };
}

/** A field of a group, read by its path. */
function toGroupField(
  { database: { locale } }: Scope,
  path: string,
  { definition }: BoundField,
  name?: AggregateFunction,
): BoundField {
  const type: FieldType =
    name === undefined || name === 'MIN' || name === 'MAX' ? definition.type : 'double';
  return {
    definition: { ...definition, name: path, type },
    steps: [],
    read: (group) => group[path],
    key: (group) => toKey(type, group[path], locale),
  };
}

function pathOf({ steps, definition }: BoundField): string {
  return [...steps.map(({ name }) => name), definition.name].join('.');
}

function isGroupable({ definition: { type, encryption } }: BoundField): boolean {
  return !UNGROUPABLE.includes(type) && !isNumber(type) && encryption === undefined;
}

function supports(name: AggregateFunction, { definition: { type, encryption } }: BoundField) {
  if (name === 'SUM' || name === 'AVG') return isNumber(type);
  return (
    !['address', 'location', 'textarea', 'multipicklist', 'boolean'].includes(type) &&
    encryption === undefined
  );
}

function isNumber(type: FieldType): boolean {
  return ['int', 'long', 'double', 'currency', 'percent'].includes(type);
}

const UNGROUPABLE: readonly FieldType[] = [
  'address',
  'location',
  'textarea',
  'multipicklist',
  'encryptedstring',
  'datetime',
];

const FUNCTIONS: Readonly<
  Record<AggregateFunction, (field: BoundField, rows: readonly Row[]) => RowValue>
> = {
  COUNT: (field, rows) => keysOf(field, rows).length,
  COUNT_DISTINCT: (field, rows) => new Set(keysOf(field, rows)).size,
  MIN: (field, rows) =>
    readValue(
      field,
      findLeast(field, rows, (a, b) => a < b),
    ),
  MAX: (field, rows) =>
    readValue(
      field,
      findLeast(field, rows, (a, b) => a > b),
    ),
  SUM: (field, rows) => sum(numbersOf(field, rows)),
  AVG(field, rows) {
    const numbers = numbersOf(field, rows);
    const total = sum(numbers);
    return total === null ? null : total / numbers.length;
  },
};

function keysOf(field: BoundField, rows: readonly Row[]): readonly NonNullable<Key>[] {
  return rows.map(field.key).filter((key) => key !== null);
}

function numbersOf(field: BoundField, rows: readonly Row[]): readonly number[] {
  return keysOf(field, rows).filter((key) => typeof key === 'number');
}

/** Of nothing there is no sum. */
function sum(numbers: readonly number[]): number | null {
  return numbers.length === 0 ? null : numbers.reduce((total, number) => total + number, 0);
}

function findLeast(field: BoundField, rows: readonly Row[], isBefore: Comparison): Row | undefined {
  let least: { readonly row: Row; readonly key: NonNullable<Key> } | undefined;
  for (const row of rows) {
    const key = field.key(row);
    if (key !== null && (least === undefined || isBefore(key, least.key))) least = { row, key };
  }
  return least?.row;
}

function readValue(field: BoundField, row: Row | undefined): RowValue {
  return (row && field.read(row)) ?? null;
}

function malformed({ soql }: Scope, { at }: Name, text: string): SalesforceError {
  return queryFault(soql, { errorCode: 'MALFORMED_QUERY', at, text });
}

function tooManyGroups(): SalesforceError {
  const message =
    'Aggregate query does not support queryMore(), use LIMIT to restrict the results to a single batch';
  return new SalesforceError(400, 'EXCEEDED_ID_LIMIT', message);
}

const MAX_GROUPS = 2_000;

type Comparison = (a: NonNullable<Key>, b: NonNullable<Key>) => boolean;

interface Groups {
  /** Names a field of the groups; aggregate functions are computed once they are named. */
  resolve(name: Name | Aggregate): BoundField;
  /** In the order of the grouped fields. */
  toGroups(rows: readonly Row[]): Row[];
}
