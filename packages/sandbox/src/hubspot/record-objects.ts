import type { CrmRecord, RecordKind } from '../records.ts';
import { companyId, companyName, dealId } from './contact-view.ts';
import { describe } from './portal.ts';
import type { Property } from './property-definitions.ts';
import { OWN_OBJECTS_SCOPE, scopeOfObject } from './scopes.ts';
import { compareValues, matches } from './search/match.ts';
import { type Filter, readSearch } from './search/request.ts';
import {
  createObjectEndpoints,
  type ObjectEndpoints,
  type Properties,
  showRecord,
} from './simple-objects.ts';
import type { Endpoint, HubSpotAccount } from './types.ts';

/** Objects whose records are added, edited, archived and merged, and are searched by any property. */
export function createRecordEndpoints(kind: RecordKind): RecordEndpoints {
  const { properties, firstId, nameProperty = 'name' } = RECORD_OBJECTS[kind];
  const standard = [...properties, ...SYSTEM_PROPERTIES].map(toProperty);
  const namesOfOwn = ({ records }: HubSpotAccount) =>
    records.valueNames(kind).filter((name) => name !== 'name' && !properties.includes(name));
  const definedIn = (account: HubSpotAccount) => [
    ...standard,
    ...namesOfOwn(account).map(toProperty),
  ];
  const shape = {
    name: kind.toUpperCase(),
    always: ['createdate', 'hs_lastmodifieddate', 'hs_object_id'],
    defaults: properties.slice(0, 3),
    times: ['createdate', 'hs_lastmodifieddate'],
  } as const;

  /** The id of a merged record leads to the survivor, and is in no list. */
  const find = ({ records }: HubSpotAccount, id: number): CrmRecord | undefined => {
    let record = records.get(kind, id - firstId);
    while (record?.mergedInto !== undefined) record = records.get(kind, record.mergedInto);
    return record;
  };
  const mergedIds = (account: HubSpotAccount, index: number): readonly string[] =>
    account.records
      .mergedInto(kind, index)
      .flatMap((one) => [toHubSpotId(kind, one.index), ...mergedIds(account, one.index)]);
  const listed = ({ records }: HubSpotAccount, isArchived: boolean) =>
    records
      .all(kind)
      .filter(({ isDeleted, mergedInto }) => isDeleted === isArchived && mergedInto === undefined);
  const toProperties = (account: HubSpotAccount, record: CrmRecord): Properties => {
    const merged = mergedIds(account, record.index);
    const created = new Date(record.createdAt).toISOString();
    return {
      ...Object.fromEntries(
        [...properties, ...namesOfOwn(account)].map((name) => [name, record.values[name] ?? null]),
      ),
      ...(kind === 'company' && {
        domain: record.values['domain'] ?? `company-${record.index}.example`,
      }),
      [nameProperty]: record.values['name'] ?? toName(kind, record.index),
      hs_object_id: toHubSpotId(kind, record.index),
      createdate: created,
      hs_createdate: created,
      hs_lastmodifieddate: new Date(record.updatedAt).toISOString(),
      hs_merged_object_ids: merged.length > 0 ? merged.join(';') : null,
    };
  };

  return {
    ...createObjectEndpoints({
      ...shape,
      ids: (account, isArchived) => listed(account, isArchived).map(({ index }) => firstId + index),
      read(account, id, isArchived) {
        const record = find(account, id);
        return record?.isDeleted === isArchived ? toProperties(account, record) : undefined;
      },
    }),

    search(context) {
      const { account } = context;
      const defined = definedIn(account);
      const {
        groups,
        limit,
        offset,
        sort,
        properties: requested,
      } = readSearch(context, (name) => defined.find((one) => one.name === name));
      const found = listed(account, false)
        .map((record) => toProperties(account, record))
        .filter((all) => groups.length === 0 || groups.some((filters) => passes(filters, all)));
      const sortedBy = (all: Properties) => all[sort.property.name] ?? null;
      found.sort(
        (one, other) =>
          (sort.isDescending ? -1 : 1) *
          compareValues(sort.property, sortedBy(one), sortedBy(other)),
      );
      const next = offset + limit;
      return {
        status: 200,
        body: {
          total: found.length,
          results: found
            .slice(offset, next)
            .map((all) => showRecord(shape, all, { isArchived: false, requested })),
          ...(next < found.length && { paging: { next: { after: String(next) } } }),
        },
      };
    },

    properties: ({ account }) => ({
      status: 200,
      body: { results: definedIn(account).map(describe) },
    }),
  };
}

function passes(filters: readonly Filter[], all: Properties): boolean {
  return filters.every((filter) => matches(filter, all[filter.property.name] ?? null));
}

export function toHubSpotId(kind: RecordKind, index: number): string {
  return String(RECORD_OBJECTS[kind].firstId + index);
}

export function toHubSpotIndex(kind: RecordKind, id: string): number {
  return /^\d{1,15}$/.test(id) ? Number(id) - RECORD_OBJECTS[kind].firstId : 0;
}

/** The name of a record that was not given one. */
function toName(kind: RecordKind, index: number): string {
  return kind === 'company' ? companyName(index) : `${kind} ${index}`;
}

export function toProperty(name: string): Property {
  const type = NUMBERS.includes(name) ? 'number' : name.endsWith('date') ? 'datetime' : 'string';
  const isOurs = SYSTEM_PROPERTIES.includes(name);
  return {
    name,
    label: name,
    type,
    fieldType: type === 'datetime' ? 'date' : type === 'number' ? 'number' : 'text',
    calculated: false,
    readOnly: isOurs,
    isOwn: !isOurs,
    // Of people only.
    read: () => null,
  };
}

const SYSTEM_PROPERTIES = [
  'createdate',
  'hs_createdate',
  'hs_lastmodifieddate',
  'hs_object_id',
  'hs_merged_object_ids',
];
const NUMBERS = ['hs_object_id', 'amount', 'seats'];

export const RECORD_OBJECTS: Readonly<Record<RecordKind, RecordObject>> = {
  company: {
    plural: 'companies',
    path: '(?:companies|company|0-2)',
    properties: ['name', 'domain', 'industry', 'phone'],
    scope: scopeOfObject('company'),
    firstId: companyId(0),
  },
  deal: {
    plural: 'deals',
    path: '(?:deals|deal|0-3)',
    properties: ['dealname', 'amount', 'dealstage', 'closedate'],
    nameProperty: 'dealname',
    scope: scopeOfObject('deal'),
    firstId: dealId(0),
  },
  subscription: {
    plural: 'subscriptions',
    typeId: '2-1001',
    path: '(?:subscriptions|subscription|2-1001|p\\d+_subscriptions)',
    properties: ['name', 'plan', 'seats'],
    scope: OWN_OBJECTS_SCOPE,
    firstId: 30_100_000_000,
  },
  machine: {
    plural: 'machines',
    typeId: '2-1002',
    path: '(?:machines|machine|2-1002|p\\d+_machines)',
    properties: ['name', 'serial', 'site'],
    scope: OWN_OBJECTS_SCOPE,
    firstId: 30_200_000_000,
  },
};

interface RecordObject {
  readonly plural: string;
  /** Of a custom object. */
  readonly typeId?: string;
  /** A pattern of all names of the object in paths. */
  readonly path: string;
  /** Those that hold values. The first three are returned unless others are requested. */
  readonly properties: readonly string[];
  /** Default: `name`. */
  readonly nameProperty?: string;
  readonly scope: string;
  readonly firstId: number;
}

interface RecordEndpoints extends ObjectEndpoints {
  readonly search: Endpoint;
  readonly properties: Endpoint;
}
