import type { Connection } from './connection.ts';
import type { Contact, ContactField, ContactOrigin } from './contact.ts';
import { CrossbookError } from './errors.ts';
import type { MappingProblemKind, ResolvedField } from './own-fields.ts';
import { DEFAULT_PAGE_SIZE, type ListPage, type PageInput } from './page.ts';
import type { ProviderName } from './provider-names.ts';
import { listOf, nullable, string } from './shape.ts';

/** A search as passed by an API: unchecked. */
export interface ContactSearch extends ContactTarget {
  readonly filter: UncheckedContactFilter;
  readonly page: PageInput;
  readonly readFromCache: boolean;
  readonly selection: SearchSelection;
}

/** Omitted arguments default to the request's headers. */
export interface ContactTarget {
  readonly customerId?: string | null | undefined;
  readonly provider?: ProviderName | null | undefined;
}

export type ResolvedTarget = Pick<ContactOrigin, 'customerId' | 'provider'>;

/** Exactly one of the three must be set. */
interface UncheckedContactFilter {
  readonly email?: string | null | undefined;
  readonly emails?: readonly string[] | null | undefined;
  readonly emailDomain?: string | null | undefined;
}

/** Checked and canonical: equal searches have equal filters. Emails are normalized, unique and sorted. */
export type ContactFilter =
  | { readonly by: 'emails'; readonly emails: readonly string[] }
  | { readonly by: 'domain'; readonly domain: string };

export const MAX_EMAILS = 1_000;

/** The conditions of a search, as GraphQL and MCP describe them. */
export const contactFilterFields = {
  email: nullable(
    string,
    'Email address, compared case-insensitively: in HubSpot with the primary and the additional addresses (not the work email), in Salesforce with the email.',
  ),
  emails: nullable(
    listOf(string),
    'Email addresses, at most 1,000: finds contacts that have any of them.',
  ),
  emailDomain: nullable(
    string,
    'Domain after the @, e.g. `example.com`, compared with the same addresses as `email`.',
  ),
};

/** Checks a filter: exactly one criterion, with valid values. */
export function readContactFilter({
  email,
  emails,
  emailDomain,
}: UncheckedContactFilter): ContactFilter {
  const given = [email, emails, emailDomain].filter(
    (value) => value !== undefined && value !== null,
  );
  if (given.length !== 1) {
    throw new CrossbookError(
      'BAD_REQUEST',
      'The filter takes exactly one of: email, a list of emails, an email domain.',
    );
  }
  if (typeof emailDomain === 'string') {
    const domain = normalizeGiven(emailDomain);
    if (domain.length <= MAX_DOMAIN_LENGTH && DOMAIN.test(domain)) return { by: 'domain', domain };
    throw new CrossbookError(
      'UNPROCESSABLE_ENTITY',
      'The filter’s email domain is not a domain name.',
    );
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
  // Sorted: the order in which they are given changes neither the result nor its cursors and cache entries.
  return [...found].sort();
}

/** The maximum length of an email address. */
const MAX_EMAIL_LENGTH = 254;
const MAX_DOMAIN_LENGTH = 253;
/** With spaces around it. */
const MAX_GIVEN_LENGTH = 1_024;

/** A quoted local part may contain spaces and @. */
const EMAIL =
  /^(?:[^\s@\p{Cc}\p{Cs}]+|"(?:[^"\\\p{Cc}\p{Cs}]|\\[^\p{Cc}\p{Cs}])+")@[^\s@\p{Cc}\p{Cs}]+$/u;
const DOMAIN =
  /^[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?(\.[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?)+$/u;

/** The fast path for nearly all emails: normalized, without anything for the grammar above to check. */
const PLAIN = /^[a-z0-9._+-]+@[a-z0-9.-]+$/;

/** The normalized email; undefined where invalid. */
export function readEmail(text: string): string | undefined {
  if (text.length <= MAX_EMAIL_LENGTH && PLAIN.test(text)) return text;
  const email = normalizeGiven(text);
  return isEmail(email) ? email : undefined;
}

/** Emails are compared trimmed and case-insensitively. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Cuts a text that is too long to be an email before it is normalized, because a request may repeat it many times. */
export function normalizeGiven(text: string): string {
  return text.length > MAX_GIVEN_LENGTH ? text.slice(0, MAX_GIVEN_LENGTH) : normalizeEmail(text);
}

/** Deliberately lenient, because CRMs contain addresses that stricter grammars reject. */
export function isEmail(email: string): boolean {
  return email.length <= MAX_EMAIL_LENGTH && EMAIL.test(email);
}

export interface SearchSelection extends FieldSelection {
  readonly totalCount: boolean;
  /** Whether both `hasNextPage` and `hasPreviousPage` are selected. The second may cost a call. */
  readonly needsPreviousPage: boolean;
}

/** A page of contacts. */
export interface ContactPage extends ListPage<Contact> {
  readonly source: ContactOrigin;
  readonly totalCount: number | null;
  /** The error where counting was requested and failed; the page is valid nevertheless. */
  readonly countFailure: unknown;
  /** Time of the request to the provider. */
  readonly fetchedAt: string;
  /** Whether the search allowed a cached result. */
  readonly readFromCache: boolean;
}

/** The origin of a connection's contacts. Returns the same object each time, so that results can be memoized by it. */
export function toContactOrigin(connection: Connection): ContactOrigin {
  const known = remembered.get(connection);
  if (known) return known;
  const { applicationId, customerId, providerName } = connection;
  const source = { applicationId, customerId, provider: providerName };
  remembered.set(connection, source);
  return source;
}

const remembered = new WeakMap<Connection, ContactOrigin>();

/** The parts of a contact to fetch. */
export interface FieldSelection {
  /** Raw data is the whole record, so it selects every field. */
  readonly rawData: boolean;
  /** The fields that will be read: others may be empty although the provider has them. Absent: all. */
  readonly fields?: SelectedFields | undefined;
  /** The own fields that the caller has selected, by name. Absent: none. */
  readonly customFields?: 'all' | readonly string[] | undefined;
  /** The same for the connection that is read. A use case sets it; adapters read only this. */
  readonly custom?: CustomSelection | undefined;
}

/** Own fields to read from one connection. */
export interface CustomSelection {
  /** Equal for connections and declarations whose fields have the same sources. */
  readonly key: string;
  /** All selected fields, also those without a source. */
  readonly names: readonly string[];
  readonly fields: readonly ResolvedField[];
  /** Called for a field that cannot be read, with a problem that the CRM has shown. */
  onProblem(field: ResolvedField, problem: MappingProblemKind): void;
}

export type SelectedFields = ReadonlySet<ContactField>;

/** Undefined means all fields. */
export function readSelectedFields({
  rawData,
  fields,
}: FieldSelection): SelectedFields | undefined {
  return rawData ? undefined : fields;
}

/** The union of several selections of one connection. */
export function mergeSelections(selections: readonly FieldSelection[]): FieldSelection {
  const merged = mergeFields(selections);
  const custom = mergeCustom(selections.flatMap((one) => one.custom ?? []));
  return custom ? { ...merged, custom } : merged;
}

function mergeCustom(selections: readonly CustomSelection[]): CustomSelection | undefined {
  const [first] = selections;
  if (!first || selections.every(({ names }) => names === first.names)) return first;
  const byName = new Map(selections.flatMap(({ fields }) => fields.map((one) => [one.name, one])));
  return {
    ...first,
    names: [...new Set(selections.flatMap(({ names }) => names))],
    fields: [...byName.values()],
  };
}

function mergeFields(selections: readonly FieldSelection[]): FieldSelection {
  const rawData = selections.some((one) => one.rawData);
  if (selections.some(({ fields }) => fields === undefined)) return { rawData };
  const [first] = selections;
  if (first && selections.every(({ fields }) => fields === first.fields))
    return { rawData, fields: first.fields };
  return { rawData, fields: new Set(selections.flatMap(({ fields }) => [...(fields ?? [])])) };
}

/** Whether a result with these fields covers the selection. */
export function includesFields(
  had: readonly string[] | undefined,
  selection: FieldSelection,
): boolean {
  if (had === undefined) return true;
  const wanted = readSelectedFields(selection);
  return wanted !== undefined && [...wanted].every((field) => had.includes(field));
}

/** The query cost of a search without its contacts: one provider call per hundred emails, plus one per email. */
export function searchCost(emails: number): number {
  return PROVIDER_CALL * Math.max(1, Math.ceil(emails / EMAILS_PER_CALL)) + emails;
}

/** The estimated number of contacts where `first` is absent. Further ones are charged when they are found. */
export function expectedContacts(emails: number): number {
  return emails > 0 ? Math.min(DEFAULT_PAGE_SIZE, emails * CONTACTS_PER_EMAIL) : DEFAULT_PAGE_SIZE;
}

/** The same with the values of its contacts, where each has all fields: in REST, and for agents. */
export function wholeSearchCost(
  { email, emails }: { readonly email?: unknown; readonly emails?: readonly unknown[] | undefined },
  pageSize = DEFAULT_PAGE_SIZE,
): number {
  const count = emails?.length ?? (email === undefined ? 0 : 1);
  const contacts = count === 0 ? pageSize : Math.min(pageSize, expectedContacts(count));
  return searchCost(count) + contacts * VALUES_PER_CONTACT;
}

/** The cost of a provider call relative to one value of the response. */
export const PROVIDER_CALL = 150;
/** Emails per provider call. */
export const EMAILS_PER_CALL = 100;
export const CONTACTS_PER_EMAIL = 5;
/** The cost of a list without its items: a few database statements and no provider call. */
export const LIST_COST = 20;
/** The values of a record with all its fields. */
export const VALUES_PER_CONTACT = 25;
export const VALUES_PER_CUSTOMER = 20;
