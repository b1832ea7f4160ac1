import * as z from 'zod';
import type { BulkReader, CustomerAccount, RecordPage } from '../../domain/provider.ts';
import { type CrmRecord, toRawData } from '../../domain/records/record.ts';
import type { RecordType } from '../../domain/records/record-type.ts';
import { type ProviderResponse, RemoteFailure, ResponseTooLarge } from '../../domain/remote.ts';
import type { SyncedRecord, SyncKind, SyncSource } from '../../domain/sync.ts';
import type { SyncedKind } from '../../domain/synced-records.ts';
import { isRecord } from '../../lib/json.ts';
import { toText } from '../../lib/text.ts';
import { completeSynced } from '../complete-records.ts';
import { fitRawFields, readInParts, withOmitted } from '../large-records.ts';
import { API, createCall } from './call.ts';
import { COMPANY_OBJECT } from './companies.ts';
import { CONTACT_OBJECT } from './contacts.ts';
import { DEAL_OBJECT } from './deals.ts';
import { ID, type SalesforceObject, toTime } from './object.ts';
import { isInList, type Row, readRows, toPath } from './query.ts';
import { createReader, type RecordReader } from './reader.ts';
import {
  ACCOUNT_CONTACT_RELATION,
  allOf,
  type Condition,
  compare,
  type FieldName,
  fieldName,
  isFieldName,
  isObjectName,
  isSet,
  isWithin,
  type ObjectName,
  OPPORTUNITY_CONTACT_ROLE,
  select,
} from './soql.ts';

/**
 * Records of any object, by keyset of ids. Changes are read in a fixed window of SystemModstamp, which automation moves
 * too; a record that is edited meanwhile leaves the window, and is in the next one. Deleted and merged records are in
 * the window while they are in the recycle bin, and otherwise in the list of deleted records.
 */
export function createBulkReader(account: CustomerAccount): BulkReader {
  const { send, pageSizes } = account;
  const call = createCall(send);
  const readers = new Map<string, RecordReader<CrmRecord>>();

  return {
    async describe(source) {
      if (typeOf(source)) return [];
      if (!isObjectName(source.object)) return undefined;
      try {
        const path = `${API}/sobjects/${source.object}/describe`;
        return await call({ path, isDescription: true }, toFieldNames);
      } catch (error) {
        if (isUnknown(error)) return undefined;
        throw error;
      }
    },

    readAll: ({ after, ...request }) =>
      readPage(request, { where: afterId(isSet(ID), after), isWhole: false }),

    async readChanges({ window, after, ...request }) {
      const changedAt = typeOf(request.source)
        ? SYSTEM_MODSTAMP
        : CHANGE_FIELDS.find((name) => request.fields.includes(name));
      // Without such a field, only the comparison of all records finds changes.
      if (changedAt === undefined) return { records: [], removed: [], next: null };
      const where = afterId(isWithin(changedAt, window.from, window.to), after);
      return readPage(request, { where, isWhole: true });
    },

    async find(request, ids) {
      const recordIds = ids.filter(isId);
      const records: SyncedRecord[] = [];
      for (let at = 0; at < recordIds.length; ) {
        const from = at;
        const page = await readFitting(request, {
          read: async (limit) => {
            at = from + limit;
            const found: SyncedRecord[] = [];
            for (const where of isInList(ID, recordIds.slice(from, at)))
              found.push(...(await toPage(await readAllRows(request, { where }), request)).records);
            return found;
          },
          readLarge: async (tooLarge) => {
            at = from + 1;
            const where = compare(ID, '=', recordIds[from] ?? '');
            return (await readLarge(request, { where, isWhole: false }, tooLarge)).records;
          },
        });
        records.push(...page);
      }
      return records;
    },

    async readDeleted({ source, window }) {
      const start = new Date(Math.max(window.from.getTime(), window.to.getTime() - LISTED_MS));
      // The period must not be empty.
      const end = new Date(Math.max(window.to.getTime(), start.getTime() + 60_000));
      const query = new URLSearchParams({ start: start.toISOString(), end: end.toISOString() });
      const path = `${API}/sobjects/${objectOf(source)}/deleted/?${query}`;
      try {
        const removed = await call({ path }, toDeleted);
        return { records: [], removed, next: null };
      } catch (error) {
        // Not every object has this list. The comparison of all records finds what is missing.
        if (isRefused(error)) return { records: [], removed: [], next: null };
        throw error;
      }
    },

    async readRelinked({ source, to, window, after }) {
      const relation = RELATIONS[source.kind];
      if (!relation || !to.includes(relation.to)) return { ids: [], next: null };
      const where = afterId(isWithin(SYSTEM_MODSTAMP, window.from, window.to), after);
      const fields = [ID, relation.from];
      const query = { fields, from: relation.object, where, order: 'ascending' } as const;
      try {
        const path = toPath(select({ ...query, limit: MAX_ROWS }), 'queryAll');
        const rows = (await readRows(call, [path])).flat();
        const last = rows.at(-1)?.['Id'];
        return {
          ids: [...new Set(rows.flatMap((row) => toText(row[relation.from]) ?? []))],
          next: rows.length >= MAX_ROWS && typeof last === 'string' ? last : null,
        };
      } catch (error) {
        // An org in which contacts have one account lacks the object.
        if (isUnknown(error)) return { ids: [], next: null };
        throw error;
      }
    },
  };

  /** A page may be shorter than its limit, and is then followed by another one. */
  async function readPage(request: PageRequest, range: Range): Promise<RecordPage> {
    return readFitting(request, {
      async read(limit) {
        const rows = await readAllRows(request, { ...range, limit });
        const last = rows.at(-1)?.['Id'];
        const next = rows.length >= limit && typeof last === 'string' ? last : null;
        return { ...(await toPage(rows, request)), next };
      },
      readLarge: (tooLarge) => readLarge(request, range, tooLarge),
    });
  }

  /** As many records as fit into a response, or a single one without its longest fields. */
  async function readFitting<Page>(request: PageRequest, { read, readLarge }: Fitting<Page>) {
    const max = typeOf(request.source) ? MAX_ROWS : toLimit(request.fields.length);
    try {
      return await pageSizes.read(`records of ${objectOf(request.source)}`, max, read);
    } catch (error) {
      if (error instanceof ResponseTooLarge) return readLarge(error);
      throw error;
    }
  }

  /** The first record of a range in parts, without its longest fields. */
  async function readLarge(
    request: PageRequest,
    { where, isWhole }: Range,
    { maxBytes }: ResponseTooLarge,
  ): Promise<RecordPage> {
    const from = objectOf(request.source);
    const resource = isWhole ? 'queryAll' : 'query';
    const read = async (fields: readonly FieldName[], condition: Condition) => {
      const query = { fields, from, where: condition, order: 'ascending', limit: 1 } as const;
      return (await readRows(call, [toPath(select(query), resource)])).flat()[0];
    };
    const id = toText((await read([ID], where))?.['Id']);
    if (id === null || !isId(id)) return { records: [], removed: [], next: null };
    const isRecordItself = compare(ID, '=', id);
    const names = await toNames(request, isWhole);
    const fitted = await readInParts(names, {
      maxBytes,
      read: (part) => read([...new Set([ID, ...part.filter(isFieldName)])], isRecordItself),
    });
    if (!fitted) return { records: [], removed: [], next: id };
    return { ...(await toPage([fitted.fields], request, fitted.omitted)), next: id };
  }

  async function toNames(request: PageRequest, isWhole: boolean): Promise<readonly string[]> {
    const reader = readerOf(request.source);
    if (!reader) return request.fields.filter(isFieldName);
    return reader.namesOf({ selection: request.selection, includesDeleted: isWhole });
  }

  /** Undefined: the records are synced as they are. It reads the fields that the connected user can see. */
  function readerOf({ kind }: SyncSource): RecordReader<CrmRecord> | undefined {
    const object = typeOf({ kind });
    if (!object) return undefined;
    const known = readers.get(kind) ?? createReader(account, object);
    readers.set(kind, known);
    return known;
  }

  async function readAllRows(
    request: PageRequest,
    { where, limit, isWhole = false }: Rows,
  ): Promise<readonly Row[]> {
    const { selection } = request;
    const order = 'ascending';
    const reader = readerOf(request.source);
    const pages = reader
      ? await reader.read({
          conditions: [where],
          selection,
          order,
          limit,
          includesDeleted: isWhole,
        })
      : await readRows(call, [
          toPath(
            select({
              fields: request.fields.filter(isFieldName),
              from: objectOf(request.source),
              where,
              order,
              limit,
            }),
            isWhole ? 'queryAll' : 'query',
          ),
        ]);
    return pages.flat();
  }

  async function toPage(
    rows: readonly Row[],
    request: PageRequest,
    omitted: readonly string[] = [],
  ): Promise<Omit<RecordPage, 'next'>> {
    const reader = readerOf(request.source);
    const records: SyncedRecord[] = [];
    const removed: string[] = [];
    for (const row of rows) {
      const id = toText(row['Id']);
      if (id === null) continue;
      if (row['IsDeleted'] === true) removed.push(id);
      else if (reader) records.push(toCommon(reader, row, request, omitted));
      else records.push(withOmitted(toRecord(row, id), omitted));
    }
    const { selection } = request;
    return {
      records: await completeSynced(account, reader, { page: records, selection }),
      removed,
    };
  }

  /**
   * The fields of the common shape are those of the whole record; only raw data has a limit. Without the field that
   * only a read of deleted records has: the raw data would change with the kind of the run.
   */
  function toCommon(
    reader: RecordReader<CrmRecord>,
    { MasterRecordId: _, ...row }: Row,
    { selection }: PageRequest,
    omitted: readonly string[],
  ): SyncedRecord {
    const record = reader.toRecord(row, { ...selection, rawData: false });
    const synced = { id: record.remoteId, lastModifiedAt: record.lastModifiedAt, record };
    if (!selection.rawData) return withOmitted(synced, omitted);
    const fitted = fitRawFields(row);
    const rawData = toRawData(fitted.fields);
    return withOmitted({ ...synced, record: { ...record, rawData } }, [
      ...omitted,
      ...fitted.omitted,
    ]);
  }
}

/** Undefined: the records are synced as they are. */
function typeOf({ kind }: Pick<SyncSource, 'kind'>): SalesforceObject<CrmRecord> | undefined {
  return Object.hasOwn(OBJECTS, kind) ? OBJECTS[kind as SyncedKind] : undefined;
}

const OBJECTS: Readonly<Record<SyncedKind, SalesforceObject<CrmRecord>>> = {
  CONTACTS: CONTACT_OBJECT,
  COMPANIES: COMPANY_OBJECT,
  DEALS: DEAL_OBJECT,
};

function toRecord({ attributes: _, ...data }: Row, id: string): SyncedRecord {
  const changed = CHANGE_FIELDS.map((name) => toTime(data[name])).find((time) => time !== null);
  return { id, lastModifiedAt: changed ?? null, data };
}

function afterId(condition: Condition, after: string | null): Condition {
  return after === null ? condition : allOf([condition, compare(ID, '>', after)]);
}

function objectOf(source: SyncSource): ObjectName {
  const type = typeOf(source);
  if (type) return type.name;
  if (isObjectName(source.object)) return source.object;
  throw new TypeError('Not the name of an object');
}

/** An id is 15 or 18 letters and digits. One invalid id fails a whole query. */
function isId(id: string): boolean {
  return /^[A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?$/.test(id);
}

/** Files cannot be read in a list of records. */
function toFieldNames(json: unknown): readonly string[] | undefined {
  const fields = isRecord(json) ? json['fields'] : undefined;
  if (!Array.isArray(fields)) return undefined;
  return fields
    .slice(0, MAX_FIELDS)
    .flatMap((one) => wireField.safeParse(one).data ?? [])
    .filter(({ name, type }) => type !== 'base64' && isFieldName(name) && !name.includes('.'))
    .map(({ name }) => name);
}

function toDeleted(json: unknown): readonly string[] | undefined {
  const records = isRecord(json) ? json['deletedRecords'] : undefined;
  if (!Array.isArray(records)) return undefined;
  return records.flatMap((one) => (isRecord(one) ? (toText(one['id']) ?? []) : []));
}

function isUnknown(error: unknown): boolean {
  return (
    error instanceof RemoteFailure &&
    (isNotFound(error.answer) || error.answer.body.includes('INVALID_TYPE'))
  );
}

/** A page that is no JSON means that the instance has moved. */
function isNotFound({ status, body }: ProviderResponse): boolean {
  return status === 404 && body.includes('NOT_FOUND');
}

function isRefused(error: unknown): boolean {
  return (
    error instanceof RemoteFailure &&
    (error.code === 'REMOTE_PROVIDER_ERROR' || error.code === 'REMOTE_PROVIDER_FORBIDDEN')
  );
}

/** Rows with many fields are read in smaller pages, because a response has at most 8 MiB. */
function toLimit(fields: number): number {
  return Math.max(MIN_ROWS, Math.min(MAX_ROWS, Math.floor(VALUES_PER_PAGE / Math.max(1, fields))));
}

/** The objects that link records without a change of these. Deleted ones are in them, too. */
const RELATIONS: Readonly<Partial<Record<SyncKind, Relation>>> = {
  CONTACTS: { object: ACCOUNT_CONTACT_RELATION, from: fieldName('ContactId'), to: 'COMPANY' },
  DEALS: { object: OPPORTUNITY_CONTACT_ROLE, from: fieldName('OpportunityId'), to: 'CONTACT' },
};

const SYSTEM_MODSTAMP = fieldName('SystemModstamp');
const CHANGE_FIELDS = ['SystemModstamp', 'LastModifiedDate', 'CreatedDate'].map(fieldName);
const MAX_FIELDS = 2_000;
const MAX_ROWS = 2_000;
const MIN_ROWS = 100;
const VALUES_PER_PAGE = 40_000;
/** Salesforce lists deleted records of the last 30 days. */
const LISTED_MS = 29 * 24 * 60 * 60_000;

const wireField = z.object({ name: z.string().min(1).max(255), type: z.string().nullish() });

type PageRequest = Omit<Parameters<BulkReader['readAll']>[0], 'after'>;

interface Relation {
  readonly object: ObjectName;
  readonly from: FieldName;
  readonly to: RecordType;
}

interface Range {
  readonly where: Condition;
  /** Deleted records too. */
  readonly isWhole: boolean;
}

interface Rows extends Pick<Range, 'where'> {
  readonly isWhole?: boolean;
  readonly limit?: number;
}

interface Fitting<Page> {
  read(limit: number): Promise<Page>;
  /** Reads one record, which is too large for a response. */
  readLarge(error: ResponseTooLarge): Promise<Page>;
}
