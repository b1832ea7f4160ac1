import { readEmail } from '../domain/email.ts';
import { CrossbookError } from '../domain/errors.ts';
import {
  type AssociatedObject,
  type Association,
  CONTACT,
  type Contact,
} from '../domain/records/contact.ts';
import { CONTACTS, type ContactFilterInput } from '../domain/records/contact-filter.ts';
import type {
  FieldSelection,
  FoundPage,
  RecordSearch,
  RecordTarget,
} from '../domain/records/record-search.ts';
import { type CrmClient, type OpenDeps, openCrmClient } from './open-crm-client.ts';
import { readPageSize } from './page.ts';
import { type LookupDeps, type SearchDeps, searchRecords, sortUnique } from './search-records.ts';
import { selectCustomFields } from './select-custom-fields.ts';

/** Searches a customer's contacts in one CRM and returns a page, ordered by id. */
export function searchContacts(
  deps: SearchDeps,
  search: RecordSearch<ContactFilterInput>,
): Promise<FoundPage<Contact>> {
  return deps.withSpan('searchContacts', () => searchRecords(deps, CONTACTS, search));
}

/** The first contacts with one email in one CRM, ordered by id. */
export function findContactsByEmail(
  deps: OpenDeps & LookupDeps,
  { first, ...query }: EmailQuery,
  selection: FieldSelection,
) {
  return deps.withSpan('findContactsByEmail', async () => {
    deps.requireCaller();
    const email = readEmail(query.email);
    if (email === undefined) {
      throw new CrossbookError(
        'UNPROCESSABLE_ENTITY',
        'The email of this reference must be an address such as ada@example.com.',
      );
    }
    const size = readPageSize(first);
    const client = await openCrmClient(deps, query, CONTACT);
    const selected = await selectCustomFields(deps, CONTACT, client, selection);
    return sortUnique(client, await deps.lookup(client, CONTACT, [email], selected)).slice(0, size);
  });
}

/** The associations of a contact; empty if the provider offers none. */
export function findAssociations(
  deps: AssociationDeps,
  { source, remoteId }: Contact,
  to: readonly AssociatedObject[],
) {
  return deps.withSpan('findAssociations', async () => {
    const client = await openCrmClient(deps, source, CONTACT);
    const offered = [...new Set(to)].filter((object) =>
      client.access.records.CONTACT.associatedObjects.includes(object),
    );
    const lists = await Promise.all(
      offered.map((object) => deps.loadAssociations(client, remoteId, object)),
    );
    return lists.flat();
  });
}

/**
 * Fetches the associations of several contacts with each object. An object that fails leaves the contacts and the
 * other objects as they are.
 */
export function attemptAssociations(
  deps: AssociationDeps,
  contacts: readonly Contact[],
  to: readonly AssociatedObject[],
): Promise<readonly AssociationAttempt[]> {
  return Promise.all(
    [...new Set(to)].map(async (object) => {
      try {
        const lists = contacts.map((contact) => findAssociations(deps, contact, [object]));
        return { object, lists: await Promise.all(lists) };
      } catch (failure) {
        return { object, failure };
      }
    }),
  );
}

/** One list per contact, or why there are none. */
export type AssociationAttempt =
  | { readonly object: AssociatedObject; readonly lists: readonly (readonly Association[])[] }
  | { readonly object: AssociatedObject; readonly lists?: undefined; readonly failure: unknown };

interface EmailQuery extends RecordTarget {
  readonly email: string;
  readonly first: number | null | undefined;
}

export interface AssociationDeps extends OpenDeps {
  /** Batches the contacts of one request per connection and object. */
  loadAssociations(
    client: CrmClient,
    remoteId: string,
    to: AssociatedObject,
  ): Promise<readonly Association[]>;
}
