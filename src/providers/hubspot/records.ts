import * as z from 'zod';
import { toContactOrigin } from '../../domain/contact-search.ts';
import type {
  CustomerAccount,
  RecordPage,
  RecordReader,
  RecordsAsk,
  TimeWindow,
} from '../../domain/provider.ts';
import type { SyncedRecord, SyncSource } from '../../domain/sync.ts';
import { chunk } from '../../lib/batcher.ts';
import { isRecord } from '../../lib/json.ts';
import { toText, toTimestamp } from '../../lib/text.ts';
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
import {
  compareIds,
  isRecordId,
  MERGED_IDS,
  propertiesFor,
  propertiesOf,
  toContact,
  toMergedIds,
} from './contacts.ts';

/**
 * Records of any object. All of them are read from the list, which is the record store: it does not lag, and leaves the
 * limit of searches to searches. Changes are searched in a fixed window by keyset, so that neither the 10,000 hits of a
 * search nor equal times matter: what is edited meanwhile leaves the window, and is in the next one.
 */
export function createRecordReader(account: CustomerAccount): RecordReader {
  const origin = toContactOrigin(account.connection);

  return {
    async describe(source) {
      if (source.kind === 'CONTACTS') return [];
      const answer = await get(account, `${OBJECTS.properties}/${nameOf(source)}`);
      if (isUnknownObject(answer)) return undefined;
      const properties = await parseResponse(toProperties, answer);
      const names = properties
        .slice(0, MAX_PROPERTIES)
        .flatMap((one) => wireProperty.safeParse(one).data?.name ?? []);
      return [...new Set([...names, MERGED_IDS])];
    },

    async readAll(asked) {
      const inQuery = fitsQuery(toNames(asked));
      const { results, next } = await list(asked.source, {
        after: asked.after,
        properties: inQuery ? toNames(asked) : [],
      });
      const records = inQuery ? results : await readByIds(asked, results.flatMap(idOf));
      return { ...(await toPage(records, asked)), next };
    },

    async readChanges({ window, ...asked }) {
      const { lastId, offset } = readPosition(asked.after);
      const inBody = fitsQuery(toNames(asked));
      const { results, paging } = await search(asked, { window, lastId, offset, inBody });
      const hits = inBody ? results : await readByIds(asked, results.flatMap(idOf));
      const next = paging?.next?.after
        ? toNextPosition({ lastId, results: results.slice(0, MAX_PAGE), offset: paging.next.after })
        : null;
      return { ...(await toPage(hits, asked)), next };
    },

    async find(asked, ids) {
      const { records } = await toPage(await readByIds(asked, ids), asked);
      return records;
    },

    /**
     * HubSpot keeps archived records for 90 days, and does not list them by time. Records that were merged into one of
     * them are in no other list.
     */
    async readDeleted({ source, after }) {
      const asked = { after, properties: [MERGED_IDS], isArchived: true };
      const { results, next } = await list(source, asked);
      return {
        records: [],
        removed: results.flatMap((one) => [...idOf(one), ...toMergedIds(one)]),
        next,
      };
    },
  };

  /** The list of an object in order of ids. */
  async function list(source: SyncSource, { after, properties, isArchived = false }: Listing) {
    const query = new URLSearchParams({ limit: String(LIST_PAGE) });
    if (after !== null) query.set('after', after);
    if (isArchived) query.set('archived', 'true');
    if (properties.length > 0) query.set('properties', properties.join(','));
    const answer = await get(account, `${OBJECTS.list}/${nameOf(source)}?${query}`);
    if (isUnknownObject(answer)) return { results: [], next: null };
    const page = await parseResponse((json) => wirePage.safeParse(json).data, answer);
    return { results: page.results, next: page.paging?.next?.after ?? null };
  }

  async function search(asked: RecordsAsk, { window, lastId, offset, inBody }: ChangeSearch) {
    const changedAt = asked.source.kind === 'CONTACTS' ? 'lastmodifieddate' : MODIFIED;
    const filters = [
      { propertyName: changedAt, operator: 'GTE', value: String(window.from.getTime()) },
      { propertyName: changedAt, operator: 'LTE', value: String(window.to.getTime()) },
      ...(lastId === null ? [] : [{ propertyName: ID, operator: 'GT', value: lastId }]),
    ];
    const body = {
      filterGroups: [{ filters }],
      sorts: [{ propertyName: ID, direction: 'ASCENDING' }],
      properties: inBody ? toNames(asked) : [],
      limit: MAX_PAGE,
      ...(offset !== null && { after: offset }),
    };
    const path = `${OBJECTS.list}/${nameOf(asked.source)}/search`;
    const answer = await ask(account, path, body, 'search');
    return parseResponse((json) => wirePage.safeParse(json).data, answer);
  }

  /** The records as they are now. Long lists of properties fit only here. */
  async function readByIds(
    asked: Omit<RecordsAsk, 'after'>,
    ids: readonly string[],
  ): Promise<readonly unknown[]> {
    const found: unknown[] = [];
    for (const batch of chunk([...new Set(ids.filter(isRecordId))], LIST_PAGE)) {
      const answer = await askForKnown(
        account,
        `${OBJECTS.list}/${nameOf(asked.source)}/batch/read`,
        { properties: toNames(asked), inputs: batch.map((id) => ({ id })) },
      );
      if (!answer) continue;
      const page = await parseResponse((json) => wirePage.safeParse(json).data, answer);
      // The id of a merged record finds the surviving one.
      found.push(...page.results.filter((one) => batch.includes(String(idOf(one)[0]))));
    }
    return found;
  }

  function toNames({ source, fields, selection }: Omit<RecordsAsk, 'after'>): readonly string[] {
    if (source.kind !== 'CONTACTS') return fields;
    return [...propertiesFor(account.connection, selection), MERGED_IDS];
  }

  /** Maps records. The ids of records that were merged into them are removed. */
  async function toPage(
    results: readonly unknown[],
    { source, selection }: Omit<RecordsAsk, 'after'>,
  ): Promise<Omit<RecordPage, 'next'>> {
    const records = new Map<string, SyncedRecord>();
    const removed: string[] = [];
    for (const one of results) {
      const contact = source.kind === 'CONTACTS' ? toContact(one, origin, selection) : undefined;
      const record = contact
        ? { id: contact.remoteId, lastModifiedAt: contact.lastModifiedAt, contact }
        : toRecord(one);
      if (!record) continue;
      if (isRecord(one) && one['archived'] === true) removed.push(record.id);
      else records.set(record.id, record);
      removed.push(...toMergedIds(one).filter((id) => id !== record.id));
    }
    const sorted = [...records.values()].sort((a, b) => compareIds(a.id, b.id));
    return { records: sorted, removed: [...new Set(removed)].filter((id) => !records.has(id)) };
  }
}

/** The data of a record is its properties. */
function toRecord(one: unknown): SyncedRecord | undefined {
  const [id] = idOf(one);
  if (id === undefined || !isRecord(one)) return undefined;
  const data = propertiesOf(one);
  const lastModifiedAt = toTimestamp(one['updatedAt']) ?? toTimestamp(data[MODIFIED]);
  return { id, lastModifiedAt, data };
}

function idOf(one: unknown): readonly string[] {
  const id = isRecord(one) ? toText(one['id']) : null;
  return id === null ? [] : [id];
}

function nameOf({ kind, object }: SyncSource): string {
  return encodeURIComponent(kind === 'CONTACTS' ? 'contacts' : object);
}

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

interface Listing {
  readonly after: string | null;
  readonly properties: readonly string[];
  readonly isArchived?: boolean;
}

interface ChangePosition {
  readonly lastId: string | null;
  readonly offset: string | null;
}

interface ChangeSearch extends ChangePosition {
  readonly window: TimeWindow;
  readonly inBody: boolean;
}

interface NextPage {
  readonly lastId: string | null;
  readonly results: readonly unknown[];
  readonly offset: z.output<typeof wireId>;
}
