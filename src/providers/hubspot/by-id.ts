import type { Contact } from '../../domain/contact.ts';
import type { Want } from '../../domain/want.ts';
import type { HubSpotAccount } from './account.ts';
import { readBatches } from './batch-read.ts';
import { isRecordId } from './record-id.ts';

/** A contact that was merged into another answers to its old id with the new one: that is not the record asked for. */
export async function findByIds(account: HubSpotAccount, ids: readonly string[], want: Want): Promise<Found> {
  const asked = new Set(ids.filter(isRecordId));
  const batches = await readBatches(account, { inputs: [...asked], by: 'id', want }, (records) =>
    account.toContacts(records, want),
  );
  const contacts = batches.flat();
  return new Map(
    contacts.filter(({ remoteId }) => asked.has(remoteId)).map((contact) => [contact.remoteId, contact]),
  );
}

type Found = ReadonlyMap<string, Contact>;
