import type { Contact } from '../../domain/contact.ts';
import { normaliseEmail } from '../../domain/email.ts';
import type { Want } from '../../domain/provider.ts';
import type { HubSpotAccount } from './account.ts';
import { readBatch } from './batch-read.ts';

/**
 * By batch read rather than by search: it knows a contact the moment it is written, finds it by its further addresses
 * too, takes a hundred at once and is outside the limit of searches.
 */
export async function findByEmails(
  account: HubSpotAccount,
  emails: readonly string[],
  want: Want,
): Promise<Found> {
  const found = new Map(emails.map((email): [string, Contact[]] => [email, []]));
  if (emails.length === 0) return found;
  const records = await readBatch(account, { inputs: emails, by: 'email' }, want);
  for (const contact of account.toContacts(records, want)) {
    for (const { emailAddress } of contact.emailAddresses) {
      found.get(normaliseEmail(emailAddress))?.push(contact);
    }
  }
  return found;
}

type Found = ReadonlyMap<string, readonly Contact[]>;
