import type { Contact } from '../domain/contact.ts';
import type { FieldSelection } from '../domain/field-selection.ts';
import type { Timing } from '../domain/journal.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { type ContactClient, type OpenDeps, openContacts } from './open-contact-client.ts';

/** One contact by the provider's own id; undefined where the provider has none. */
export function findContact(deps: FindContactDeps, key: ContactKey, selection: FieldSelection) {
  return deps.timed('findContact', async () => {
    const client = await openContacts(deps, key);
    return deps.loadContact(client, key.remoteId, selection);
  });
}

export interface ContactKey {
  readonly customerId: string;
  readonly provider: ProviderName;
  readonly remoteId: string;
}

export interface FindContactDeps extends OpenDeps, Timing {
  /** Batched: all ids of one request, by connection. */
  loadContact(
    client: ContactClient,
    remoteId: string,
    selection: FieldSelection,
  ): Promise<Contact | undefined>;
}
