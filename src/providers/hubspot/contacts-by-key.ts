import * as z from 'zod';
import type { AssociatedObject, Association, Contact } from '../../domain/contact.ts';
import { type FieldSelection, toContactOrigin } from '../../domain/contact-search.ts';
import type { ProviderResponse } from '../../domain/remote.ts';
import { chunk } from '../../lib/batcher.ts';
import {
  ask,
  endless,
  type HubSpotAccount,
  isNotFound,
  PATHS,
  readAs,
  understand,
  wireId,
  wirePaging,
} from './call.ts';
import { MERGED_IDS, propertiesFor, toContact, toLookupEmails, toMergedIds } from './contacts.ts';

/**
 * By batch read rather than by search: it knows a contact the moment it is written, finds it by its further addresses
 * too, takes a hundred at once and is outside the limit of searches.
 */
export function findByEmails(
  account: HubSpotAccount,
  emails: readonly string[],
  selection: FieldSelection,
): Promise<Found> {
  return readBatches(account, { inputs: emails, by: 'email', selection }, (batches) => {
    const mapping = { source: toContactOrigin(account.connection), rawData: selection.rawData };
    const found: Found = new Map();
    for (const email of emails) found.set(email, NOBODY);
    for (const records of batches) {
      for (const record of records) {
        const contact = toContact(record, mapping);
        if (contact) add(found, contact, toLookupEmails(record));
      }
    }
    return found;
  });
}

function add(found: Found, contact: Contact, emails: Iterable<string>): void {
  for (const email of emails) {
    const known = found.get(email);
    // Whether two inputs that lead to one contact give one result is not documented.
    if (known && !known.some(({ remoteId }) => remoteId === contact.remoteId))
      found.set(email, known === NOBODY ? [contact] : [...known, contact]);
  }
}

const NOBODY: readonly Contact[] = [];

/** The id of a contact that was merged into another finds that other one, whose own id tells them apart. */
export function findByIds(
  account: HubSpotAccount,
  ids: readonly string[],
  selection: FieldSelection,
): Promise<FoundById> {
  const asked = new Set(ids.filter(isRecordId));
  return readBatches(account, { inputs: [...asked], by: 'id', selection }, (batches) => {
    const mapping = { source: toContactOrigin(account.connection), rawData: selection.rawData };
    const found = new Map<string, Contact>();
    for (const records of batches) {
      for (const record of records) {
        const contact = toContact(record, mapping);
        if (!contact) continue;
        for (const id of [contact.remoteId, ...toMergedIds(record)])
          if (asked.has(id)) found.set(id, contact);
      }
    }
    return found;
  });
}

/** HubSpot refuses anything else, together with the whole batch that it is in. */
export function isRecordId(id: string): boolean {
  return /^[1-9]\d{0,18}$/.test(id);
}

/** Ids are numbers, too large for exact arithmetic one day: the longer is the larger. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** How many records one call reads. */
export const BATCH = 100;

/**
 * The records that the inputs lead to: in no order, each once, and without a word on which input led to which. They are
 * parsed one batch after the other while they are translated, and not before the last batch is here: until then answers
 * are but bytes. The garbage collector would carry whatever is made sooner through all of the waiting.
 */
async function readBatches<Result>(
  account: HubSpotAccount,
  question: Question,
  translate: (batches: Iterable<readonly unknown[]>) => Result,
): Promise<Result> {
  const batches = chunk(question.inputs, BATCH).map((inputs) =>
    askForBatch(account, { ...question, inputs }),
  );
  const answers = await Promise.all(batches);
  return translate(parse(answers));
}

function* parse(answers: readonly (ProviderResponse | undefined)[]): Iterable<readonly unknown[]> {
  for (const answer of answers) if (answer) yield understand(toRecords, answer);
}

/** Most of what is read, so it is looked at and not copied. Undefined for anything else. */
function toRecords(json: unknown): readonly unknown[] | undefined {
  const results = typeof json === 'object' && json !== null && 'results' in json ? json.results : undefined;
  return Array.isArray(results) ? results : undefined;
}

/** Undefined where no contact is found. */
async function askForBatch(
  account: HubSpotAccount,
  question: Question,
): Promise<ProviderResponse | undefined> {
  const { inputs, by, selection } = question;
  const properties = propertiesFor(account.connection, selection);
  try {
    return await ask(account, {
      path: PATHS.batchRead,
      budget: 'general',
      body: {
        idProperty: by === 'email' ? 'email' : undefined,
        properties: by === 'id' ? [...properties, MERGED_IDS] : properties,
        inputs: inputs.map((id) => ({ id })),
      },
    });
  } catch (error) {
    // Documented is 207 with the missing ones named; some have seen this where all of a batch are missing.
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

type Found = Map<string, readonly Contact[]>;

type FoundById = ReadonlyMap<string, Contact>;

interface Question {
  /** Each once: HubSpot refuses a batch with a repeated input. */
  readonly inputs: readonly string[];
  readonly by: 'id' | 'email';
  readonly selection: FieldSelection;
}

export async function findAssociations(
  account: HubSpotAccount,
  ids: readonly string[],
  object: AssociatedObject,
): Promise<ReadonlyMap<string, readonly Association[]>> {
  const found = new Map(ids.map((id) => [id, new Set<string>()]));
  let inputs: readonly Input[] = [...found.keys()].filter(isRecordId).map((id) => ({ id }));
  for (let round = 0; inputs.length > 0; round += 1) {
    if (round === MAX_ROUNDS) {
      throw endless(`list of associations (${object}) did not end within ${MAX_ROUNDS} pages`);
    }
    const answers = await Promise.all(
      chunk(inputs, ASSOCIATION_BATCH).map((batch) => readBatch(account, batch, object)),
    );
    inputs = answers.flat().flatMap((result) => collect(found, result));
  }
  return new Map(
    [...found].map(([id, linked]) => [id, [...linked].map((remoteId) => ({ object, remoteId }))]),
  );
}

/** Takes what one contact's answer holds, and says what is left to ask: the next page of the same contact. */
function collect(found: Linked, { from, to, paging }: Result): readonly Input[] {
  const linked = found.get(from.id);
  if (linked === undefined) return [];
  // One company is named once for each kind of link.
  for (const { toObjectId } of to ?? []) linked.add(toObjectId);
  const after = paging?.next?.after;
  return after ? [{ id: from.id, after }] : [];
}

async function readBatch(
  account: HubSpotAccount,
  inputs: readonly Input[],
  object: AssociatedObject,
): Promise<readonly Result[]> {
  try {
    const path = PATHS.associations[object];
    const answer = await ask(account, { path, budget: 'general', body: { inputs } });
    return understand(toLinks, answer).results;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
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
const toLinks = readAs(wireAssociations);

type Result = z.infer<typeof wireAssociations>['results'][number];
type Linked = ReadonlyMap<string, Set<string>>;

interface Input {
  readonly id: string;
  readonly after?: string;
}
