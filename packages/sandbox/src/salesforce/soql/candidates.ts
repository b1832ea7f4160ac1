import type { BoundCondition } from './bind.ts';
import type { Key } from './fields.ts';
import type { Row, Table } from './table.ts';

/**
 * The rows that can match, ordered by id: by id or email where the condition requires one value, else a range of
 * ids, else all. A superset: every row still has to be tested.
 */
export function* candidates(
  table: Table,
  condition: BoundCondition | undefined,
  descending: boolean,
): Generator<Row> {
  const required = condition?.kind === 'and' ? condition.parts : condition ? [condition] : [];
  for (const part of required) {
    const rows = pinned(table, part);
    if (rows === undefined) continue;
    const sorted = [...rows].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
    yield* descending ? sorted.reverse() : sorted;
    return;
  }
  yield* range(table, bounds(table, required), descending);
}

function pinned(table: Table, part: BoundCondition): ReadonlySet<Row> | undefined {
  const values = pinnedValues(part);
  if (values === undefined || !('field' in part) || part.field.steps.length > 0) return undefined;
  const { name } = part.field.definition;
  const strings = [...values].filter((value) => typeof value === 'string');
  if (name === 'Id')
    return new Set(strings.map((id) => table.find(id)).filter((row) => row !== undefined));
  const lookup = table.lookups?.[name];
  if (lookup && !values.has(null)) return new Set(strings.flatMap(lookup));
  // Rows without an email are not in the index.
  if (name !== 'Email' || table.byEmail === undefined || values.has(null)) return undefined;
  return new Set(strings.flatMap((email) => table.byEmail?.(email) ?? []));
}

function pinnedValues(part: BoundCondition): ReadonlySet<Key> | undefined {
  if (part.kind === 'in' && !part.negated) return part.values;
  if (part.kind === 'compare' && part.operator === '=') return new Set([part.value]);
  return undefined;
}

function bounds(table: Table, required: readonly BoundCondition[]): Bounds {
  let from = 0;
  let to = table.size();
  for (const part of required) {
    if (part.kind !== 'compare' || typeof part.value !== 'string') continue;
    if (part.field.steps.length > 0 || part.field.definition.name !== 'Id') continue;
    const place = table.lowerBound(part.value);
    if (part.operator.startsWith('>')) from = Math.max(from, place);
    // For `<` this includes one row too many, which the test rejects.
    if (part.operator.startsWith('<')) to = Math.min(to, place + 1);
  }
  return { from, to };
}

function* range(table: Table, { from, to }: Bounds, descending: boolean): Generator<Row> {
  if (descending) for (let place = to - 1; place >= from; place -= 1) yield table.rowAt(place);
  else for (let place = from; place < to; place += 1) yield table.rowAt(place);
}

function idOf(row: Row): string {
  return String(row['Id']).slice(0, 15);
}

interface Bounds {
  readonly from: number;
  readonly to: number;
}
