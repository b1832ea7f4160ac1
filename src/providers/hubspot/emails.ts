import type { Contact } from '../../domain/contact.ts';
import type { Want } from '../../domain/want.ts';
import type { HubSpotAccount } from './account.ts';
import { readBatches } from './batch-read.ts';
import { toLookupEmails } from './contacts.ts';

/**
 * By batch read rather than by search: it knows a contact the moment it is written, finds it by its further addresses
 * too, takes a hundred at once and is outside the limit of searches.
 */
export async function findByEmails(
  account: HubSpotAccount,
  emails: readonly string[],
  want: Want,
): Promise<Found> {
  const found = new Map<string, readonly Contact[]>();
  for (const email of emails) found.set(email, NOBODY);
  await readBatches(account, { inputs: emails, by: 'email', want }, (records) => {
    for (const record of records) {
      const contact = account.toContact(record, want);
      if (!contact) continue;
      for (const email of toLookupEmails(record)) {
        const known = found.get(email);
        if (known) found.set(email, known === NOBODY ? [contact] : [...known, contact]);
      }
    }
  });
  return found;
}

const NOBODY: readonly Contact[] = [];

type Found = ReadonlyMap<string, readonly Contact[]>;
