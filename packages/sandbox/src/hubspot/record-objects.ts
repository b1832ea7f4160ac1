import type { CrmRecord, RecordKind } from '../records.ts';
import { embeddedAssociations } from './associations.ts';
import { invalid, notFound } from './errors.ts';
import { describe } from './portal.ts';
import { moment, written } from './record.ts';
import {
  FIRST_IDS,
  listRecordProperties,
  type RecordProperty,
  readerOf,
} from './record-properties.ts';
import { OWN_OBJECTS_SCOPE, scopeOfObject } from './scopes.ts';
import { toRange } from './search/candidates.ts';
import { compareValues, hasWords, matches } from './search/match.ts';
import { readSearch, type Search } from './search/request.ts';
import {
  createObjectEndpoints,
  type ObjectEndpoints,
  type ObjectReader,
  type ShownRecord,
} from './simple-objects.ts';
import type { Endpoint, EndpointContext, HubSpotAccount, Reply } from './types.ts';

/** Objects whose records are added, edited, archived and merged, and are searched by any property. */
export function createRecordEndpoints(kind: RecordKind): RecordEndpoints {
  const name = kind.toUpperCase();
  return {
    ...createObjectEndpoints({ name, open: (account) => openReader(account, kind) }),
    search: (context) => search(context, kind),

    properties: ({ account }) => ({
      status: 200,
      body: { results: listRecordProperties(account, kind).map(describe) },
    }),

    property({ account, parts }) {
      const property = listRecordProperties(account, kind).find((one) => one.name === parts[0]);
      if (property === undefined) throw notFound();
      return { status: 200, body: describe(property) };
    },
  };
}

function openReader(account: HubSpotAccount, kind: RecordKind): ObjectReader {
  const { records } = account;
  const firstId = FIRST_IDS[kind];
  const properties = listRecordProperties(account, kind);

  /** The id of a merged record leads to the survivor, and is in no list. */
  const find = (id: number): CrmRecord | undefined => {
    let record = records.get(kind, id - firstId);
    while (record?.mergedInto !== undefined) record = records.get(kind, record.mergedInto);
    return record;
  };
  return {
    ids: (isArchived) => listed(records.all(kind), isArchived).map(({ index }) => firstId + index),

    show({ id, isArchived, requested, associations = [] }) {
      const record = find(id);
      if (record?.isDeleted !== isArchived) return undefined;
      const visible = show(account, kind, { record, requested, properties });
      if (associations.length === 0 || !isLinkable(kind)) return visible;
      const end = { type: kind, index: record.index };
      const embedded = embeddedAssociations(account, end, associations);
      return embedded ? { ...visible, associations: embedded } : visible;
    },

    findId(name, value) {
      const property = properties.find((one) => one.name === name);
      if (!property?.hasUniqueValue)
        throw invalid(`${name} is not a unique property of ${kind.toUpperCase()}.`);
      const found = findByUnique(account, kind, property, value);
      return found && firstId + found.index;
    },
  };
}

/** The record with this value of a unique property. */
export function findByUnique(
  account: HubSpotAccount,
  kind: RecordKind,
  property: RecordProperty,
  value: string,
): CrmRecord | undefined {
  const text = value.trim().toLowerCase();
  return listed(account.records.all(kind), false).find(
    (record) => readerOf(account, kind, record)(property)?.toLowerCase() === text,
  );
}

/** A merged record is in no list. */
function listed(all: readonly CrmRecord[], isArchived: boolean): readonly CrmRecord[] {
  return all.filter(
    ({ isDeleted, mergedInto }) => isDeleted === isArchived && mergedInto === undefined,
  );
}

/** Matches against the index, which may lag, and then returns the current records. */
function search(context: EndpointContext, kind: RecordKind): Reply {
  const { account, call } = context;
  const { records, quirks } = account;
  const properties = listRecordProperties(account, kind);
  const criteria = readSearch(context, (name) => properties.find((one) => one.name === name));
  const { limit, offset, sort } = criteria;
  const { searchLagMs: lagMs, searchLagVaries: varies } = quirks;
  const stale = records.staleVersions(kind, { now: call.now, lagMs, varies });
  const all = records.all(kind);
  const range = all.slice(...toRange(all, criteria, (id) => toHubSpotIndex(kind, id)));
  const indexed = range.flatMap((record) =>
    stale.has(record.index) ? (stale.get(record.index) ?? []) : record,
  );
  const hits = listed(indexed, false).flatMap((record) => {
    const read = readerOf(account, kind, record);
    return isFound(criteria, read, { properties: QUERIED[kind] ?? [], account, all: properties })
      ? { record, key: read(sort.property) }
      : [];
  });
  const direction = sort.isDescending ? -1 : 1;
  hits.sort(
    (one, other) =>
      direction * compareValues(sort.property, one.key, other.key) ||
      one.record.index - other.record.index,
  );
  const next = offset + limit;
  const current = hits.slice(offset, next).flatMap(({ record: { index } }) => {
    const record = records.get(kind, index);
    return record?.isDeleted === false ? record : [];
  });
  return {
    status: 200,
    body: {
      total: hits.length,
      results: quirks.searchTotalWithoutResults
        ? []
        : current.map((record) =>
            show(account, kind, { record, requested: criteria.properties, properties }),
          ),
      ...(next < hits.length && { paging: { next: { after: String(next) } } }),
    },
  };
}

function isFound(
  { groups, query }: Search<RecordProperty>,
  read: (property: RecordProperty) => string | null,
  { account, properties, all }: Searched,
): boolean {
  const { searchTokensAreWords } = account.quirks;
  const passes = groups.some((filters) =>
    filters.every((filter) => matches(filter, read(filter.property), searchTokensAreWords)),
  );
  if (groups.length > 0 && !passes) return false;
  if (query === '') return true;
  const searched = all.filter(({ name }) => properties.includes(name));
  return hasWords(
    searched.map((property) => read(property) ?? ''),
    query,
  );
}

/** A record as every endpoint shows it, with the requested properties that exist. */
function show(
  account: HubSpotAccount,
  kind: RecordKind,
  { record, requested, properties }: ShownOptions,
): ShownRecord {
  const { typeId, defaults } = RECORD_OBJECTS[kind];
  const names = new Set([...ALWAYS, ...(requested ?? defaults)]);
  const read = readerOf(account, kind, record);
  const values: Record<string, string | null> = {};
  for (const property of properties) {
    if (!names.has(property.name)) continue;
    const value = written(account, property, read(property));
    if (value !== null || !account.quirks.omitUnsetProperties) values[property.name] = value;
  }
  const id = toHubSpotId(kind, record.index);
  const updatedAt = moment(account, record.updatedAt);
  return {
    id,
    properties: values,
    createdAt: moment(account, record.createdAt),
    updatedAt,
    archived: record.isDeleted,
    ...(record.isDeleted && { archivedAt: updatedAt }),
    ...(!account.quirks.withoutRecordUrl && {
      url: `${account.instanceUrl}/record/${typeId}/${id}`,
    }),
  };
}

/** A record as it is after a write. */
export function showRecord(
  account: HubSpotAccount,
  kind: RecordKind,
  index: number,
  requested: readonly string[],
): ShownRecord {
  const properties = listRecordProperties(account, kind);
  const record = account.records.get(kind, index) as CrmRecord;
  return show(account, kind, { record, requested, properties });
}

function isLinkable(kind: RecordKind): kind is 'company' | 'deal' {
  return kind === 'company' || kind === 'deal';
}

export function toHubSpotId(kind: RecordKind, index: number): string {
  return String(FIRST_IDS[kind] + index);
}

export function toHubSpotIndex(kind: RecordKind, id: string): number {
  return /^\d{1,15}$/.test(id) ? Number(id) - FIRST_IDS[kind] : 0;
}

const ALWAYS = ['createdate', 'hs_lastmodifieddate', 'hs_object_id'];

/** The properties in which the `query` of a search looks for words. */
const QUERIED: Readonly<Partial<Record<RecordKind, readonly string[]>>> = {
  company: ['name', 'domain', 'website', 'phone'],
  deal: ['dealname', 'pipeline', 'dealstage'],
};

export const RECORD_OBJECTS: Readonly<Record<RecordKind, RecordObject>> = {
  company: {
    plural: 'companies',
    typeId: '0-2',
    path: '(?:companies|company|0-2)',
    defaults: ['name', 'domain'],
    scope: scopeOfObject('company'),
  },
  deal: {
    plural: 'deals',
    typeId: '0-3',
    path: '(?:deals|deal|0-3)',
    defaults: ['dealname', 'amount', 'closedate', 'pipeline', 'dealstage'],
    scope: scopeOfObject('deal'),
  },
  subscription: {
    plural: 'subscriptions',
    typeId: '2-1001',
    path: '(?:subscriptions|subscription|2-1001|p\\d+_subscriptions)',
    defaults: ['name', 'plan', 'seats'],
    scope: OWN_OBJECTS_SCOPE,
  },
  machine: {
    plural: 'machines',
    typeId: '2-1002',
    path: '(?:machines|machine|2-1002|p\\d+_machines)',
    defaults: ['name', 'serial', 'site'],
    scope: OWN_OBJECTS_SCOPE,
  },
};

interface RecordObject {
  readonly plural: string;
  readonly typeId: string;
  /** A pattern of all names of the object in paths. */
  readonly path: string;
  /** Returned unless others are requested. */
  readonly defaults: readonly string[];
  readonly scope: string;
}

interface RecordEndpoints extends ObjectEndpoints {
  readonly search: Endpoint;
  readonly properties: Endpoint;
  readonly property: Endpoint;
}

interface Searched {
  readonly account: HubSpotAccount;
  /** The names of those in which a query looks. */
  readonly properties: readonly string[];
  readonly all: readonly RecordProperty[];
}

interface ShownOptions {
  readonly record: CrmRecord;
  readonly requested: readonly string[] | undefined;
  readonly properties: readonly RecordProperty[];
}
