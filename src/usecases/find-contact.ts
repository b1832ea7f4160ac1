import type { Contact } from '../domain/contact.ts';
import type { Timing } from '../domain/journal.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { Want } from '../domain/want.ts';
import { type OpenDeps, type OpenedContacts, openContacts } from './open-contacts.ts';

/** One contact by the provider's own id; undefined where the provider has none. */
export function findContact(deps: FindContactDeps, key: ContactKey, want: Want) {
  return deps.timed('findContact', async () => {
    const client = await openContacts(deps, key);
    return deps.loadContact(client, key.remoteId, want);
  });
}

export interface ContactKey {
  readonly customerId: string;
  readonly provider: ProviderName;
  readonly remoteId: string;
}

export interface FindContactDeps extends OpenDeps, Timing {
  /** Batched: all ids of one request, by connection. */
  loadContact(client: OpenedContacts, remoteId: string, want: Want): Promise<Contact | undefined>;
}
