import type { AssociatedObject, Association, Contact } from '../domain/contact.ts';
import type { FieldSelection } from '../domain/contact-search.ts';
import type { Tracer } from '../domain/log.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { type ContactClient, type OpenDeps, openContactClient } from './open-contact-client.ts';

/** One contact by the provider's own id; undefined where the provider has none. */
export function findContact(deps: FindContactDeps, key: ContactKey, selection: FieldSelection) {
  return deps.withSpan('findContact', async () => {
    const client = await openContactClient(deps, key);
    return deps.loadContact(client, key.remoteId, selection);
  });
}

/** What a contact is linked to. A provider that offers no such links answers with none. */
export function findAssociations(
  deps: AssociationDeps,
  contact: Contact,
  to: readonly AssociatedObject[],
): Promise<readonly Association[]> {
  return deps.withSpan('findAssociations', () => find(deps, contact, to));
}

async function find(
  deps: AssociationDeps,
  contact: Contact,
  to: readonly AssociatedObject[],
): Promise<readonly Association[]> {
  const client = await openContactClient(deps, contact.source);
  const offered = [...new Set(to)].filter((object) => client.access.associatedObjects.includes(object));
  const lists = await Promise.all(
    offered.map((object) => deps.loadAssociations(client, contact.remoteId, object)),
  );
  return lists.flat();
}

interface ContactKey {
  readonly customerId: string;
  readonly provider: ProviderName;
  readonly remoteId: string;
}

interface FindContactDeps extends OpenDeps, Tracer {
  /** Batched: all ids of one request, by connection. */
  loadContact(
    client: ContactClient,
    remoteId: string,
    selection: FieldSelection,
  ): Promise<Contact | undefined>;
}

interface AssociationDeps extends OpenDeps, Tracer {
  /** Batched: all contacts of one request, by connection and object. */
  loadAssociations(
    client: ContactClient,
    remoteId: string,
    to: AssociatedObject,
  ): Promise<readonly Association[]>;
}
