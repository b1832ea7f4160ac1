import type { Contact } from '../../domain/contact.ts';
import type { Want } from '../../domain/want.ts';
import type { HubSpotAccount } from './account.ts';
import { readBatch } from './batch-read.ts';
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
  const found = new Map(emails.map((email): [string, Contact[]] => [email, []]));
  if (emails.length === 0) return found;
  const records = await readBatch(account, { inputs: emails, by: 'email' }, want);
  for (const record of records) {
    const [contact] = account.toContacts([record], want);
    if (contact) for (const email of toLookupEmails(record)) found.get(email)?.push(contact);
  }
  return found;
}

type Found = ReadonlyMap<string, readonly Contact[]>;
