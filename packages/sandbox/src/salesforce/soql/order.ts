import { queryFault } from '../errors.ts';
import { type BoundField, type Key, resolveField, type Scope } from './fields.ts';
import type { Ordering } from './syntax.ts';
import type { Row } from './table.ts';

export function bindOrder(scope: Scope, orderBy: readonly Ordering[]): readonly BoundOrdering[] {
  return orderBy.map(({ field, descending, nullsLast }) => {
    const bound = resolveField(scope, field);
    if (bound.definition.type === 'address' || bound.definition.encryption !== undefined) {
      const text = `field '${bound.definition.name}' can not be sorted in a query call`;
      throw queryFault(scope.soql, { errorCode: 'INVALID_FIELD', at: field.at, text });
    }
    return { field: bound, descending, nullsLast };
  });
}

/** Ids are unique, so orderings after the id have no effect and the table's own order can be used. */
export function isIdOrder([first]: readonly BoundOrdering[]): boolean {
  return (
    first === undefined || (first.field.steps.length === 0 && first.field.definition.name === 'Id')
  );
}

/** Stable sort: ties keep their order. */
export function sortRows(rows: readonly Row[], orderings: readonly BoundOrdering[]): Row[] {
  const keyed = rows.map((row) => ({ row, keys: orderings.map(({ field }) => field.key(row)) }));
  keyed.sort((a, b) => {
    for (const [place, ordering] of orderings.entries()) {
      const order = compare(a.keys[place] ?? null, b.keys[place] ?? null, ordering);
      if (order !== 0) return order;
    }
    return 0;
  });
  return keyed.map(({ row }) => row);
}

function compare(a: Key, b: Key, { descending, nullsLast }: BoundOrdering): number {
  if (a === b) return 0;
  if (a === null || b === null) return (a === null) === nullsLast ? 1 : -1;
  return a < b === descending ? 1 : -1;
}

interface BoundOrdering {
  readonly field: BoundField;
  readonly descending: boolean;
  readonly nullsLast: boolean;
}
