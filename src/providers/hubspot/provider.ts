import {
  type CrmAdapter,
  type CustomerAccount,
  EXACT,
  LOOSE,
  type Provider,
  type RateLimitStatus,
  type RecordAdapter,
} from '../../domain/provider.ts';
import type { AssociatedObject, Association, Contact } from '../../domain/records/contact.ts';
import type { LinksById } from '../../domain/records/link.ts';
import type { CrmRecord } from '../../domain/records/record.ts';
import { type FieldSelection, toRecordOrigin } from '../../domain/records/record-search.ts';
import type { RecordType } from '../../domain/records/record-type.ts';
import type { JsonResponse, ProviderResponse } from '../../domain/remote.ts';
import { chunk } from '../../lib/batcher.ts';
import { completeRecords } from '../complete-records.ts';
import { OBJECT_NAMES, readAssociations } from './associations.ts';
import {
  API_ORIGIN,
  API_VERSION,
  askForKnown,
  OBJECTS,
  parseResponse,
  readPause,
  toResults,
} from './call.ts';
import { COMPANY_OBJECT } from './companies.ts';
import { companyWrites } from './company-writes.ts';
import { CONTACT_WRITES } from './contact-writes.ts';
import { CONTACT_OBJECT, toLookupEmails } from './contacts.ts';
import { dealWrites } from './deal-writes.ts';
import { DEAL_OBJECT } from './deals.ts';
import { listFields } from './fields.ts';
import { createLinkWriter } from './link-writes.ts';
import { authorization, isTokenInvalid, LOGIN_HOSTS, refresh } from './oauth.ts';
import {
  compareIds,
  type HubSpotObject,
  isRecordId,
  propertiesFor,
  toMergedIds,
} from './object.ts';
import { readOwners } from './owners.ts';
import { readPipelines } from './pipelines.ts';
import { createBulkReader } from './records.ts';
import { count, readList } from './search.ts';
import { createWriter } from './writes.ts';

/** The maximum of records per call. */
const BATCH = 100;

export const hubspot: Provider = {
  name: 'hubspot',
  category: 'crm',
  // The hosts of HubSpot's web app; the API has a single origin.
  instanceHosts: LOGIN_HOSTS,
  instanceUrlHint: 'the URL of the account, such as https://app.hubspot.com/contacts/1234567',
  crm: {
    origin: () => API_ORIGIN,
    apiVersion: API_VERSION,
    // Below the documented limits, because HubSpot's windows roll by its own clock: 5 searches a second per account
    // (over all its applications), and 100 other calls in 10 seconds on the smallest plan.
    budgets: {
      search: { calls: 4, intervalMs: 1_000, concurrency: 4 },
      general: { calls: 90, intervalMs: 10_000, concurrency: 10 },
      // Their limits are their own.
      associations: { calls: 90, intervalMs: 10_000, concurrency: 10 },
      token: { concurrency: 1 },
    },
    readRateLimitStatus,
    readPause,
    needsRefresh: ({ status }) => status === 401,
    isTokenInvalid,
    refresh,
    lookupBudget: 'general',
    lookupBatch: BATCH,
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
        associatedObjects: ['company', 'deal', 'ticket'],
        linkedTo: ['COMPANY', 'DEAL'],
      },
      COMPANY: {
        filters: {
          domain: EXACT,
          domains: EXACT,
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
    // Clients are advised to wait that long after an update.
    searchLagMs: 60_000,
    open: openCrm,
    compareIds,
  },
  authorization,
};

/** Reads the limits of larger plans from headers, which searches lack. The daily limit is not read. */
function readRateLimitStatus({ headers }: ProviderResponse): RateLimitStatus | undefined {
  const max = readCount(headers['x-hubspot-ratelimit-max']);
  const remaining = readCount(headers['x-hubspot-ratelimit-remaining']);
  const intervalMs = readCount(headers['x-hubspot-ratelimit-interval-milliseconds']);
  if (!max || !intervalMs || remaining === undefined) return undefined;
  return { max, remaining, intervalMs };
}

function readCount(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}

/** The records of one customer. */
function openCrm(account: CustomerAccount): CrmAdapter {
  return {
    records: {
      CONTACT: () => ({
        ...openRecords(account, CONTACT_OBJECT),
        findByKey: (emails, selection) => findByEmails(account, emails, selection),
        related: (ids, object) => findAssociations(account, ids, object),
        openWriter: () => createWriter(account, CONTACT_OBJECT, CONTACT_WRITES),
      }),
      COMPANY() {
        const records = openRecords(account, COMPANY_OBJECT);
        return {
          ...records,
          openWriter: () => createWriter(account, COMPANY_OBJECT, companyWrites(records)),
        };
      },
      DEAL: () => ({
        ...completeRecords(account, DEAL_OBJECT, openRecords(account, DEAL_OBJECT)),
        openWriter: () => createWriter(account, DEAL_OBJECT, dealWrites(account)),
      }),
    },
    pipelines: () => readPipelines(account),
    owners: () => readOwners(account),
    bulk: () => createBulkReader(account),
    links: () => createLinkWriter(account),
  };
}

function openRecords<Item extends CrmRecord>(
  account: CustomerAccount,
  object: HubSpotObject<Item>,
): RecordAdapter<Item> {
  return {
    readList: (filter, range, selection) => readList(account, object, { filter, range, selection }),
    count: (filter) => count(account, object, filter),
    listFields: () => listFields(account, object.name),

    links: (requests) =>
      Promise.all(
        requests.map(({ to, ids }) =>
          findLinks(account, { from: object, to }, ids).catch((error: Error) => error),
        ),
      ),

    /** The id of a merged record finds the surviving one, which has another id. */
    async findByIds(ids, selection) {
      const recordIds = new Set(ids.filter(isRecordId));
      const answers = await askBatches(account, { object, inputs: [...recordIds], selection });
      const found = new Map<string, Item>();
      const take = (item: Item, record: unknown) => {
        for (const id of [item.remoteId, ...toMergedIds(object, record)])
          if (recordIds.has(id)) found.set(id, item);
      };
      takeRecords(account, answers, { object, selection, take });
      return found;
    },
  };
}

/**
 * Uses batch reads instead of search: they see new contacts at once, match additional addresses, take a hundred
 * inputs per call, and do not count towards the search limit.
 */
async function findByEmails(
  account: CustomerAccount,
  emails: readonly string[],
  selection: FieldSelection,
): Promise<Map<string, readonly Contact[]>> {
  const object = CONTACT_OBJECT;
  const answers = await askBatches(account, {
    object,
    inputs: emails,
    idProperty: 'email',
    selection,
  });
  const found = new Map<string, readonly Contact[]>();
  for (const email of emails) found.set(email, NO_CONTACTS);
  const take = (contact: Contact, record: unknown) => {
    for (const email of toLookupEmails(record)) {
      const known = found.get(email);
      // It is undocumented whether two inputs that match one contact yield one result.
      if (known && !known.some(({ remoteId }) => remoteId === contact.remoteId))
        found.set(email, known === NO_CONTACTS ? [contact] : [...known, contact]);
    }
  };
  takeRecords(account, answers, { object, selection, take });
  return found;
}

async function findLinks(
  account: CustomerAccount,
  { from, to }: { readonly from: Pick<HubSpotObject<CrmRecord>, 'name'>; readonly to: RecordType },
  ids: readonly string[],
): Promise<LinksById> {
  const found = await readAssociations(account, { from: from.name, to: OBJECT_NAMES[to] }, ids);
  const toLinks = (linked: ReadonlyMap<string, boolean>) =>
    Array.from(linked, ([remoteId, isPrimary]) => ({ remoteId, isPrimary }));
  return new Map(Array.from(found, ([id, linked]) => [id, toLinks(linked)]));
}

async function findAssociations(
  account: CustomerAccount,
  ids: readonly string[],
  object: AssociatedObject,
): Promise<ReadonlyMap<string, readonly Association[]>> {
  const to = ASSOCIATED_NAMES[object];
  const found = await readAssociations(account, { from: CONTACT_OBJECT.name, to }, ids);
  const toList = (linked: ReadonlyMap<string, boolean>) =>
    Array.from(linked.keys(), (remoteId) => ({ object, remoteId }));
  return new Map(Array.from(found, ([id, linked]) => [id, toList(linked)]));
}

const ASSOCIATED_NAMES: Readonly<Record<AssociatedObject, string>> = {
  company: COMPANY_OBJECT.name,
  deal: DEAL_OBJECT.name,
  ticket: 'tickets',
};

const NO_CONTACTS: readonly Contact[] = [];

/**
 * The batches with the records of the inputs: unordered, unique, and without the input that matched. Batches stay
 * bytes until all have arrived, and the map of results is made last: objects that live through the wait are promoted
 * by the garbage collector, which took a quarter of the processor time at 1,000 contacts.
 */
function askBatches(
  account: CustomerAccount,
  { object, inputs, idProperty, selection }: Question,
): Promise<Answers> {
  const selected = propertiesFor(object, account.connection, selection);
  const properties = idProperty ? selected : [...selected, ...object.mergedIds];
  const batches = chunk(inputs, BATCH).map((batch) =>
    askForKnown(account, `${OBJECTS.list}/${object.name}/batch/read`, {
      idProperty,
      properties,
      inputs: batch.map((id) => ({ id })),
    }),
  );
  return Promise.all(batches);
}

/** Parses and maps the records of each batch. */
function takeRecords<Item extends CrmRecord>(
  { connection }: CustomerAccount,
  answers: Answers,
  { object, selection, take }: Taking<Item>,
): void {
  const source = toRecordOrigin(connection, object.kind);
  for (const answer of answers) {
    for (const record of answer ? parseResponse(toResults, answer) : []) {
      const item = object.toRecord(record, source, selection);
      if (item) take(item, record);
    }
  }
}

type Answers = readonly (JsonResponse | undefined)[];

interface Taking<Item extends CrmRecord> {
  readonly object: HubSpotObject<Item>;
  readonly selection: FieldSelection;
  take(item: Item, record: unknown): void;
}

interface Question {
  readonly object: HubSpotObject<CrmRecord>;
  /** Unique: HubSpot rejects a batch with duplicates. */
  readonly inputs: readonly string[];
  /** Absent: the inputs are record ids. */
  readonly idProperty?: 'email';
  readonly selection: FieldSelection;
}
