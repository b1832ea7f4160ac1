import type { Contact } from '../../domain/contact.ts';
import type { FieldSelection } from '../../domain/field-selection.ts';
import type { HubSpotAccount } from './account.ts';
import { readBatches } from './batch-read.ts';
import { toMergedIds } from './contacts.ts';
import { isRecordId } from './record-id.ts';

/** The id of a contact that was merged into another finds that other one, whose own id tells them apart. */
export function findByIds(
  account: HubSpotAccount,
  ids: readonly string[],
  selection: FieldSelection,
): Promise<Found> {
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

type Found = ReadonlyMap<string, Contact>;
