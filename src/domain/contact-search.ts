import type { Contact, ContactOrigin } from './contact.ts';
import type { FieldSelection } from './field-selection.ts';
import type { ProviderName } from './provider-names.ts';

/** What a caller asks for, as a face hands it over: nothing in it is checked yet. */
export interface ContactSearch extends ContactTarget {
  readonly filter: ContactFilterInput;
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
export interface ContactFilterInput {
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
  /** Signed at the moment it is asked for: a cursor that nobody selects costs nothing. */
  cursorOf(contact: Contact, direction?: Direction): string;
}
