import type { Contact } from '../domain/contact.ts';
import type { FieldSelection } from '../domain/field-selection.ts';
import type { ContactClient } from './open-contact-client.ts';

/** The contacts that have any of these emails, each once, in the order of their ids. */
export async function lookUpEmails(
  deps: LookupDeps,
  client: ContactClient,
  { emails, selection }: EmailsAsk,
): Promise<Contact[]> {
  const { compareIds } = client.port;
  const found = await deps.lookup(client, emails, selection);
  const sorted = found.sort((a, b) => compareIds(a.remoteId, b.remoteId));
  // Two of the emails may belong to one contact: it is found once.
  const isLast = ({ remoteId }: Contact, index: number) => sorted[index + 1]?.remoteId !== remoteId;
  return sorted.every(isLast) ? sorted : sorted.filter(isLast);
}

interface EmailsAsk {
  readonly emails: readonly string[];
  readonly selection: FieldSelection;
}

export interface LookupDeps {
  /** Batched: all look-ups of one request, by connection. The list belongs to who asked. */
  lookup(client: ContactClient, emails: readonly string[], selection: FieldSelection): Promise<Contact[]>;
}
