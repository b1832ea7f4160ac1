import type { Connection } from './connection.ts';
import type { Contact, ContactField, ContactOrigin } from './contact.ts';
import { DEFAULT_PAGE_SIZE } from './page.ts';
import type { ProviderName } from './provider-names.ts';

/** What a caller asks for, as a face hands it over: nothing in it is checked yet. */
export interface ContactSearch extends ContactTarget {
  readonly filter: UncheckedContactFilter;
  readonly page: PageInput;
  readonly readFromCache: boolean;
  readonly selection: SearchSelection;
}

/** Where the faces' arguments are silent, the request's headers speak. */
export interface ContactTarget {
  readonly customerId?: string | null | undefined;
  readonly provider?: ProviderName | null | undefined;
}

/** Exactly one of the three. */
export interface UncheckedContactFilter {
  readonly email?: string | null | undefined;
  readonly emails?: readonly string[] | null | undefined;
  readonly emailDomain?: string | null | undefined;
}

/** Checked: emails are normalised and unique. */
export type ContactFilter =
  | { readonly by: 'emails'; readonly emails: readonly string[] }
  | { readonly by: 'domain'; readonly domain: string };

export interface PageInput {
  readonly size?: number | null | undefined;
  readonly cursor?: string | null | undefined;
  /** Absent: the direction that the cursor carries, else forward. */
  readonly direction?: Direction | undefined;
}

export type Direction = 'forward' | 'backward';

export interface SearchSelection extends FieldSelection {
  readonly totalCount: boolean;
  /** Are both `hasNextPage` and `hasPreviousPage` asked for? The second can cost a call. */
  readonly needsPreviousPage: boolean;
}

/**
 * Whoever has written all of a page disposes of it: that empties it. The promises that brought it are as old as its
 * request, and would keep a thousand contacts until the next full collection.
 */
export interface ContactPage extends Disposable {
  readonly contacts: readonly Contact[];
  readonly source: ContactOrigin;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly totalCount: number | null;
  /** Why it could not be counted, though it was asked for. The page stands all the same. */
  readonly countFailure: unknown;
  /** When the provider was asked. */
  readonly fetchedAt: string;
  /** Was the search content with a cached answer? */
  readonly readFromCache: boolean;
  /** Signed at the moment it is asked for: one that is not selected costs nothing. */
  cursorOf(contact: Contact, direction?: Direction): string;
}

/** Whose a connection's contacts are: the same object each time, so that what is made of it once is found again. */
export function toContactOrigin(connection: Connection): ContactOrigin {
  const known = remembered.get(connection);
  if (known) return known;
  const { applicationId, customerId, providerName } = connection;
  const source = { applicationId, customerId, provider: providerName };
  remembered.set(connection, source);
  return source;
}

const remembered = new WeakMap<Connection, ContactOrigin>();

/** What is to be fetched of a contact. */
export interface FieldSelection {
  /** Raw data is the whole record: with it, every field is wanted. */
  readonly rawData: boolean;
  /** The only fields that will be looked at: others may be empty though the provider has them. Absent: all. */
  readonly fields?: SelectedFields | undefined;
}

export type SelectedFields = ReadonlySet<ContactField>;

/** Undefined, too, is an answer: all of them. */
export function readSelectedFields({ rawData, fields }: FieldSelection): SelectedFields | undefined {
  return rawData ? undefined : fields;
}

/** What serves several at once. */
export function mergeSelections(selections: readonly FieldSelection[]): FieldSelection {
  const rawData = selections.some((one) => one.rawData);
  if (selections.some(({ fields }) => fields === undefined)) return { rawData };
  const [first] = selections;
  if (first && selections.every(({ fields }) => fields === first.fields))
    return { rawData, fields: first.fields };
  return { rawData, fields: new Set(selections.flatMap(({ fields }) => [...(fields ?? [])])) };
}

/** Would an answer with these fields have all that is wanted? */
export function includesFields(had: readonly string[] | undefined, selection: FieldSelection): boolean {
  if (had === undefined) return true;
  const wanted = readSelectedFields(selection);
  return wanted !== undefined && [...wanted].every((field) => had.includes(field));
}

/** What a search costs beside its contacts, for both faces: a call to the provider for every hundred emails, and each of them. */
export function searchCost(emails: number): number {
  return PROVIDER_CALL * Math.max(1, Math.ceil(emails / EMAILS_PER_CALL)) + emails;
}

/** How many contacts a search is estimated to find where `first` is absent. More are counted when they are there. */
export function expectedContacts(emails: number): number {
  return emails > 0 ? Math.min(DEFAULT_PAGE_SIZE, emails * CONTACTS_PER_EMAIL) : DEFAULT_PAGE_SIZE;
}

/** A call to a provider, against a value in the answer. */
export const PROVIDER_CALL = 150;
/** As many as a CRM is asked for at once. */
export const EMAILS_PER_CALL = 100;
export const CONTACTS_PER_EMAIL = 5;
