import type { Contact } from '../../domain/contact.ts';
import type { Want } from '../../domain/want.ts';
import type { HubSpotAccount } from './account.ts';
import { readBatches } from './batch-read.ts';
import { isRecordId } from './record-id.ts';

/** A contact that was merged into another answers to its old id with the new one: that is not the record asked for. */
export function findByIds(account: HubSpotAccount, ids: readonly string[], want: Want): Promise<Found> {
  const asked = new Set(ids.filter(isRecordId));
  return readBatches(account, { inputs: [...asked], by: 'id', want }, (batches) => {
    const found = new Map<string, Contact>();
    for (const records of batches) {
      for (const contact of account.toContacts(records, want)) {
        if (asked.has(contact.remoteId)) found.set(contact.remoteId, contact);
      }
    }
    return found;
  });
}

type Found = ReadonlyMap<string, Contact>;
