import * as z from 'zod';
import type {
  BulkReader,
  CustomerAccount,
  RecordPage,
  RecordsRequest,
  TimeWindow,
} from '../../domain/provider.ts';
import { type CrmRecord, toRawData } from '../../domain/records/record.ts';
import { toRecordOrigin } from '../../domain/records/record-search.ts';
import { ResponseTooLarge } from '../../domain/remote.ts';
import type { SyncedRecord, SyncSource } from '../../domain/sync.ts';
import type { SyncedKind } from '../../domain/synced-records.ts';
import { chunk } from '../../lib/batcher.ts';
import { isRecord } from '../../lib/json.ts';
import { toText, toTimestamp } from '../../lib/text.ts';
import { completeSynced } from '../complete-records.ts';
import { fitRawFields, readInParts, withOmitted } from '../large-records.ts';
import {
  ask,
  askForKnown,
  get,
  isResultList,
  isUnknownObject,
  OBJECTS,
  parseResponse,
  type wireId,
  wirePaging,
} from './call.ts';
import { COMPANY_OBJECT } from './companies.ts';
import { CONTACT_OBJECT } from './contacts.ts';
import { DEAL_OBJECT } from './deals.ts';
import {
  compareIds,
  type HubSpotObject,
  isRecordId,
  MERGED_IDS,
  propertiesFor,
  propertiesOf,
  toMergedIds,
} from './object.ts';

/**
 * Records of any object. All of them are read from the list, which is the record store: it does not lag, and leaves the
 * limit of searches to searches. Changes are searched in a fixed window by keyset, so that neither the 10,000 hits of a
 * search nor equal times matter: what is edited meanwhile leaves the window, and is in the next one.
 */
export function createBulkReader(account: CustomerAccount): BulkReader {
  const { connection } = account;

  return {
    async describe(source) {
      if (objectOf(source)) return [];
      const answer = await get(account, `${OBJECTS.properties}/${nameOf(source)}`, true);
      if (isUnknownObject(answer)) return undefined;
      const properties = parseResponse(toProperties, answer);
      const names = properties
        .slice(0, MAX_PROPERTIES)
        .flatMap((one) => wireProperty.safeParse(one).data?.name ?? []);
      return [...new Set([...names, MERGED_IDS])];
    },

    readAll: (request) =>
      readPage(request, LIST_PAGE, (limit, properties) =>
        list(request.source, { after: request.after, limit, properties }),
      ),

    readChanges({ window, ...request }) {
      const { lastId, offset } = readPosition(request.after);
      return readPage(request, MAX_PAGE, async (limit, properties) => {
        const ask = { window, lastId, offset, limit, properties };
        const { results, paging } = await search(request.source, ask);
        const after = paging?.next?.after;
        const next = after
          ? toNextPosition({ lastId, results: results.slice(0, limit), offset: after })
          : null;
        return { results, next };
      });
    },

    async find(request, ids) {
      const recordIds = [...new Set(ids.filter(isRecordId))];
      const records: SyncedRecord[] = [];
      for (let at = 0; at < recordIds.length; ) {
        const from = at;
        const page = await readFitting(request, LIST_PAGE, {
          read: async (limit) => {
            at = from + limit;
            const batch = recordIds.slice(from, at);
            return toPage(await readByIds(request, batch, toNames(request)), request);
          },
          readLarge: async (tooLarge) => {
            at = from + 1;
            return readLarge(request, recordIds.slice(from, at), tooLarge);
          },
        });
        records.push(...page.records);
      }
      return records;
    },

    /**
     * HubSpot keeps archived records for 90 days, and does not list them by time. Records that were merged into one of
     * them are in no other list.
     */
    async readDeleted({ source, after }) {
      const object = objectOf(source) ?? ANY_OBJECT;
      const request = { after, limit: LIST_PAGE, properties: object.mergedIds, isArchived: true };
      const { results, next } = await list(source, request);
      return {
        records: [],
        removed: results.flatMap((one) => [...idOf(one), ...toMergedIds(object, one)]),
        next,
      };
    },

    /** HubSpot lists no changed associations: the comparison of all records finds them. */
    readRelinked: async () => ({ ids: [], next: null }),
  };

  /** A page with the properties of records, which are read by id where they are too many for the list. */
  async function readPage(
    request: RecordsRequest,
    max: number,
    readHits: ReadHits,
  ): Promise<RecordPage> {
    const names = toNames(request);
    const isInQuery = fitsQuery(names);
    return readFitting(request, max, {
      async read(limit) {
        const { results, next } = await readHits(limit, isInQuery ? names : []);
        const records = isInQuery
          ? results
          : await readByIds(request, results.flatMap(idOf), names);
        return { ...(await toPage(records, request)), next };
      },
      async readLarge(tooLarge) {
        const { results, next } = await readHits(1, [ID]);
        return { ...(await readLarge(request, results.flatMap(idOf), tooLarge)), next };
      },
    });
  }

  /** As many records as fit into a response, or a single one without its longest properties. */
  async function readFitting<Page>(
    { source }: Pick<RecordsRequest, 'source'>,
    max: number,
    { read, readLarge }: Fitting<Page>,
  ): Promise<Page> {
    try {
      return await account.pageSizes.read(`records of ${nameOf(source)}`, max, read);
    } catch (error) {
      if (error instanceof ResponseTooLarge) return readLarge(error);
      throw error;
    }
  }

  /** Reads each record in parts, and leaves out its longest properties. */
  async function readLarge(
    request: RecordsOf,
    ids: readonly string[],
    { maxBytes }: ResponseTooLarge,
  ): Promise<PageOfRecords> {
    const records: SyncedRecord[] = [];
    const removed: string[] = [];
    for (const id of ids) {
      let record: Readonly<Record<string, unknown>> = {};
      const names = [...new Set([MERGED_IDS, ...toNames(request)])];
      const fitted = await readInParts(names, {
        maxBytes,
        async read(part) {
          const [one] = await readByIds(request, [id], part);
          if (!isRecord(one)) return undefined;
          record = one;
          return propertiesOf(one);
        },
      });
      if (!fitted) continue;
      const { fields: properties, omitted } = fitted;
      const page = await toPage([{ ...record, properties }], request, omitted);
      records.push(...page.records);
      removed.push(...page.removed);
    }
    return { records, removed };
  }

  /** The list of an object in order of ids. */
  async function list(source: SyncSource, { after, limit, properties, isArchived }: Listing) {
    const query = new URLSearchParams({ limit: String(limit) });
    if (after !== null) query.set('after', after);
    if (isArchived) query.set('archived', 'true');
    if (properties.length > 0) query.set('properties', properties.join(','));
    const answer = await get(account, `${OBJECTS.list}/${nameOf(source)}?${query}`);
    if (isUnknownObject(answer)) return { results: [], next: null };
    const page = parseResponse((json) => wirePage.safeParse(json).data, answer);
    return { results: page.results, next: page.paging?.next?.after ?? null };
  }

  async function search(
    source: SyncSource,
    { window, lastId, offset, limit, properties }: ChangeSearch,
  ) {
    const changedAt = (objectOf(source) ?? ANY_OBJECT).modified;
    const filters = [
      { propertyName: changedAt, operator: 'GTE', value: String(window.from.getTime()) },
      { propertyName: changedAt, operator: 'LTE', value: String(window.to.getTime()) },
      ...(lastId === null ? [] : [{ propertyName: ID, operator: 'GT', value: lastId }]),
    ];
    const body = {
      filterGroups: [{ filters }],
      sorts: [{ propertyName: ID, direction: 'ASCENDING' }],
      properties,
      limit,
      ...(offset !== null && { after: offset }),
    };
    const path = `${OBJECTS.list}/${nameOf(source)}/search`;
    const answer = await ask(account, path, body, 'search');
    return parseResponse((json) => wirePage.safeParse(json).data, answer);
  }

  /** The records as they are now. Long lists of properties fit only here. */
  async function readByIds(
    { source }: Pick<RecordsRequest, 'source'>,
    ids: readonly string[],
    properties: readonly string[],
  ): Promise<readonly unknown[]> {
    const found: unknown[] = [];
    for (const batch of chunk([...new Set(ids.filter(isRecordId))], LIST_PAGE)) {
      const path = `${OBJECTS.list}/${nameOf(source)}/batch/read`;
      const inputs = batch.map((id) => ({ id }));
      const answer = await askForKnown(account, path, { properties, inputs });
      if (!answer) continue;
      const page = parseResponse((json) => wirePage.safeParse(json).data, answer);
      // The id of a merged record finds the surviving one.
      found.push(...page.results.filter((one) => batch.includes(String(idOf(one)[0]))));
    }
    return found;
  }

  function toNames({ source, fields, selection }: RecordsOf): readonly string[] {
    const object = objectOf(source);
    if (!object) return fields;
    return [...propertiesFor(object, connection, selection), ...object.mergedIds];
  }

  /** Maps records. The ids of records that were merged into them are removed. */
  async function toPage(
    results: readonly unknown[],
    request: RecordsOf,
    omitted: readonly string[] = [],
  ): Promise<PageOfRecords> {
    const object = objectOf(request.source);
    const records = new Map<string, SyncedRecord>();
    const removed: string[] = [];
    for (const one of results) {
      const record = object ? toCommon(object, one, request, omitted) : toRecord(one, omitted);
      if (!record) continue;
      if (isRecord(one) && one['archived'] === true) removed.push(record.id);
      else records.set(record.id, record);
      removed.push(...toMergedIds(object ?? ANY_OBJECT, one).filter((id) => id !== record.id));
    }
    const sorted = [...records.values()].sort((a, b) => compareIds(a.id, b.id));
    return {
      records: await completeSynced(account, object, {
        page: sorted,
        selection: request.selection,
      }),
      removed: [...new Set(removed)].filter((id) => !records.has(id)),
    };
  }

  /** The fields of the common shape are those of the whole record. Only raw data has a limit. */
  function toCommon(
    object: HubSpotObject<CrmRecord>,
    one: unknown,
    { selection }: RecordsOf,
    omitted: readonly string[],
  ): SyncedRecord | undefined {
    const origin = toRecordOrigin(connection, object.kind);
    const record = object.toRecord(one, origin, { ...selection, rawData: false });
    if (!record || !isRecord(one)) return undefined;
    const synced = { id: record.remoteId, lastModifiedAt: record.lastModifiedAt, record };
    if (!selection.rawData) return withOmitted(synced, omitted);
    const { properties: _, ...rest } = one;
    const fitted = fitRawFields(propertiesOf(one), rest);
    const rawData = toRawData({ ...one, properties: fitted.fields });
    return withOmitted({ ...synced, record: { ...record, rawData } }, [
      ...omitted,
      ...fitted.omitted,
    ]);
  }
}

/** The data of a record is its properties. */
function toRecord(one: unknown, omitted: readonly string[]): SyncedRecord | undefined {
  const [id] = idOf(one);
  if (id === undefined || !isRecord(one)) return undefined;
  const data = propertiesOf(one);
  const lastModifiedAt = toTimestamp(one['updatedAt']) ?? toTimestamp(data[MODIFIED]);
  return withOmitted({ id, lastModifiedAt, data }, omitted);
}

function idOf(one: unknown): readonly string[] {
  const id = isRecord(one) ? toText(one['id']) : null;
  return id === null ? [] : [id];
}

function nameOf(source: SyncSource): string {
  return encodeURIComponent(objectOf(source)?.name ?? source.object);
}

/** Undefined: the records are synced as they are. */
function objectOf({ kind }: SyncSource): HubSpotObject<CrmRecord> | undefined {
  return Object.hasOwn(OBJECTS_OF, kind) ? OBJECTS_OF[kind as SyncedKind] : undefined;
}

const OBJECTS_OF: Readonly<Record<SyncedKind, HubSpotObject<CrmRecord>>> = {
  CONTACTS: CONTACT_OBJECT,
  COMPANIES: COMPANY_OBJECT,
  DEALS: DEAL_OBJECT,
};

function toProperties(json: unknown): readonly unknown[] | undefined {
  const results = isRecord(json) ? json['results'] : undefined;
  return Array.isArray(results) ? results : undefined;
}

/** The position after a page: its last id in the order of the search, or an offset where a page has no records. */
function toNextPosition({ lastId, results, offset }: NextPage): string {
  const ids = results.flatMap(idOf).filter(isRecordId);
  const last = ids.filter((id) => lastId === null || compareIds(id, lastId) > 0).at(-1);
  return last === undefined ? `${lastId ?? ''}:${offset}` : last;
}

function readPosition(after: string | null): ChangePosition {
  const [lastId = '', offset] = after?.split(':') ?? [];
  return { lastId: lastId === '' ? null : lastId, offset: offset ?? null };
}

/** Whether a list of properties fits into a URL, and into a search. */
function fitsQuery(properties: readonly string[]): boolean {
  return properties.join(',').length <= MAX_PROPERTIES_LENGTH;
}

const ID = 'hs_object_id';
/** Contacts have another name for it. */
const MODIFIED = 'hs_lastmodifieddate';
/** What all objects but contacts have. */
const ANY_OBJECT = { modified: MODIFIED, mergedIds: [MERGED_IDS] };
/** The most of a list and of a batch read. */
const LIST_PAGE = 100;
/** The most of a search. */
const MAX_PAGE = 200;
/** HubSpot's own limit of properties of an object is 1,000 custom ones. */
const MAX_PROPERTIES = 2_000;
/** Within the 3,000 characters that are documented for the body of a search. */
const MAX_PROPERTIES_LENGTH = 2_000;

const wireProperty = z.object({ name: z.string().min(1).max(255) });

const wirePage = z.object({
  results: z.custom<readonly unknown[]>(isResultList),
  paging: wirePaging,
});

/** What is read of records. */
type RecordsOf = Omit<RecordsRequest, 'after'>;
type PageOfRecords = Omit<RecordPage, 'next'>;

/** Reads a page of records with these properties. */
type ReadHits = (
  limit: number,
  properties: readonly string[],
) => Promise<{ readonly results: readonly unknown[]; readonly next: string | null }>;

interface Fitting<Page> {
  read(limit: number): Promise<Page>;
  /** Reads one record, which is too large for a response. */
  readLarge(error: ResponseTooLarge): Promise<Page>;
}

interface Listing {
  readonly after: string | null;
  readonly limit: number;
  readonly properties: readonly string[];
  readonly isArchived?: boolean;
}

interface ChangePosition {
  readonly lastId: string | null;
  readonly offset: string | null;
}

interface ChangeSearch extends ChangePosition {
  readonly window: TimeWindow;
  readonly limit: number;
  readonly properties: readonly string[];
}

interface NextPage {
  readonly lastId: string | null;
  readonly results: readonly unknown[];
  readonly offset: z.output<typeof wireId>;
}
