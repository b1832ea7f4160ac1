import type { CustomerAccount } from '../../domain/provider.ts';
import type { Contact } from '../../domain/records/contact.ts';
import type { CrmRecord } from '../../domain/records/record.ts';
import { type FieldSelection, toRecordOrigin } from '../../domain/records/record-search.ts';
import { chunk } from '../../lib/batcher.ts';
import { isRecord } from '../../lib/json.ts';
import { toText } from '../../lib/text.ts';
import {
  get,
  getPage,
  MAX_IDS,
  MAX_PAGE,
  paginationError,
  parseResponse,
  toCursor,
  V2,
} from './call.ts';
import { CONTACT_OBJECT, toLookupEmails } from './contacts.ts';
import { isRefused } from './lists.ts';
import {
  isRecordId,
  type PipedriveObject,
  selectFields,
  toKeys,
  toRecord,
  type Wire,
} from './object.ts';

/**
 * One search for each email, which several persons may have, and one list of all persons that were found: the index may
 * be late, and knows only some fields.
 */
export async function findByEmails(
  account: CustomerAccount,
  emails: readonly string[],
  selection: FieldSelection,
): Promise<Map<string, readonly Contact[]>> {
  const hits = await Promise.all(emails.map((email) => searchByEmail(account, email)));
  const found = new Map<string, readonly Contact[]>();
  for (const email of emails) found.set(email, NO_CONTACTS);
  const take = (contact: Contact, record: Wire) => {
    for (const email of toLookupEmails(record)) {
      const known = found.get(email);
      if (known) found.set(email, [...known, contact]);
    }
  };
  await takeRecords(account, CONTACT_OBJECT, { ids: hits.flat(), selection, take });
  return found;
}

/** The ids of the persons with an address, in any case, primary or not. */
export async function searchByEmail(
  account: CustomerAccount,
  email: string,
): Promise<readonly string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let calls = 0; calls < MAX_SEARCHES; calls += 1) {
    const query = {
      term: email,
      fields: 'email',
      exact_match: 'true',
      limit: String(MAX_PAGE),
      cursor,
    };
    const answer = await get(account, `${V2}/persons/search`, query, { budget: 'search' });
    const { items, next } = parseResponse(toSearchPage, answer);
    for (const one of items) {
      const id = isRecord(one) && isRecord(one['item']) ? toText(one['item']['id']) : null;
      if (id !== null) ids.push(id);
    }
    if (next === null || next === cursor) break;
    cursor = next;
  }
  return ids;
}

/** More than a thousand persons with one address are no real ones. */
const MAX_SEARCHES = 2;

function toSearchPage(json: unknown) {
  const { data, additional_data: additional } = isRecord(json) ? json : NOTHING;
  const items = isRecord(data) ? data['items'] : undefined;
  // Without hits, some versions send no list.
  const isEmpty = isRecord(data) && Object.keys(data).length === 0;
  if (!isEmpty && (!Array.isArray(items) || items.length > MAX_PAGE)) return undefined;
  return { items: Array.isArray(items) ? items : [], next: toCursor(additional) };
}

/** Pipedrive forgets the ids of merged records: only the surviving one is found by its own. */
export async function findByIds<Item extends CrmRecord>(
  account: CustomerAccount,
  object: PipedriveObject<Item>,
  ids: readonly string[],
  selection: FieldSelection,
): Promise<ReadonlyMap<string, Item>> {
  const found = new Map<string, Item>();
  const take = (item: Item) => found.set(item.remoteId, item);
  await takeRecords(account, object, { ids, selection, take });
  return found;
}

async function takeRecords<Item extends CrmRecord>(
  account: CustomerAccount,
  object: PipedriveObject<Item>,
  { ids, selection, take }: Taking<Item>,
): Promise<void> {
  const source = toRecordOrigin(account.connection, object.kind);
  const recordIds = new Set(ids.filter(isRecordId));
  const keys = toKeys(selection);
  for (const record of await readByIds(account, object, [...recordIds], keys)) {
    const item = toRecord(object, record, source, selection);
    if (!item || item.isDeleted || !isRecord(record)) continue;
    if (recordIds.delete(item.remoteId)) take(selectFields(object, item, selection), record);
  }
}

/** The records with these ids, which are valid and unique. Unknown ones and deleted ones are omitted. */
export async function readByIds(
  account: CustomerAccount,
  { name }: Pick<PipedriveObject<CrmRecord>, 'name'>,
  ids: readonly string[],
  keys?: string,
): Promise<readonly unknown[]> {
  const read = async (batch: readonly string[], custom: string | undefined) => {
    const records: unknown[] = [];
    let cursor: string | undefined;
    // A page may be smaller than requested. One record is the least that moves on.
    for (let calls = 0; calls < batch.length; calls += 1) {
      const page = await getPage(account, `${V2}/${name}`, {
        ids: batch.join(','),
        limit: String(MAX_IDS),
        custom_fields: custom,
        cursor,
      });
      records.push(...page.records);
      if (page.next === null || records.length >= batch.length) return records;
      cursor = page.next;
    }
    throw paginationError(`did not end a list of ${batch.length} ids within as many pages`);
  };
  const pages = chunk(ids, MAX_IDS).map(async (batch) => {
    try {
      return await read(batch, keys);
    } catch (error) {
      // A custom field was deleted: without their names, all that exist are sent.
      if (keys === undefined || !isRefused(error)) throw error;
      return read(batch, undefined);
    }
  });
  return (await Promise.all(pages)).flat();
}

const NO_CONTACTS: readonly Contact[] = [];
const NOTHING: Wire = {};

interface Taking<Item extends CrmRecord> {
  readonly ids: readonly string[];
  readonly selection: FieldSelection;
  take(item: Item, record: Wire): void;
}
