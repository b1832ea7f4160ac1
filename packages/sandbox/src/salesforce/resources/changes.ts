import type { Reply } from '../answers.ts';
import type { Row, Table } from '../soql/table.ts';
import { wireDatetime } from '../values/datetime.ts';
import { type ApiRequest, badInput } from './api-request.ts';

/** `sobjects/Contact/updated?start=…&end=…`: ids only, for a period of at most thirty days. */
export function listUpdated(apiRequest: ApiRequest, table: Table): Reply {
  const ids = changed(apiRequest, table)
    .filter((row) => row['IsDeleted'] !== true)
    .map((row) => row['Id']);
  return { status: 200, body: { ids, latestDateCovered: wireDatetime(apiRequest.now) } };
}

export function listDeleted(apiRequest: ApiRequest, table: Table): Reply {
  const deletedRecords = changed(apiRequest, table)
    .filter((row) => row['IsDeleted'] === true)
    .map((row) => ({ id: row['Id'], deletedDate: row['SystemModstamp'] }));
  const earliestDateAvailable = wireDatetime(apiRequest.now - MAX_SPAN_MS);
  return {
    status: 200,
    body: {
      deletedRecords,
      earliestDateAvailable,
      latestDateCovered: wireDatetime(apiRequest.now),
    },
  };
}

function changed({ query, now }: ApiRequest, table: Table): readonly Row[] {
  const [start, end] = ['start', 'end'].map((name) => Date.parse(query.get(name) ?? ''));
  if (start === undefined || end === undefined || Number.isNaN(start + end))
    throw badInput('start and end are required', 'MISSING_ARGUMENT');
  if (start >= end || start < now - MAX_SPAN_MS)
    throw badInput('startDate cannot be more than 30 days ago', 'INVALID_REPLICATION_DATE');
  const rows = Array.from({ length: table.size() }, (_, place) => table.rowAt(place));
  return rows.filter((row) => {
    const at = Date.parse(String(row['SystemModstamp']));
    return at >= start && at <= end;
  });
}

const MAX_SPAN_MS = 30 * 86_400_000;
