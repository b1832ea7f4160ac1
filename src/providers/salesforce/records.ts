import * as z from 'zod';
import type { BulkReader, CustomerAccount, RecordPage } from '../../domain/provider.ts';
import type { Contact } from '../../domain/records/contact.ts';
import { toRawData } from '../../domain/records/record.ts';
import { type ProviderResponse, RemoteFailure, ResponseTooLarge } from '../../domain/remote.ts';
import type { SyncedRecord, SyncSource } from '../../domain/sync.ts';
import { isRecord } from '../../lib/json.ts';
import { toText } from '../../lib/text.ts';
import { fitRawFields, readInParts, withOmitted } from '../large-records.ts';
import { API, createCall } from './call.ts';
import { ID, toTime } from './object.ts';
import { isInList, type Row, readRows, toPath } from './query.ts';
import type { RecordReader } from './reader.ts';
import {
  allOf,
  CONTACT,
  type Condition,
  compare,
  type FieldName,
  fieldName,
  isFieldName,
  isObjectName,
  isSet,
  isWithin,
  type ObjectName,
  select,
} from './soql.ts';

/**
 * Records of any object, by keyset of ids. Changes are read in a fixed window of SystemModstamp, which automation moves
 * too; a record that is edited meanwhile leaves the window, and is in the next one. Deleted and merged records are in
 * the window while they are in the recycle bin, and otherwise in the list of deleted records.
 */
export function createBulkReader(
  { send, pageSizes }: CustomerAccount,
  contacts: RecordReader<Contact>,
): BulkReader {
  const call = createCall(send);

  return {
    async describe(source) {
      if (source.kind === 'CONTACTS') return [];
      if (!isObjectName(source.object)) return undefined;
      try {
        const path = `${API}/sobjects/${source.object}/describe`;
        return await call({ path, isDescription: true }, toFieldNames);
      } catch (error) {
        if (isUnknown(error)) return undefined;
        throw error;
      }
    },

    readAll: ({ after, ...asked }) =>
      readPage(asked, { where: afterId(isSet(ID), after), isWhole: false }),

    async readChanges({ window, after, ...asked }) {
      const changedAt =
        asked.source.kind === 'CONTACTS'
          ? SYSTEM_MODSTAMP
          : CHANGE_FIELDS.find((name) => asked.fields.includes(name));
      // Without such a field, only the comparison of all records finds changes.
      if (changedAt === undefined) return { records: [], removed: [], next: null };
      const where = afterId(isWithin(changedAt, window.from, window.to), after);
      return readPage(asked, { where, isWhole: true });
    },

    async find(asked, ids) {
      const wanted = ids.filter(isId);
      const records: SyncedRecord[] = [];
      for (let at = 0; at < wanted.length; ) {
        const from = at;
        const page = await readFitting(asked, {
          read: async (limit) => {
            at = from + limit;
            const found: SyncedRecord[] = [];
            for (const where of isInList(ID, wanted.slice(from, at)))
              found.push(...(await toPage(await readAllRows(asked, { where }), asked)).records);
            return found;
          },
          readLarge: async (tooLarge) => {
            at = from + 1;
            const where = compare(ID, '=', wanted[from] ?? '');
            return (await readLarge(asked, { where, isWhole: false }, tooLarge)).records;
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
  };

  /** A page may be shorter than its limit, and is then followed by another one. */
  async function readPage(asked: PageAsk, range: Range): Promise<RecordPage> {
    return readFitting(asked, {
      async read(limit) {
        const rows = await readAllRows(asked, { ...range, limit });
        const last = rows.at(-1)?.['Id'];
        const next = rows.length >= limit && typeof last === 'string' ? last : null;
        return { ...(await toPage(rows, asked)), next };
      },
      readLarge: (tooLarge) => readLarge(asked, range, tooLarge),
    });
  }

  /** As many records as fit into a response, or a single one without its longest fields. */
  async function readFitting<Page>(asked: PageAsk, { read, readLarge }: Fitting<Page>) {
    const max = isContacts(asked) ? MAX_ROWS : toLimit(asked.fields.length);
    try {
      return await pageSizes.read(`records of ${objectOf(asked.source)}`, max, read);
    } catch (error) {
      if (error instanceof ResponseTooLarge) return readLarge(error);
      throw error;
    }
  }

  /** The first record of a range in parts, without its longest fields. */
  async function readLarge(
    asked: PageAsk,
    { where, isWhole }: Range,
    { maxBytes }: ResponseTooLarge,
  ): Promise<RecordPage> {
    const from = objectOf(asked.source);
    const resource = isWhole ? 'queryAll' : 'query';
    const read = async (fields: readonly FieldName[], condition: Condition) => {
      const query = { fields, from, where: condition, order: 'ascending', limit: 1 } as const;
      return (await readRows(call, [toPath(select(query), resource)])).flat()[0];
    };
    const id = toText((await read([ID], where))?.['Id']);
    if (id === null || !isId(id)) return { records: [], removed: [], next: null };
    const isRecordItself = compare(ID, '=', id);
    const names = await toNames(asked, isWhole);
    const fitted = await readInParts(names, {
      maxBytes,
      read: (part) => read([...new Set([ID, ...part.filter(isFieldName)])], isRecordItself),
    });
    if (!fitted) return { records: [], removed: [], next: id };
    return { ...(await toPage([fitted.fields], asked, fitted.omitted)), next: id };
  }

  async function toNames(asked: PageAsk, isWhole: boolean): Promise<readonly string[]> {
    if (!isContacts(asked)) return asked.fields.filter(isFieldName);
    return contacts.namesOf({ selection: asked.selection, includesDeleted: isWhole });
  }

  /** Of contacts those fields of the selection that the connected user can see. */
  async function readAllRows(
    asked: PageAsk,
    { where, limit, isWhole = false }: Rows,
  ): Promise<readonly Row[]> {
    const { selection } = asked;
    const order = 'ascending';
    const pages = isContacts(asked)
      ? await contacts.read({
          conditions: [where],
          selection,
          order,
          limit,
          includesDeleted: isWhole,
        })
      : await readRows(call, [
          toPath(
            select({
              fields: asked.fields.filter(isFieldName),
              from: objectOf(asked.source),
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
    asked: PageAsk,
    omitted: readonly string[] = [],
  ): Promise<Omit<RecordPage, 'next'>> {
    const records: SyncedRecord[] = [];
    const removed: string[] = [];
    for (const row of rows) {
      const id = toText(row['Id']);
      if (id === null) continue;
      if (row['IsDeleted'] === true) removed.push(id);
      else if (isContacts(asked)) records.push(toContactRecord(row, asked, omitted));
      else records.push(withOmitted(toRecord(row, id), omitted));
    }
    return { records, removed };
  }

  /**
   * The fields of the common shape are those of the whole record; only raw data has a limit. Without the field that
   * only a read of deleted records has: the raw data would change with the kind of the run.
   */
  function toContactRecord(
    { MasterRecordId: _, ...row }: Row,
    { selection }: PageAsk,
    omitted: readonly string[],
  ): SyncedRecord {
    const contact = contacts.toRecord(row, { ...selection, rawData: false });
    const record = { id: contact.remoteId, lastModifiedAt: contact.lastModifiedAt, contact };
    if (!selection.rawData) return withOmitted(record, omitted);
    const fitted = fitRawFields(row);
    const rawData = toRawData(fitted.fields);
    return withOmitted({ ...record, contact: { ...contact, rawData } }, [
      ...omitted,
      ...fitted.omitted,
    ]);
  }
}

function isContacts({ source }: PageAsk): boolean {
  return source.kind === 'CONTACTS';
}

function toRecord({ attributes: _, ...data }: Row, id: string): SyncedRecord {
  const changed = CHANGE_FIELDS.map((name) => toTime(data[name])).find((time) => time !== null);
  return { id, lastModifiedAt: changed ?? null, data };
}

function afterId(condition: Condition, after: string | null): Condition {
  return after === null ? condition : allOf([condition, compare(ID, '>', after)]);
}

function objectOf({ kind, object }: SyncSource): ObjectName {
  if (kind === 'CONTACTS') return CONTACT;
  if (isObjectName(object)) return object;
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

const SYSTEM_MODSTAMP = fieldName('SystemModstamp');
const CHANGE_FIELDS = ['SystemModstamp', 'LastModifiedDate', 'CreatedDate'].map(fieldName);
const MAX_FIELDS = 2_000;
const MAX_ROWS = 2_000;
const MIN_ROWS = 100;
const VALUES_PER_PAGE = 40_000;
/** Salesforce lists deleted records of the last 30 days. */
const LISTED_MS = 29 * 24 * 60 * 60_000;

const wireField = z.object({ name: z.string().min(1).max(255), type: z.string().nullish() });

type PageAsk = Omit<Parameters<BulkReader['readAll']>[0], 'after'>;

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
