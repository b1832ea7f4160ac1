import type {
  BulkReader,
  CustomerAccount,
  RecordPage,
  RecordsRequest,
} from '../../domain/provider.ts';
import type { CrmRecord } from '../../domain/records/record.ts';
import { toRecordOrigin } from '../../domain/records/record-search.ts';
import type { SyncedRecord, SyncSource } from '../../domain/sync.ts';
import { isRecord } from '../../lib/json.ts';
import { toText, toTimestamp } from '../../lib/text.ts';
import { completeSynced } from '../complete-records.ts';
import { fitRawFields, withOmitted } from '../large-records.ts';
import { getPage, MAX_PAGE, type Query, V2 } from './call.ts';
import { COMPANY_OBJECT } from './companies.ts';
import { CONTACT_OBJECT } from './contacts.ts';
import { DEAL_OBJECT } from './deals.ts';
import { toSecond } from './filters.ts';
import { IN_ORDER } from './lists.ts';
import { readByIds } from './lookups.ts';
import { compareIds, isRecordId, type PipedriveObject, toRecord } from './object.ts';

/**
 * Persons, organizations and deals, in the common shape or as they are. Their lists are the record store. Of the three
 * only deals have a list of deleted records: full runs find the others.
 */
export function createBulkReader(account: CustomerAccount): BulkReader {
  return {
    describe: async (source) => (objectOf(source) ? [] : undefined),
    readAll: (request) => readPage(request, {}),
    readChanges: ({ window, ...request }) =>
      readPage(request, {
        updated_since: toSecond(window.from.getTime()),
        updated_until: toSecond(window.to.getTime() + 1_000),
      }),

    async find(request, ids) {
      const object = objectOf(request.source);
      if (!object) return [];
      const records = await readByIds(account, object, [...new Set(ids.filter(isRecordId))]);
      return (await toPage(records, request)).records;
    },

    /** Deals that were deleted in the last 30 days. */
    async readDeleted({ source, window, after }) {
      if (objectOf(source) !== DEAL_OBJECT) return { records: [], removed: [], next: null };
      const page = await getPage(account, `${V2}/deals`, {
        status: 'deleted',
        updated_since: toSecond(window.from.getTime()),
        ...IN_ORDER,
        limit: String(MAX_PAGE),
        cursor: after ?? undefined,
      });
      const removed = page.records.flatMap((record) => idOf(record) ?? []);
      return { records: [], removed, next: page.next };
    },

    // A link is a field of one of both records, which it modifies.
    readRelinked: async () => ({ ids: [], next: null }),
  };

  async function readPage(request: RecordsRequest, query: Query): Promise<RecordPage> {
    const object = objectOf(request.source);
    if (!object) return { records: [], removed: [], next: null };
    const path = `${V2}/${object.name}`;
    const cursor = request.after ?? undefined;
    const read = (limit: number) =>
      getPage(account, path, { ...query, ...IN_ORDER, limit: String(limit), cursor });
    const sizes = account.pageSizes;
    const { records, next } = await sizes.read(`records of ${object.name}`, MAX_PAGE, read);
    return { ...(await toPage(records, request)), next };
  }

  async function toPage(records: readonly unknown[], { source, selection }: RecordsOf) {
    const object = objectOf(source);
    const found = new Map<string, SyncedRecord>();
    const removed: string[] = [];
    for (const record of records) {
      const id = idOf(record);
      if (id === undefined || !isRecord(record)) continue;
      if (record['is_deleted'] === true) removed.push(id);
      else found.set(id, toSynced(record, { source, selection, id }));
    }
    const sorted = [...found.values()].sort((one, other) => compareIds(one.id, other.id));
    return { records: await completeSynced(account, object, { page: sorted, selection }), removed };
  }

  /** Only raw data has a limit. */
  function toSynced(
    record: Readonly<Record<string, unknown>>,
    { source, selection, id }: RecordsOf & { readonly id: string },
  ): SyncedRecord {
    const object = OBJECTS[source.kind];
    const fitted = fitRawFields(record, {});
    if (!object) {
      const lastModifiedAt = toTimestamp(record['update_time']);
      return withOmitted({ id, lastModifiedAt, data: fitted.fields }, fitted.omitted);
    }
    const origin = toRecordOrigin(account.connection, object.kind);
    const item = toRecord(object, record, origin, { ...selection, rawData: false });
    const { lastModifiedAt = null } = item ?? {};
    if (!item) return { id, lastModifiedAt, data: {} };
    if (!selection.rawData) return { id, lastModifiedAt, record: item };
    const whole = { ...item, rawData: fitted.fields };
    return withOmitted({ id, lastModifiedAt, record: whole }, fitted.omitted);
  }
}

function idOf(record: unknown): string | undefined {
  const id = isRecord(record) ? toText(record['id']) : null;
  return id !== null && isRecordId(id) ? id : undefined;
}

/** A type of record by the kind of the sync, or an object by its name. */
function objectOf({ kind, object }: SyncSource): PipedriveObject<CrmRecord> | undefined {
  return OBJECTS[kind] ?? Object.values(OBJECTS).find(({ name }) => name === object);
}

const OBJECTS: Readonly<Record<string, PipedriveObject<CrmRecord>>> = {
  CONTACTS: CONTACT_OBJECT,
  COMPANIES: COMPANY_OBJECT,
  DEALS: DEAL_OBJECT,
};

type RecordsOf = Pick<RecordsRequest, 'source' | 'selection'>;
