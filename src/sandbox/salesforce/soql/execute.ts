import { queryFault, SalesforceError } from '../errors.ts';
import { type BoundCondition, bindCondition } from './bind.ts';
import { candidates } from './candidates.ts';
import { resolveField, type Scope } from './fields.ts';
import { toMatcher } from './matcher.ts';
import { bindOrder, isIdOrder, sortRows } from './order.ts';
import { parseQuery } from './parse.ts';
import { bindProjection, toRecord, type WireRecord } from './projection.ts';
import type { Aggregate, Name, Query } from './syntax.ts';
import type { Database, Row, Table } from './table.ts';

/** Runs one query. Rows are found immediately; their representation is built when their page is read. */
export function executeQuery(
  soql: string,
  { database, includeDeleted, shuffleTies }: Options,
): QueryResult {
  const query = parseQuery(soql);
  const scope: Scope = {
    soql,
    database,
    table: tableOf(soql, database, query.from),
    alias: query.alias,
  };
  checkRange(soql, query);
  const orderings = bindOrder(scope, query.orderBy);
  const condition = query.where && bindCondition(scope, query.where);
  const project = bindSelect(scope, query);
  const all: FindOptions = {
    condition,
    includeDeleted,
    descending: orderings[0]?.descending ?? false,
    enough: isIdOrder(orderings)
      ? (query.offset ?? 0) + (query.limit ?? Number.POSITIVE_INFINITY)
      : undefined,
  };
  const found = findRows(scope.table, all);
  const sorted = isIdOrder(orderings)
    ? found
    : sortRows(shuffleTies ? shuffleTies(found) : found, orderings);
  return project(slice(sorted, query));
}

function tableOf(soql: string, database: Database, { text: name, at }: Name): Table {
  const table = database.table(name);
  if (table !== undefined) return table;
  const text = `sObject type '${name}' is not supported. If you are attempting to use a custom object, be sure to append the '__c' after the entity name. Please reference your WSDL or the describe call for the appropriate names.`;
  throw queryFault(soql, { errorCode: 'INVALID_TYPE', at, text });
}

function checkRange(soql: string, { select, offset = 0, limit, orderBy }: Query): void {
  const refuse = (at: number, text: string): SalesforceError =>
    queryFault(soql, { errorCode: 'MALFORMED_QUERY', at, text });
  if (offset > MAX_OFFSET) {
    const message = `Maximum SOQL offset allowed is ${MAX_OFFSET}`;
    throw new SalesforceError(400, 'NUMBER_OUTSIDE_VALID_RANGE', message);
  }
  const [ordering] = orderBy;
  if (select.kind !== 'fields' && ordering !== undefined) {
    throw refuse(
      ordering.field.at,
      `Ordered field must be grouped or aggregated: ${ordering.field.text}`,
    );
  }
  if (select.kind === 'aggregates' && limit !== undefined) {
    throw refuse(
      0,
      'Non-grouped query that uses overall aggregate functions cannot also use LIMIT',
    );
  }
  const groups = select.kind === 'fields' ? select.items.filter((item) => 'group' in item) : [];
  const group = groups.find((item) => item.group !== 'STANDARD');
  if (group && (limit === undefined || limit > MAX_GROUP_ROWS)) {
    throw refuse(
      group.at,
      `The SOQL FIELDS function must have a LIMIT of at most ${MAX_GROUP_ROWS}`,
    );
  }
}

function bindSelect(
  scope: Scope,
  { select, offset }: Query,
): (rows: readonly Row[]) => QueryResult {
  if (select.kind === 'count') return (rows) => ({ kind: 'count', total: rows.length });
  if (select.kind === 'aggregates') {
    const counters = select.items.map((item) => [item.alias, toCounter(scope, item)] as const);
    return (rows) => ({
      kind: 'aggregates',
      values: Object.fromEntries(counters.map(([alias, count]) => [alias, count(rows)])),
    });
  }
  const projection = bindProjection(scope, select.items);
  return (rows) => ({
    kind: 'rows',
    rows,
    paged: offset === undefined,
    show: (row, version) => toRecord(projection, row, version),
  });
}

function toCounter(scope: Scope, { field, distinct }: Aggregate): (rows: readonly Row[]) => number {
  const { key } = resolveField(scope, field);
  return (rows) => {
    const values = rows.map(key).filter((value) => value !== null);
    return distinct ? new Set(values).size : values.length;
  };
}

function findRows(
  table: Table,
  { condition, includeDeleted, descending, enough }: FindOptions,
): Row[] {
  const matches = condition ? toMatcher(condition) : () => true;
  const rows: Row[] = [];
  if (enough === 0) return rows;
  for (const row of candidates(table, condition, enough !== undefined && descending)) {
    if ((row['IsDeleted'] === true && !includeDeleted) || !matches(row)) continue;
    rows.push(row);
    if (rows.length === enough) break;
  }
  return rows;
}

function slice(
  rows: readonly Row[],
  { offset = 0, limit = Number.POSITIVE_INFINITY }: Query,
): readonly Row[] {
  return offset === 0 && limit >= rows.length ? rows : rows.slice(offset, offset + limit);
}

const MAX_OFFSET = 2_000;
const MAX_GROUP_ROWS = 200;

export type QueryResult =
  | { readonly kind: 'count'; readonly total: number }
  | { readonly kind: 'aggregates'; readonly values: Readonly<Record<string, number>> }
  | {
      readonly kind: 'rows';
      readonly rows: readonly Row[];
      /** False for a query with OFFSET: it has only one page. */
      readonly paged: boolean;
      readonly show: (row: Row, version: string) => WireRecord;
    };

interface Options {
  readonly database: Database;
  /** Includes rows in the recycle bin. */
  readonly includeDeleted: boolean;
  /** Reorders ties, whose order is not guaranteed. */
  readonly shuffleTies?: ((rows: readonly Row[]) => readonly Row[]) | undefined;
}

interface FindOptions {
  readonly condition: BoundCondition | undefined;
  readonly includeDeleted: boolean;
  readonly descending: boolean;
  /** The number of rows after which the scan can stop, where results have the order of the table. */
  readonly enough: number | undefined;
}
