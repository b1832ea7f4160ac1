import type { Reply } from '../answers.ts';
import { SalesforceError } from '../errors.ts';
import { executeQuery, type QueryResult } from '../soql/execute.ts';
import type { WireRecord } from '../soql/projection.ts';
import type { Row } from '../soql/table.ts';
import { type ApiRequest, allow, badInput } from './api-request.ts';
import type { Cursor } from './cursors.ts';

/** A query, or the continuation of one: `query/01g…-2000`. */
export function answerQuery(apiRequest: ApiRequest): Reply {
  allow(apiRequest, 'GET');
  const [resource = '', locator] = apiRequest.path;
  if (locator !== undefined) return { status: 200, body: nextPage(apiRequest, locator) };
  const soql = apiRequest.query.get('q');
  if (soql === null || soql.trim() === '') {
    throw badInput('A query string has to be specified', 'MALFORMED_QUERY');
  }
  const result = executeQuery(soql, {
    database: apiRequest.database,
    now: apiRequest.now,
    includeDeleted: resource === 'queryAll',
    shuffleTies: apiRequest.account.quirks.shuffleTies ? shuffler(apiRequest) : undefined,
  });
  return { status: 200, body: firstPage(apiRequest, result) };
}

function firstPage(apiRequest: ApiRequest, result: QueryResult): object {
  if (result.kind === 'count') return toBody(apiRequest, { totalSize: result.total, records: [] });
  if (result.kind === 'aggregates') {
    const records = result.rows.map((row) => ({
      attributes: { type: 'AggregateResult' },
      ...row,
    }));
    return toBody(apiRequest, { totalSize: records.length, records });
  }
  if (!result.paged) return wholePage(apiRequest, result);
  const cursor: Cursor = { rows: result.rows, show: result.show, openedAt: apiRequest.now };
  return page(apiRequest, {
    cursor,
    offset: 0,
    id: () => apiRequest.account.state.cursors.open(cursor),
  });
}

/** A query with OFFSET has only one page, even if there are more rows. */
function wholePage(
  apiRequest: ApiRequest,
  { rows, show }: Extract<QueryResult, { kind: 'rows' }>,
): object {
  const shown = rows.slice(0, MAX_ROWS_WITH_OFFSET);
  return toBody(apiRequest, {
    totalSize: shown.length,
    records: shown.map((row) => show(row, apiRequest.version)),
  });
}

function nextPage(apiRequest: ApiRequest, locator: string): object {
  const [, id = '', digits = ''] = /^(01g\w{15})-(\d{1,9})$/.exec(locator) ?? [];
  const { state, quirks } = apiRequest.account;
  const cursor = state.cursors.find(id);
  const offset = Number(digits);
  const isAlive = cursor !== undefined && apiRequest.now - cursor.openedAt < quirks.cursorTtlMs;
  if (!isAlive || offset > cursor.rows.length) {
    throw new SalesforceError(400, 'INVALID_QUERY_LOCATOR', 'invalid query locator');
  }
  return page(apiRequest, { cursor, offset, id: () => id });
}

function page(apiRequest: ApiRequest, { cursor, offset, id }: PageOptions): object {
  const size = Math.min(apiRequest.batchSize, apiRequest.account.quirks.maxBatchSize);
  const end = offset + size;
  const records = cursor.rows.slice(offset, end).map((row) => cursor.show(row, apiRequest.version));
  const next =
    end < cursor.rows.length
      ? `/services/data/v${apiRequest.version}/query/${id()}-${end}`
      : undefined;
  return toBody(apiRequest, { totalSize: cursor.rows.length, records, next });
}

function toBody(apiRequest: ApiRequest, { totalSize, records, next }: Page): object {
  const done = next === undefined;
  return {
    ...(apiRequest.account.quirks.doneFirst ? { done, totalSize } : { totalSize, done }),
    ...(next !== undefined && { nextRecordsUrl: next }),
    records,
  };
}

/** Another order for every query, and still deterministic. */
function shuffler({ account: { state } }: ApiRequest): (rows: readonly Row[]) => readonly Row[] {
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
