import type { Contact } from '../../domain/contact.ts';
import type { FieldSelection } from '../../domain/field-selection.ts';
import type { HubSpotAccount } from './account.ts';
import { readBatches } from './batch-read.ts';
import { toLookupEmails } from './contacts.ts';

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

type Found = Map<string, readonly Contact[]>;
