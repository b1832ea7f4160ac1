import type { Connection } from './connection.ts';
import type { Contact, ContactField, ContactOrigin } from './contact.ts';
import { CrossbookError } from './errors.ts';
import { DEFAULT_PAGE_SIZE, type ListPage, type PageInput } from './page.ts';
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
interface UncheckedContactFilter {
  readonly email?: string | null | undefined;
  readonly emails?: readonly string[] | null | undefined;
  readonly emailDomain?: string | null | undefined;
}

/** Checked: emails are normalised and unique. */
export type ContactFilter =
  | { readonly by: 'emails'; readonly emails: readonly string[] }
  | { readonly by: 'domain'; readonly domain: string };

export const MAX_EMAILS = 1_000;

/** Checks a filter: exactly one way to search, and what is searched for must be able to exist. */
export function readContactFilter({ email, emails, emailDomain }: UncheckedContactFilter): ContactFilter {
  const given = [email, emails, emailDomain].filter((value) => value !== undefined && value !== null);
  if (given.length !== 1) {
    throw new CrossbookError(
      'BAD_REQUEST',
      'The filter takes exactly one of: email, a list of emails, an email domain.',
    );
  }
  if (typeof emailDomain === 'string') {
    const domain = normaliseEmail(emailDomain);
    if (domain.length <= MAX_DOMAIN_LENGTH && DOMAIN.test(domain)) return { by: 'domain', domain };
    throw new CrossbookError('UNPROCESSABLE_ENTITY', 'The filter’s email domain is not a domain name.');
  }
  return { by: 'emails', emails: readEmails(typeof email === 'string' ? [email] : (emails ?? [])) };
}

function readEmails(emails: readonly string[]): readonly string[] {
  if (emails.length > MAX_EMAILS) {
    throw new CrossbookError(
      'BAD_REQUEST',
      `The filter takes at most ${MAX_EMAILS} emails; these are ${emails.length}.`,
    );
  }
  const found = new Set<string>();
  for (const [index, text] of emails.entries()) {
    const email = readEmail(text);
    if (email === undefined) {
      const which = emails.length === 1 ? 'The filter’s email' : `Email ${index + 1} of the filter`;
      throw new CrossbookError('UNPROCESSABLE_ENTITY', `${which} is not an email address.`);
    }
    found.add(email);
  }
  return [...found];
}

/** The longest address that mail systems carry. */
const MAX_EMAIL_LENGTH = 254;
const MAX_DOMAIN_LENGTH = 253;

/** Within quotes, what comes before the @ may hold spaces and further @s. */
const EMAIL = /^(?:[^\s@\p{Cc}\p{Cs}]+|"(?:[^"\\\p{Cc}\p{Cs}]|\\[^\p{Cc}\p{Cs}])+")@[^\s@\p{Cc}\p{Cs}]+$/u;
const DOMAIN = /^[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?(\.[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?)+$/u;

/** Nearly all of them: small letters as they are compared, and nothing that the grammar above would have to look at. */
const PLAIN = /^[a-z0-9._+-]+@[a-z0-9.-]+$/;

/** As it is compared; undefined where it is none. */
export function readEmail(text: string): string | undefined {
  if (text.length <= MAX_EMAIL_LENGTH && PLAIN.test(text)) return text;
  const email = normaliseEmail(text);
  return isEmail(email) ? email : undefined;
}

/** Emails compare trimmed and without case, wherever they come from. */
export function normaliseEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Deliberately wide: CRMs hold addresses that stricter grammars refuse, and they have to be found. */
export function isEmail(email: string): boolean {
  return email.length <= MAX_EMAIL_LENGTH && EMAIL.test(email);
}

export interface SearchSelection extends FieldSelection {
  readonly totalCount: boolean;
  /** Are both `hasNextPage` and `hasPreviousPage` asked for? The second can cost a call. */
  readonly needsPreviousPage: boolean;
}

/**
 * Whoever has written all of a page disposes of it: that empties it. The promises that brought it are as old as its
 * request, and would keep a thousand contacts until the next full collection.
 */
export interface ContactPage extends ListPage<Contact>, Disposable {
  readonly source: ContactOrigin;
  readonly totalCount: number | null;
  /** Why it could not be counted, though it was asked for. The page stands all the same. */
  readonly countFailure: unknown;
  /** When the provider was asked. */
  readonly fetchedAt: string;
  /** Was the search content with a cached answer? */
  readonly readFromCache: boolean;
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
