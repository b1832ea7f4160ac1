import type { Contact } from '../domain/contact.ts';
import type { Want } from '../domain/want.ts';
import type { OpenedContacts } from './open-contacts.ts';

/** The contacts that have any of these emails, each once, in the order of their ids. */
export async function lookUpEmails(
  deps: LookupDeps,
  client: OpenedContacts,
  { emails, want }: EmailsAsk,
): Promise<Contact[]> {
  const { compareIds } = client.port;
  const found = await deps.lookup(client, emails, want);
  const sorted = found.sort((a, b) => compareIds(a.remoteId, b.remoteId));
  // Two of the emails may belong to one contact: it is found once.
  const isLast = ({ remoteId }: Contact, index: number) => sorted[index + 1]?.remoteId !== remoteId;
  return sorted.every(isLast) ? sorted : sorted.filter(isLast);
}

interface EmailsAsk {
  readonly emails: readonly string[];
  readonly want: Want;
}

export interface LookupDeps {
  /** Batched: all look-ups of one request, by connection. The list belongs to who asked. */
  lookup(client: OpenedContacts, emails: readonly string[], want: Want): Promise<Contact[]>;
}
