import { queryFault, SalesforceError } from '../errors.ts';
import { type BoundCondition, bindCondition } from './bind.ts';
import { candidates } from './candidates.ts';
import { type BoundField, resolveField, type Scope } from './fields.ts';
import { bindGroups } from './groups.ts';
import { toMatcher } from './matcher.ts';
import { bindOrder, isIdOrder, sortRows } from './order.ts';
import { parseQuery } from './parse.ts';
import { bindProjection, toRecord, type WireRecord } from './projection.ts';
import type { Name, Query, SelectItem } from './syntax.ts';
import type { Database, Row, RowValue, Table } from './table.ts';

/** Runs one query. Rows are found immediately; their representation is built when their page is read. */
export function executeQuery(soql: string, options: Options): QueryResult {
  const { database, now } = options;
  const query = parseQuery(soql);
  const table = tableOf(soql, database, query.from);
  const scope: Scope = { soql, database, now, table, alias: query.alias };
  checkRange(soql, query);
  const { select } = query;
  if (select.kind === 'count') {
    return { kind: 'count', total: bindRows(scope, query, options)().length };
  }
  if (isGrouped(query)) return executeGroups(scope, query, options);
  const find = bindRows(scope, query, options);
  const show = bindShow(scope, select.items, options);
  return { kind: 'rows', rows: find(), paged: query.offset === undefined, show };
}

function isGrouped({ select, groupBy, having }: Query): boolean {
  const hasAggregate = select.kind === 'items' && select.items.some((item) => 'of' in item);
  return hasAggregate || groupBy.length > 0 || having !== undefined;
}

function executeGroups(scope: Scope, query: Query, options: Options): QueryResult {
  const groups = bindGroups(scope, query.groupBy);
  const groupScope: Scope = { ...scope, groups };
  const columns = bindColumns(groupScope, query);
  const having = query.having && toMatcher(bindCondition(groupScope, query.having));
  const orderings = bindOrder(groupScope, query.orderBy);
  const rows = bindRows(
    scope,
    { ...query, orderBy: [], limit: undefined, offset: undefined },
    options,
  );
  const found = groups.toGroups(rows()).filter((group) => having?.(group) ?? true);
  const sorted = orderings.length === 0 ? found : sortRows(found, orderings);
  return {
    kind: 'aggregates',
    rows: slice(sorted, query).map((group) =>
      Object.fromEntries(columns.map(([alias, field]) => [alias, field.read(group) ?? null])),
    ),
  };
}

/** Each with its alias: an aggregate function without one is `expr0`, `expr1` and so on. */
function bindColumns(scope: Scope, { select }: Query): readonly (readonly [string, BoundField])[] {
  let unnamed = 0;
  const items = select.kind === 'items' ? select.items : [];
  return items.map((item) => {
    if ('query' in item || 'group' in item) {
      const at = 'at' in item ? item.at : item.query.from.at;
      const text = 'Grouped queries select fields and aggregate functions only';
      throw queryFault(scope.soql, { errorCode: 'MALFORMED_QUERY', at, text });
    }
    const field = scope.groups?.resolve(item) ?? resolveField(scope, item);
    if (item.alias !== undefined) return [item.alias, field];
    if (!('of' in item)) return [field.definition.name.split('.').at(-1) ?? '', field];
    unnamed += 1;
    return [`expr${unnamed - 1}`, field];
  });
}

/** Finds the records of a query, in their order and within its LIMIT. */
function bindRows(scope: Scope, query: Query, options: Options): () => readonly Row[] {
  const orderings = bindOrder(scope, query.orderBy);
  const condition = query.where && bindCondition(scope, query.where);
  const isById = isIdOrder(orderings);
  return () => {
    const found = findRows(scope.table, {
      condition,
      includeDeleted: options.includeDeleted,
      descending: orderings[0]?.descending ?? false,
      enough: isById ? (query.offset ?? 0) + (query.limit ?? Number.POSITIVE_INFINITY) : undefined,
    });
    if (isById) return slice(found, query);
    return slice(sortRows(options.shuffleTies?.(found) ?? found, orderings), query);
  };
}

/** Builds the representation of a record: its fields, and the records of its subqueries. */
function bindShow(scope: Scope, items: readonly SelectItem[], options: Options): Show {
  const children = items.flatMap((item) => ('query' in item ? [item.query] : []));
  const named = items.flatMap((item) => ('query' in item ? [] : [item]));
  for (const item of named) {
    if (!('alias' in item)) continue;
    const text = 'only aggregate expressions use field aliasing';
    throw queryFault(scope.soql, { errorCode: 'MALFORMED_QUERY', at: item.at, text });
  }
  const projection = bindProjection(scope, named);
  const subqueries = children.map((query) => bindSubquery(scope, query, options));
  return (row, version) => {
    const record = toRecord(projection, row, version);
    for (const { name, show } of subqueries) record[name] = show(row, version);
    return record;
  };
}

function bindSubquery(
  parent: Scope,
  query: Query,
  options: Options,
): { readonly name: string; readonly show: (row: Row, version: string) => object | null } {
  const { select, from, alias, limit, offset = 0 } = query;
  const { table, field, name } = findChildren(parent, from);
  if (select.kind === 'count' || isGrouped(query)) {
    const text = 'Aggregate functions are not supported in subqueries';
    throw queryFault(parent.soql, { errorCode: 'MALFORMED_QUERY', at: from.at, text });
  }
  const scope: Scope = { ...parent, table, alias };
  // LIMIT counts for each parent.
  const find = bindRows(scope, { ...query, limit: undefined, offset: undefined }, options);
  const show = bindShow(scope, select.items, options);
  let byParent: ReadonlyMap<RowValue | undefined, readonly Row[]> | undefined;
  return {
    name,
    show(row, version) {
      byParent ??= groupRows(find(), field);
      const rows = slice(byParent.get(row['Id']) ?? [], { limit, offset });
      if (rows.length === 0) return null;
      const records = rows.map((child) => show(child, version));
      return { totalSize: records.length, done: true, records };
    },
  };
}

function groupRows(rows: readonly Row[], field: string): Map<RowValue | undefined, Row[]> {
  const groups = new Map<RowValue | undefined, Row[]>();
  for (const row of rows) {
    const group = groups.get(row[field]);
    if (group) group.push(row);
    else groups.set(row[field], [row]);
  }
  return groups;
}

/** The object whose records refer to those of the scope by a relationship of this name. */
function findChildren({ soql, database, table }: Scope, from: Name): ChildRelationship {
  for (const child of database.tables()) {
    for (const {
      name: field,
      referenceTo,
      childRelationshipName: name,
    } of child.definition.fields.values()) {
      if (referenceTo === table.definition.name && name?.toLowerCase() === from.text.toLowerCase())
        return { table: child, field, name: name ?? '' };
    }
  }
  const text = `Didn't understand relationship '${from.text}' in FROM part of query call. If you are attempting to use a custom relationship, be sure to append the '__r' after the custom relationship name. Please reference your WSDL or the describe call for the appropriate names.`;
  throw queryFault(soql, { errorCode: 'INVALID_TYPE', at: from.at, text });
}

function tableOf(soql: string, database: Database, { text: name, at }: Name): Table {
  const table = database.table(name);
  if (table !== undefined) return table;
  const text = `sObject type '${name}' is not supported. If you are attempting to use a custom object, be sure to append the '__c' after the entity name. Please reference your WSDL or the describe call for the appropriate names.`;
  throw queryFault(soql, { errorCode: 'INVALID_TYPE', at, text });
}

function checkRange(soql: string, query: Query): void {
  const { select, groupBy, offset = 0, limit, orderBy } = query;
  const refuse = (at: number, text: string): SalesforceError =>
    queryFault(soql, { errorCode: 'MALFORMED_QUERY', at, text });
  if (offset > MAX_OFFSET) {
    const message = `Maximum SOQL offset allowed is ${MAX_OFFSET}`;
    throw new SalesforceError(400, 'NUMBER_OUTSIDE_VALID_RANGE', message);
  }
  const [ordering] = orderBy;
  const isOneRow = select.kind === 'count' || (isGrouped(query) && groupBy.length === 0);
  if (isOneRow && ordering !== undefined) {
    throw refuse(
      ordering.field.at,
      `Ordered field must be grouped or aggregated: ${ordering.field.text}`,
    );
  }
  if (select.kind === 'count' && groupBy.length > 0) {
    throw refuse(groupBy[0]?.at ?? 0, 'Grouped queries cannot use COUNT()');
  }
  if (select.kind === 'items' && isOneRow && limit !== undefined) {
    throw refuse(
      0,
      'Non-grouped query that uses overall aggregate functions cannot also use LIMIT',
    );
  }
  const groups = select.kind === 'items' ? select.items.filter((item) => 'group' in item) : [];
  const group = groups.find((item) => item.group !== 'STANDARD');
  if (group && (limit === undefined || limit > MAX_GROUP_ROWS)) {
    throw refuse(
      group.at,
      `The SOQL FIELDS function must have a LIMIT of at most ${MAX_GROUP_ROWS}`,
    );
  }
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
  { offset = 0, limit = Number.POSITIVE_INFINITY }: Partial<Pick<Query, 'offset' | 'limit'>>,
): readonly Row[] {
  return offset === 0 && limit >= rows.length ? rows : rows.slice(offset, offset + limit);
}

const MAX_OFFSET = 2_000;
const MAX_GROUP_ROWS = 200;

export type QueryResult =
  | { readonly kind: 'count'; readonly total: number }
  | { readonly kind: 'aggregates'; readonly rows: readonly Readonly<Record<string, RowValue>>[] }
  | {
      readonly kind: 'rows';
      readonly rows: readonly Row[];
      /** False for a query with OFFSET: it has only one page. */
      readonly paged: boolean;
      readonly show: Show;
    };

type Show = (row: Row, version: string) => WireRecord;

interface ChildRelationship {
  readonly table: Table;
  /** The field that refers to the parent. */
  readonly field: string;
  readonly name: string;
}

interface Options {
  readonly database: Database;
  /** The time of the query. */
  readonly now: number;
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
