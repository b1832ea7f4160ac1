import * as z from 'zod';
import type { AssociatedObject, Association, Contact } from '../../domain/contact.ts';
import { type FieldSelection, toContactOrigin } from '../../domain/contact-search.ts';
import type { ContactPort, Provider, RateLimitStatus } from '../../domain/provider.ts';
import type { ProviderResponse } from '../../domain/remote.ts';
import { chunk } from '../../lib/batcher.ts';
import { isRecord } from '../../lib/json.ts';
import {
  API_ORIGIN,
  API_VERSION,
  askForKnown,
  type HubSpotAccount,
  PATHS,
  paginationLimitError,
  parseResponse,
  wireId,
  wirePaging,
} from './call.ts';
import {
  compareIds,
  isRecordId,
  MERGED_IDS,
  propertiesFor,
  toContact,
  toLookupEmails,
  toMergedIds,
} from './contacts.ts';
import { authorization, isTokenRefused, LOGIN_HOSTS, refresh } from './oauth.ts';
import { countByDomain, readByDomain } from './search.ts';

/** How many records one call reads. */
const BATCH = 100;

export const hubspot: Provider = {
  name: 'hubspot',
  category: 'crm',
  // Where people see their contacts; the API is elsewhere and the same for all.
  instanceHosts: LOGIN_HOSTS,
  contacts: {
    origin: () => API_ORIGIN,
    apiVersion: API_VERSION,
    // Below what HubSpot documents, because the windows are HubSpot's own and roll: 5 searches a second for the whole
    // account (all of its applications together), 100 other calls in 10 seconds on the smallest plan.
    budgets: {
      search: { calls: 4, intervalMs: 1_000, concurrency: 4 },
      general: { calls: 90, intervalMs: 10_000, concurrency: 10 },
      token: { concurrency: 1 },
    },
    readRateLimitStatus,
    isTokenExpired: ({ status }) => status === 401,
    isTokenRefused,
    refresh,
    lookupBudget: 'general',
    lookupBatch: BATCH,
    associatedObjects: ['company', 'deal', 'ticket'],
    open: openContacts,
    compareIds,
  },
  authorization,
};

/** Larger plans say so in their headers. Searches carry none of them. */
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

/** One customer's contacts. */
function openContacts(account: HubSpotAccount): ContactPort {
  return {
    /**
     * By batch read rather than by search: it knows a contact the moment it is written, finds it by its further addresses
     * too, takes a hundred at once and is outside the limit of searches.
     */
    async findByEmails(emails, selection) {
      const answers = await askForBatches(account, { inputs: emails, by: 'email', selection });
      const found = new Map<string, readonly Contact[]>();
      for (const email of emails) found.set(email, NOBODY);
      takeContacts(account, answers, selection, (contact, record) => {
        for (const email of toLookupEmails(record)) {
          const known = found.get(email);
          // Whether two inputs that lead to one contact give one result is not documented.
          if (known && !known.some(({ remoteId }) => remoteId === contact.remoteId))
            found.set(email, known === NOBODY ? [contact] : [...known, contact]);
        }
      });
      return found;
    },

    readByDomain: (domain, run, selection) => readByDomain(account, { domain, run, selection }),
    countByDomain: (domain) => countByDomain(account, domain),

    /** The id of a contact that was merged into another finds that other one, whose own id tells them apart. */
    async findByIds(ids, selection) {
      const asked = new Set(ids.filter(isRecordId));
      const answers = await askForBatches(account, { inputs: [...asked], by: 'id', selection });
      const found = new Map<string, Contact>();
      takeContacts(account, answers, selection, (contact, record) => {
        for (const id of [contact.remoteId, ...toMergedIds(record)])
          if (asked.has(id)) found.set(id, contact);
      });
      return found;
    },

    async findAssociations(ids, object) {
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
          // One company is named once for each kind of link.
          for (const { toObjectId: remoteId } of to ?? []) linked?.set(remoteId, { object, remoteId });
          const after = paging?.next?.after;
          if (linked && after) next.push({ id: from.id, after });
        }
        inputs = next;
      }
      return new Map([...found].map(([id, linked]) => [id, [...linked.values()]]));
    },
  };
}

const NOBODY: readonly Contact[] = [];

/**
 * The records that the inputs lead to: in no order, each once, and without a word on which input led to which. They are
 * parsed one batch after the other while they are translated, and not before the last batch is here: until then answers
 * are but bytes. The garbage collector would carry whatever is made sooner through all of the waiting.
 */
function takeContacts(
  { connection }: HubSpotAccount,
  answers: Answers,
  { rawData }: FieldSelection,
  take: (contact: Contact, record: unknown) => void,
): void {
  const mapping = { source: toContactOrigin(connection), rawData };
  for (const answer of answers) {
    for (const record of answer ? parseResponse(toRecords, answer) : []) {
      const contact = toContact(record, mapping);
      if (contact) take(contact, record);
    }
  }
}

/** Most of what is read, so it is looked at and not copied. Undefined for anything else. */
function toRecords(json: unknown): readonly unknown[] | undefined {
  const results = isRecord(json) ? json['results'] : undefined;
  return Array.isArray(results) ? results : undefined;
}

function askForBatches(account: HubSpotAccount, { inputs, by, selection }: Question): Promise<Answers> {
  const wanted = propertiesFor(account.connection, selection);
  const idProperty = by === 'email' ? 'email' : undefined;
  const properties = by === 'id' ? [...wanted, MERGED_IDS] : wanted;
  const batches = chunk(inputs, BATCH).map((batch) =>
    askForKnown(account, {
      path: PATHS.batchRead,
      budget: 'general',
      body: { idProperty, properties, inputs: batch.map((id) => ({ id })) },
    }),
  );
  return Promise.all(batches);
}

type Answers = readonly (ProviderResponse | undefined)[];

interface Question {
  /** Each once: HubSpot refuses a batch with a repeated input. */
  readonly inputs: readonly string[];
  readonly by: 'id' | 'email';
  readonly selection: FieldSelection;
}

async function readLinks(account: HubSpotAccount, inputs: readonly Input[], object: AssociatedObject) {
  const path = PATHS.associations[object];
  const answer = await askForKnown(account, { path, budget: 'general', body: { inputs } });
  return answer ? parseResponse((json) => wireAssociations.safeParse(json).data, answer).results : [];
}

const ASSOCIATION_BATCH = 1_000;
/** A page holds 500: a contact with more than this is not a person. */
const MAX_ROUNDS = 40;

const wireAssociations = z.object({
  results: z.array(
    z.object({
      from: z.object({ id: wireId }),
      to: z.array(z.object({ toObjectId: wireId })).nullish(),
      paging: wirePaging,
    }),
  ),
});

interface Input {
  readonly id: string;
  readonly after?: string;
}
