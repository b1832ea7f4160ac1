import type { CustomerAccount, RecordAdapter } from '../domain/provider.ts';
import type { CrmRecord } from '../domain/records/record.ts';
import type { FieldSelection } from '../domain/records/record-search.ts';
import type { SyncedRecord } from '../domain/sync.ts';

/** A type of record, parts of which the CRM keeps elsewhere, such as the labels of stages. */
export interface Completable<Item extends CrmRecord> {
  /** Adds these parts. Keeps the order of the records. Absent: the records are complete. */
  complete?(
    account: CustomerAccount,
    records: readonly Item[],
    selection: FieldSelection,
  ): Promise<readonly Item[]>;
}

/** Completes the records of lists and of look-ups by id. */
export function completeRecords<Item extends CrmRecord>(
  account: CustomerAccount,
  object: Completable<Item>,
  records: RecordAdapter<Item>,
): RecordAdapter<Item> {
  const { complete } = object;
  if (!complete) return records;
  return {
    ...records,
    async readList(filter, range, selection) {
      return complete(account, await records.readList(filter, range, selection), selection);
    },
    async findByIds(ids, selection) {
      const found = await records.findByIds(ids, selection);
      const completed = await complete(account, [...found.values()], selection);
      return new Map(Array.from(found.keys(), (id, index) => [id, completed[index] as Item]));
    },
  };
}

/** Completes the records of a sync that are in the common shape. */
export async function completeSynced(
  account: CustomerAccount,
  object: Completable<CrmRecord> | undefined,
  { page, selection }: { page: readonly SyncedRecord[]; selection: FieldSelection },
): Promise<readonly SyncedRecord[]> {
  const records = page.flatMap(({ record }) => record ?? []);
  const completed = await object?.complete?.(account, records, selection);
  if (!completed) return page;
  const byId = new Map(completed.map((record) => [record.remoteId, record]));
  return page.map((one) => ({ ...one, record: byId.get(one.id) ?? one.record }));
}
