import type { Contact } from '../../domain/contact.ts';
import type { FieldSelection } from '../../domain/field-selection.ts';
import type { ProviderResponse } from '../../domain/remote.ts';
import { chunk } from '../../lib/chunk.ts';
import type { HubSpotAccount } from './account.ts';
import { isNotFound, isRecordId, PATHS, understand } from './call.ts';
import { MERGED_IDS, toLookupEmails, toMergedIds, toRecords } from './contacts.ts';

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
    const found: Found = new Map();
    for (const email of emails) found.set(email, NOBODY);
    for (const records of batches) {
      for (const record of records) {
        const contact = account.toContact(record, selection);
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
    const found = new Map<string, Contact>();
    for (const records of batches) {
      for (const record of records) {
        const contact = account.toContact(record, selection);
        if (!contact) continue;
        for (const id of [contact.remoteId, ...toMergedIds(record)])
          if (asked.has(id)) found.set(id, contact);
      }
    }
    return found;
  });
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

/** Undefined where nobody is found. */
async function askForBatch(
  account: HubSpotAccount,
  question: Question,
): Promise<ProviderResponse | undefined> {
  const { inputs, by, selection } = question;
  try {
    return await account.ask({
      path: PATHS.batchRead,
      budget: 'general',
      body: {
        idProperty: by === 'email' ? 'email' : undefined,
        properties:
          by === 'id' ? [...account.propertiesFor(selection), MERGED_IDS] : account.propertiesFor(selection),
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
