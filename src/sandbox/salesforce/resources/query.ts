import type { Reply } from '../answers.ts';
import { SalesforceRefusal } from '../errors.ts';
import { executeQuery, type QueryResult } from '../soql/execute.ts';
import type { WireRecord } from '../soql/projection.ts';
import type { Row } from '../soql/table.ts';
import { type Ask, allow, badInput } from './ask.ts';
import type { Cursor } from './cursors.ts';

/** A query, or the continuation of one: `query/01g…-2000`. */
export function answerQuery(ask: Ask): Reply {
  allow(ask, 'GET');
  const [resource = '', locator] = ask.path;
  if (locator !== undefined) return { status: 200, body: nextPage(ask, locator) };
  const soql = ask.query.get('q');
  if (soql === null || soql.trim() === '') {
    throw badInput('A query string has to be specified', 'MALFORMED_QUERY');
  }
  const result = executeQuery(soql, {
    database: ask.database,
    includeDeleted: resource === 'queryAll',
    shuffleTies: ask.account.quirks.shuffleTies ? shuffler(ask) : undefined,
  });
  return { status: 200, body: firstPage(ask, result) };
}

function firstPage(ask: Ask, result: QueryResult): object {
  if (result.kind === 'count') return toBody(ask, { totalSize: result.total, records: [] });
  if (result.kind === 'aggregates') {
    const row = { attributes: { type: 'AggregateResult' }, ...result.values };
    return toBody(ask, { totalSize: 1, records: [row] });
  }
  if (!result.paged) return wholePage(ask, result);
  const cursor: Cursor = { rows: result.rows, show: result.show, openedAt: ask.now };
  return page(ask, { cursor, offset: 0, id: () => ask.account.state.cursors.open(cursor) });
}

/** A query with OFFSET has only one page, even if there are more rows. */
function wholePage(ask: Ask, { rows, show }: Extract<QueryResult, { kind: 'rows' }>): object {
  const shown = rows.slice(0, MAX_ROWS_WITH_OFFSET);
  return toBody(ask, { totalSize: shown.length, records: shown.map((row) => show(row, ask.version)) });
}

function nextPage(ask: Ask, locator: string): object {
  const [, id = '', digits = ''] = /^(01g\w{15})-(\d{1,9})$/.exec(locator) ?? [];
  const { state, quirks } = ask.account;
  const cursor = state.cursors.find(id);
  const offset = Number(digits);
  const isAlive = cursor !== undefined && ask.now - cursor.openedAt < quirks.cursorTtlMs;
  if (!isAlive || offset > cursor.rows.length) {
    throw new SalesforceRefusal(400, 'INVALID_QUERY_LOCATOR', 'invalid query locator');
  }
  return page(ask, { cursor, offset, id: () => id });
}

function page(ask: Ask, { cursor, offset, id }: PageOptions): object {
  const size = Math.min(ask.batchSize, ask.account.quirks.maxBatchSize);
  const end = offset + size;
  const records = cursor.rows.slice(offset, end).map((row) => cursor.show(row, ask.version));
  const next = end < cursor.rows.length ? `/services/data/v${ask.version}/query/${id()}-${end}` : undefined;
  return toBody(ask, { totalSize: cursor.rows.length, records, next });
}

function toBody(ask: Ask, { totalSize, records, next }: Page): object {
  const done = next === undefined;
  return {
    ...(ask.account.quirks.doneFirst ? { done, totalSize } : { totalSize, done }),
    ...(next !== undefined && { nextRecordsUrl: next }),
    records,
  };
}

/** Another order for every query, and still deterministic. */
function shuffler({ account: { state } }: Ask): (rows: readonly Row[]) => readonly Row[] {
  state.shuffles += 1;
  const turn = state.shuffles;
  return (rows) => {
    const start = (turn * 7) % Math.max(1, rows.length);
    const turned = [...rows.slice(start), ...rows.slice(0, start)];
    return turn % 2 === 0 ? turned : turned.reverse();
  };
}

const MAX_ROWS_WITH_OFFSET = 2_000;

interface PageOptions {
  readonly cursor: Cursor;
  readonly offset: number;
  readonly id: () => string;
}

interface Page {
  readonly totalSize: number;
  readonly records: readonly WireRecord[];
  readonly next?: string | undefined;
}
