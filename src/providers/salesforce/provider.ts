import {
  type CrmAdapter,
  type CustomerAccount,
  EXACT,
  LOOSE,
  MAX_PHONE_HITS,
  type Provider,
  type RateLimitStatus,
  type RecordAdapter,
} from '../../domain/provider.ts';
import type { PhoneFilter } from '../../domain/records/conditions.ts';
import type { Contact } from '../../domain/records/contact.ts';
import { contactFilters, MIN_SHARED_DIGITS } from '../../domain/records/contact-filter.ts';
import type { CrmRecord } from '../../domain/records/record.ts';
import type { FieldSelection } from '../../domain/records/record-search.ts';
import type { ProviderResponse } from '../../domain/remote.ts';
import { completeRecords } from '../complete-records.ts';
import { hasMoved, instanceOrigin, MY_DOMAIN_HOSTS, RETIRED_HOSTS, readPause } from './call.ts';
import { COMPANY_OBJECT } from './companies.ts';
import { companyWrites } from './company-writes.ts';
import { contactWrites } from './contact-writes.ts';
import { CONTACT_OBJECT, EMAIL, toLookupEmail } from './contacts.ts';
import { dealWrites } from './deal-writes.ts';
import { DEAL_OBJECT } from './deals.ts';
import { createLinkWriter } from './link-writes.ts';
import { readLinks } from './links.ts';
import { authorization, isTokenExpired, refresh } from './oauth.ts';
import { ID, isRecordId, isStandardField, type SalesforceObject, toKey } from './object.ts';
import { readOwners } from './owners.ts';
import { readPipelines } from './pipelines.ts';
import { isInList, type Row } from './query.ts';
import { createReader, type RecordReader } from './reader.ts';
import { createBulkReader } from './records.ts';
import { compare, findPhones } from './soql.ts';
import { createWriter } from './writes.ts';

export const salesforce: Provider = {
  name: 'salesforce',
  category: 'crm',
  instanceHosts: MY_DOMAIN_HOSTS,
  retiredHosts: RETIRED_HOSTS,
  instanceUrlHint: 'the My Domain URL of the organisation, such as https://acme.my.salesforce.com',
  crm: {
    origin: instanceOrigin,
    budgets: {
      // The org allows 25 concurrent long calls over all its integrations, so we use fewer. Every response reports
      // the daily limit.
      api: { concurrency: 10 },
      token: { concurrency: 1 },
    },
    readRateLimitStatus,
    readPause,
    needsRefresh: (answer) => isTokenExpired(answer) || hasMoved(answer),
    // An expired session also means that the token is rejected.
    isTokenInvalid: isTokenExpired,
    // The org's id, which is part of every URL and not secret.
    publicPrefix: /^00D[0-9A-Za-z]{12}!/,
    refresh,
    lookupBudget: 'api',
    lookupBatch: 100,
    // A transaction commits after the times that it sets.
    searchLagMs: 60_000,
    records: {
      CONTACT: {
        filters: {
          email: EXACT,
          emails: EXACT,
          emailDomain: EXACT,
          phone: LOOSE,
          namePrefix: LOOSE,
          modifiedSince: EXACT,
          customField: EXACT,
          all: EXACT,
        },
        writes: { canUpsert: true },
        associatedObjects: [],
        linkedTo: ['COMPANY', 'DEAL'],
      },
      COMPANY: {
        objectName: COMPANY_OBJECT.name,
        // Accounts have a website, which contains a domain, and none of their own.
        filters: {
          domain: LOOSE,
          domains: LOOSE,
          namePrefix: LOOSE,
          modifiedSince: EXACT,
          customField: EXACT,
          all: EXACT,
        },
        writes: { canUpsert: true },
        associatedObjects: [],
        linkedTo: ['CONTACT', 'DEAL'],
      },
      DEAL: {
        objectName: DEAL_OBJECT.name,
        filters: {
          pipelineId: EXACT,
          stageId: EXACT,
          status: EXACT,
          ownerId: EXACT,
          closeDate: EXACT,
          modifiedSince: EXACT,
          customField: EXACT,
          all: EXACT,
        },
        writes: { canUpsert: false },
        associatedObjects: [],
        linkedTo: ['CONTACT', 'COMPANY'],
      },
    },
    readsRelatedFields: true,
    isBuiltInField: (record, name) => isStandardField(OBJECTS[record], name),
    open: openCrm,
    compareIds,
  },
  authorization,
};

const OBJECTS = { CONTACT: CONTACT_OBJECT, COMPANY: COMPANY_OBJECT, DEAL: DEAL_OBJECT };

/** The records of one customer in one Salesforce org. */
export function openCrm(account: CustomerAccount): CrmAdapter {
  return {
    records: {
      CONTACT: () => openContacts(account, createReader(account, CONTACT_OBJECT)),
      COMPANY() {
        const records = openRecords(account, COMPANY_OBJECT, createReader(account, COMPANY_OBJECT));
        return {
          ...records,
          openWriter: () => createWriter(account, COMPANY_OBJECT, companyWrites(records)),
        };
      },
      DEAL: () => {
        const deals = openRecords(account, DEAL_OBJECT, createReader(account, DEAL_OBJECT));
        return {
          ...completeRecords(account, DEAL_OBJECT, deals),
          openWriter: () => createWriter(account, DEAL_OBJECT, dealWrites(account)),
        };
      },
    },
    pipelines: () => readPipelines(account),
    owners: () => readOwners(account),
    bulk: () => createBulkReader(account),
    links: () => createLinkWriter(account),
  };
}

function openContacts(
  account: CustomerAccount,
  reader: RecordReader<Contact>,
): RecordAdapter<Contact> {
  const records = openRecords(account, CONTACT_OBJECT, reader);
  return {
    ...records,
    openWriter: () => createWriter(account, CONTACT_OBJECT, contactWrites(account)),

    /** Uses as few calls as possible. An email may match several contacts and gets all of them. */
    async findByKey(emails, selection) {
      const read = await reader.readByKey(EMAIL, emails, { selection, order: 'ascending' });
      const found = new Map<string, Contact[]>(emails.map((email) => [email, []]));
      for (const rows of read) {
        for (const row of rows) {
          // Salesforce compares in the user's locale, so its matches are verified.
          found.get(toLookupEmail(row))?.push(reader.toRecord(row, selection));
        }
      }
      return found;
    },

    readList(filter, range, selection) {
      const isShort = filter.by === 'phone' && filter.digits.length < MIN_SHARED_DIGITS;
      return isShort
        ? findByShortPhone(reader, filter, selection)
        : records.readList(filter, range, selection);
    },
  };
}

/**
 * Numbers of few digits have to be equal, and a comparison of fields would read too many others: the search index
 * has them by their digits. It gives ids only, so that hidden fields are found out as in every other search.
 */
async function findByShortPhone(
  reader: RecordReader<Contact>,
  phone: PhoneFilter,
  selection: FieldSelection,
): Promise<readonly Contact[]> {
  const numbers = ['', '0', '00'].map((zeros) => zeros + phone.digits);
  const ids = await reader.search(findPhones(numbers, MAX_PHONE_HITS));
  const contacts: Contact[] = [];
  for (const row of (await reader.read({ conditions: isInList(ID, ids), selection })).flat()) {
    const contact = reader.toRecord(row, selection);
    if (contactFilters.matches(contact, phone)) contacts.push(contact);
  }
  return contacts;
}

function openRecords<Item extends CrmRecord>(
  account: CustomerAccount,
  object: SalesforceObject<Item>,
  reader: RecordReader<Item>,
): RecordAdapter<Item> {
  const nouns = object.kind.nouns;
  return {
    /** Keyset pagination by record id, which concurrent changes do not shift. */
    async readList(filter, range, selection) {
      const forward = range.direction === 'forward';
      const order = forward ? 'ascending' : 'descending';
      const records: Item[] = [];
      let beyond =
        range.from === undefined ? undefined : compare(ID, forward ? '>=' : '<=', range.from);
      const kind = selection.rawData ? `${nouns} with raw data` : nouns;
      let size = range.limit;
      while (records.length < range.limit) {
        let limit = size;
        const rows = await account.pageSizes.read(kind, size, (fitting) => {
          limit = fitting;
          return reader.readMatching({ filter, beyond, selection, order, limit });
        });
        let hits = 0;
        for (const row of rows) {
          const record = reader.toRecord(row, selection);
          if (!object.filters.matches(record, filter)) continue;
          hits += 1;
          records.push(record);
        }
        const last = rows.at(-1)?.['Id'];
        if (rows.length < limit || typeof last !== 'string') break;
        // More pages are needed where records are large, and where hits were false: large pages then, because more may be.
        beyond = compare(ID, forward ? '>' : '<', last);
        size = hits < rows.length ? MAX_PAGE : range.limit - records.length;
      }
      const found = records.slice(0, range.limit);
      return forward ? found : found.reverse();
    },

    count: reader.countMatching,
    listFields: reader.listFields,
    links: (requests) => readLinks(account, object.kind.type, requests),

    /**
     * Some 2,500 ids per call. Invalid ids are not sent, because one fails the whole call. A merged record is a
     * deleted row that names the surviving one, which is returned instead.
     */
    async findByIds(ids, selection) {
      const possible = ids.filter((id) => isIdOf(object, id));
      const rows = await readWithSurvivors(object, reader, {
        keys: new Set(possible.map(toKey)),
        selection,
      });
      const found = new Map<string, Item>();
      for (const asked of possible) {
        const row = rows.get(toKey(asked));
        // The checksum of a long id must match, or two ids would name one record.
        const survivor =
          row && idOf(row).startsWith(asked) ? toSurvivor(object, rows, row) : undefined;
        if (survivor) found.set(asked, reader.toRecord(survivor, selection));
      }
      return found;
    },
  };
}

/** The most rows of one response. */
const MAX_PAGE = 2_000;

/** Salesforce's order of ids: by code unit, without the checksum at the end. */
export function compareIds(a: string, b: string): number {
  const [first, second] = [toKey(a), toKey(b)];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** Makes another call where a record was merged into one that was not requested. */
async function readWithSurvivors<Item extends CrmRecord>(
  object: SalesforceObject<Item>,
  reader: RecordReader<Item>,
  { keys, selection }: KeyedAsk,
): Promise<RowsByKey> {
  const rows = new Map<string, Row>();
  let missing = keys;
  for (let step = 0; step <= MAX_MERGES && missing.size > 0; step += 1) {
    const conditions = isInList(ID, missing);
    const read = (await reader.read({ conditions, selection, includesDeleted: true })).flat();
    for (const row of read) rows.set(toKey(idOf(row)), row);
    const survivors = read.map((row) => survivorOf(object, row)).filter((key) => key !== undefined);
    missing = new Set(survivors.filter((key) => !rows.has(key)));
  }
  return rows;
}

function toSurvivor(object: Identified, rows: RowsByKey, loser: Row): Row | undefined {
  let row: Row | undefined = loser;
  for (let step = 0; step <= MAX_MERGES && row; step += 1) {
    if (row['IsDeleted'] !== true) return row;
    row = rows.get(survivorOf(object, row) ?? '');
  }
  return undefined;
}

function survivorOf(object: Identified, row: Row): string | undefined {
  const id = row['MasterRecordId'];
  return typeof id === 'string' && isIdOf(object, id) ? toKey(id) : undefined;
}

function idOf(row: Row): string {
  const id = row['Id'];
  return typeof id === 'string' ? id : '';
}

function isIdOf({ idPrefix }: Identified, id: string): boolean {
  return id.startsWith(idPrefix) && isRecordId(id);
}

type Identified = Pick<SalesforceObject<CrmRecord>, 'idPrefix'>;

interface KeyedAsk {
  readonly keys: ReadonlySet<string>;
  readonly selection: FieldSelection;
}

/** The survivor of one merge may be merged again. */
const MAX_MERGES = 5;

type RowsByKey = ReadonlyMap<string, Row>;

/**
 * Reads `Sforce-Limit-Info: api-usage=18/5000`, optionally followed by `; per-app-api-usage=17/250(appName=x)` or `;
 * api-bursts=1/750`. The tighter one of the org's and the app's limit applies.
 */
export function readRateLimitStatus({
  status,
  headers,
}: ProviderResponse): RateLimitStatus | undefined {
  const info = headers['sforce-limit-info'];
  if (info === undefined) return undefined;
  const limits = Array.from(info.matchAll(USAGE), ([, used, max]) => ({
    remaining: Number(max) - Number(used),
    max: Number(max),
    intervalMs: DAY_MS,
  }));
  const [tightest] = limits.sort((one, other) => one.remaining - other.remaining);
  if (!tightest || tightest.remaining > 0) return tightest;
  // An org may continue over its daily limit for an unknown time: while it has bursts left, or is served all the same.
  const [, used, max] = /api-bursts=(\d{1,9})\/(\d{1,9})/.exec(info) ?? [];
  const isServed =
    max === undefined ? tightest.remaining < 0 && status < 300 : Number(used) < Number(max);
  return isServed ? undefined : { ...tightest, remaining: 0 };
}

/** Both `api-usage` and `per-app-api-usage`. */
const USAGE = /api-usage=(\d{1,12})\/(\d{1,12})/g;
const DAY_MS = 24 * 60 * 60 * 1_000;
