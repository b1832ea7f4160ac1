import * as z from 'zod';
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
import type { CrmRecord } from '../../domain/records/record.ts';
import { type FieldSelection, toRecordOrigin } from '../../domain/records/record-search.ts';
import type { JsonResponse, ProviderResponse } from '../../domain/remote.ts';
import { chunk } from '../../lib/batcher.ts';
import { isRecord } from '../../lib/json.ts';
import {
  API_ORIGIN,
  API_VERSION,
  askForKnown,
  isResultList,
  OBJECTS,
  PATHS,
  paginationLimitError,
  parseResponse,
  readPause,
  toUnknownShape,
  wireId,
  wirePaging,
} from './call.ts';
import { COMPANY_OBJECT } from './companies.ts';
import { CONTACT_OBJECT, toLookupEmails } from './contacts.ts';
import { listFields } from './fields.ts';
import { authorization, isTokenInvalid, LOGIN_HOSTS, refresh } from './oauth.ts';
import {
  compareIds,
  type HubSpotObject,
  isRecordId,
  propertiesFor,
  toMergedIds,
} from './object.ts';
import { createBulkReader } from './records.ts';
import { count, readList } from './search.ts';

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
        associatedObjects: ['company', 'deal', 'ticket'],
      },
      COMPANY: { filters: { modifiedSince: EXACT, all: EXACT }, associatedObjects: [] },
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
      }),
      COMPANY: () => openRecords(account, COMPANY_OBJECT),
    },
    bulk: () => createBulkReader(account),
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

    /** The id of a merged record finds the surviving one, which has another id. */
    async findByIds(ids, selection) {
      const asked = new Set(ids.filter(isRecordId));
      const answers = await askBatches(account, { object, inputs: [...asked], selection });
      const found = new Map<string, Item>();
      const take = (item: Item, record: unknown) => {
        for (const id of [item.remoteId, ...toMergedIds(object, record)])
          if (asked.has(id)) found.set(id, item);
      };
      await takeRecords(account, answers, { object, selection, take });
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
  await takeRecords(account, answers, { object, selection, take });
  return found;
}

async function findAssociations(
  account: CustomerAccount,
  ids: readonly string[],
  object: AssociatedObject,
): Promise<ReadonlyMap<string, readonly Association[]>> {
  const found = new Map(ids.map((id) => [id, new Map<string, Association>()]));
  let inputs: readonly Input[] = [...found.keys()].filter(isRecordId).map((id) => ({ id }));
  for (let round = 0; inputs.length > 0; round += 1) {
    if (round === MAX_ROUNDS) {
      throw paginationLimitError(
        `list of associations (${object}) did not end within ${MAX_ROUNDS} pages`,
      );
    }
    const read = chunk(inputs, ASSOCIATION_BATCH).map((batch) => readLinks(account, batch, object));
    const next: Input[] = [];
    for (const { from, to, paging } of (await Promise.all(read)).flat()) {
      const linked = found.get(from.id);
      // A company is listed once per association type.
      for (const { toObjectId: remoteId } of to ?? []) linked?.set(remoteId, { object, remoteId });
      const after = paging?.next?.after;
      if (linked && after) next.push({ id: from.id, after });
    }
    inputs = next;
  }
  return new Map([...found].map(([id, linked]) => [id, [...linked.values()]]));
}

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
  const wanted = propertiesFor(object, account.connection, selection);
  const properties = idProperty ? wanted : [...wanted, ...object.mergedIds];
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
async function takeRecords<Item extends CrmRecord>(
  { connection }: CustomerAccount,
  answers: Answers,
  { object, selection, take }: Taking<Item>,
): Promise<void> {
  const source = toRecordOrigin(connection);
  for (const answer of answers) {
    for (const record of answer ? await parseResponse(toRecords, answer) : []) {
      const item = object.toRecord(record, source, selection);
      if (item) take(item, record);
    }
  }
}

/** Checks the array without copying, because it is most of the data. Undefined for anything else. */
function toRecords(json: unknown): readonly unknown[] | undefined {
  const results = isRecord(json) ? json['results'] : undefined;
  return isResultList(results) ? results : undefined;
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

async function readLinks(
  account: CustomerAccount,
  inputs: readonly Input[],
  object: AssociatedObject,
) {
  const answer = await askForKnown(account, PATHS.associations[object], { inputs }, 'associations');
  const links: Link[] = [];
  for (const record of answer ? await parseResponse(toRecords, answer) : []) {
    const link = wireLink.safeParse(record).data;
    if (answer && !link) throw toUnknownShape(answer);
    if (link) links.push(link);
  }
  return links;
}

const ASSOCIATION_BATCH = 1_000;
const ASSOCIATIONS_PER_PAGE = 500;
/** No real contact has this many pages of associations. */
const MAX_ROUNDS = 40;

const wireLink = z.object({
  from: z.object({ id: wireId }),
  to: z.preprocess(
    (list) => (Array.isArray(list) ? list.slice(0, ASSOCIATIONS_PER_PAGE) : list),
    z.array(z.object({ toObjectId: wireId })).nullish(),
  ),
  paging: wirePaging,
});

type Link = z.infer<typeof wireLink>;

interface Input {
  readonly id: string;
  readonly after?: string;
}
