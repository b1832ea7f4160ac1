import { isRfc3339 } from '../lib/text.ts';
import type { Contact, ContactField } from './contact.ts';
import type { CustomFieldValue, SourcedField } from './custom-field.ts';
import { readCustomFieldValue } from './custom-field-values.ts';
import type { ProviderFieldType } from './custom-fields.ts';
import { normalizeGiven, readEmail } from './email.ts';
import { CrossbookError } from './errors.ts';
import {
  boolean,
  type Field,
  field,
  listOf,
  moment,
  type Of,
  patch,
  shape,
  string,
} from './shape.ts';

/**
 * Everything that the product knows of one condition: its input, from which the fields of GraphQL, REST and MCP are
 * derived, its check, its cost, who may use it, and how a contact is verified. How a CRM searches by it is in the
 * adapters, which also verify emails (`toLookupEmails`, `toLookupEmail`).
 */
interface Condition<Given, Filter extends ContactFilter> {
  /** The condition's field in each API. */
  readonly input: Field<Given>;
  /** Checks a given value, and returns its canonical form: equal searches have equal filters. */
  read(given: Given): Filter;
  /** How many people a given value names, for the query cost. Absent: the condition lists contacts. */
  countLookUps?(given: Given): number;
  /** Lists contacts that the caller does not know yet: a customer token needs `canList`, and nothing is cached. */
  readonly isListing?: true;
  /** The contact fields that hits are verified by, besides those that adapters always read: id and email. */
  readonly verifiedFields?: readonly ContactField[];
  /** Whether a hit is one: CRMs match more than was asked for, and search indexes lag. */
  matches?(contact: Contact, filter: ListFilterOf<Filter>): boolean;
}

const email: Condition<string, LookUpByEmails> = {
  input: field(
    string,
    'Email address, compared case-insensitively: in HubSpot with the primary and the additional addresses (not the work email), in Salesforce with the email.',
    { example: 'ada@example.com' },
  ),
  read: (given) => ({ by: 'emails', emails: readEmails([given]) }),
  countLookUps: () => 1,
};

const MAX_EMAILS = 1_000;

const emails: Condition<readonly string[], LookUpByEmails> = {
  input: field(
    listOf(string),
    'Email addresses, at most 1,000: finds contacts that have any of them.',
    { most: MAX_EMAILS },
  ),
  read: (given) => ({ by: 'emails', emails: readEmails(given) }),
  // Not validated yet: GraphQL takes a single value for a list.
  countLookUps: (given) => (Array.isArray(given) ? given.length : 1),
};

const emailDomain: Condition<string, Named<'emailDomain'>> = {
  input: field(
    string,
    'Domain after the @, e.g. `example.com`, compared with the same addresses as `email`.',
    { example: 'example.com' },
  ),
  read(given) {
    const domain = normalizeGiven(given);
    if (domain.length <= MAX_DOMAIN_LENGTH && DOMAIN.test(domain))
      return { by: 'emailDomain', domain };
    throw unprocessable('The filter’s email domain is not a domain name.');
  },
  matches: ({ emailAddresses }, { domain }) =>
    emailAddresses.some(
      ({ emailAddress, emailAddressType }) =>
        emailAddressType !== 'work' &&
        emailAddress.slice(emailAddress.lastIndexOf('@') + 1).toLowerCase() === domain,
    ),
};

const phone: Condition<string, Named<'phone'>> = {
  input: field(
    string,
    'Phone number in any notation, 3 to 20 digits. Finds at most 200 contacts, whose number, other than a fax number, has the same digits without leading zeros, or ends with them or the other way round, if the shorter one has at least 7. They are not counted.',
    { example: '+44 20 7946 0000' },
  ),
  read(given) {
    const digits = given.length <= MAX_PHONE_LENGTH ? toDigits(given) : '';
    if (PHONE.test(given) && digits.length >= 3 && digits.length <= 20)
      return { by: 'phone', text: given.trim(), digits };
    throw unprocessable('The filter’s phone is not a phone number of 3 to 20 digits.');
  },
  countLookUps: () => 1,
  verifiedFields: ['phoneNumbers'],
  matches: ({ phoneNumbers }, { digits }) =>
    phoneNumbers.some(
      ({ phoneNumber, phoneNumberType }) =>
        phoneNumberType !== 'fax' && isSamePhone(toDigits(phoneNumber), digits),
    ),
};

/** Spaces and accents of their own take more characters than the name that they are part of. */
const MAX_GIVEN_LENGTH = 400;

const namePrefix: Condition<string, Named<'namePrefix'>> = {
  input: field(
    string,
    'Beginning of a word of the first or last name, at least 2 characters, e.g. `jo` for John, Mary Jo, Anne-Joe and O’Jones. Spaces, hyphens and apostrophes divide words.',
    { example: 'jo' },
  ),
  read(given) {
    // Normalized whole: a text that is cut first would find more than was asked for.
    const prefix = given.length > MAX_GIVEN_LENGTH ? '' : normalizeName(given).trimStart();
    if (prefix.length >= 2 && prefix.length <= MAX_NAME_LENGTH && !/\p{Cc}|\p{Cs}/u.test(prefix))
      return { by: 'namePrefix', prefix };
    throw unprocessable(
      `The filter’s name prefix must have at least 2 and at most ${MAX_NAME_LENGTH} characters, and no control characters.`,
    );
  },
  isListing: true,
  verifiedFields: ['firstName', 'lastName'],
  matches: ({ firstName, lastName }, { prefix }) =>
    [firstName, lastName].some((name) => hasWordPrefix(normalizeName(name ?? ''), prefix)),
};

const modifiedSince: Condition<string, Named<'modifiedSince'>> = {
  input: field(
    moment,
    'Finds contacts modified at or after this time. Each page says up to which time; pass that time to the next search, and every change is seen at least once. Deleted contacts are not found.',
  ),
  read(given) {
    if (!isRfc3339(given))
      throw unprocessable(
        'The filter’s time of modification is not an RFC 3339 time, such as 2026-01-31T00:00:00Z.',
      );
    return { by: 'modifiedSince', since: Math.max(0, toMilliseconds(given)) };
  },
  isListing: true,
  verifiedFields: ['lastModifiedAt'],
  // One that was modified after the period is found again by the next search.
  matches: ({ lastModifiedAt }, { since }) =>
    lastModifiedAt !== null && Date.parse(lastModifiedAt) >= since,
};

const customFieldFilter = shape(
  'CustomFieldFilter',
  'Condition on one of your application’s custom fields.',
  {
    name: field(string, 'Name of the custom field.', { example: 'favoriteColor' }),
    equals: field(
      string,
      'Value of the custom field, at most 255 characters: a number as `42`, a boolean as `true`, a date as `2026-01-31`. Texts are compared case-insensitively; of several choices, one has to be equal.',
      { example: 'violet' },
    ),
  },
);

const customField: Condition<Of<typeof customFieldFilter>, Named<'customField'>> = {
  input: field(
    customFieldFilter,
    'Custom field of your application and its value. A field by which the CRM cannot filter is `UNPROCESSABLE_ENTITY`.',
  ),
  read({ name, equals }) {
    if (equals.length > MAX_EQUALS_LENGTH)
      throw unprocessable(
        `The filter’s custom field has a value of more than ${MAX_EQUALS_LENGTH} characters.`,
      );
    if (equals.trim() === '') throw unprocessable('The filter’s custom field has an empty value.');
    return { by: 'customField', name, equals };
  },
  isListing: true,
  matches: ({ customFields = {} }, { field: { name, type }, value }) => {
    const found = customFields[name] ?? null;
    if (type === 'TEXT') return fold(found) === fold(value);
    return Array.isArray(found) ? found.includes(value) : found === value;
  },
};

const all: Condition<boolean, Named<'all'>> = {
  input: field(boolean, 'All contacts: only `true` is accepted.'),
  read(given) {
    if (given) return { by: 'all' };
    throw unprocessable(
      'The filter’s "all" can only be true. To filter, omit it and use another condition.',
    );
  },
  isListing: true,
  matches: () => true,
};

/** A new condition of a search is one entry here, and its translation in each adapter. */
const CONDITIONS = {
  email,
  emails,
  emailDomain,
  phone,
  namePrefix,
  modifiedSince,
  customField,
  all,
};

type ConditionName = keyof typeof CONDITIONS;
const CONDITION_NAMES = Object.keys(CONDITIONS) as readonly ConditionName[];

/** The same without their types: which value and which filter belong to which condition. */
const BY_NAME: Readonly<Record<ConditionName, AnyCondition>> = CONDITIONS;

/** The input of a search in all APIs. GraphQL and REST name it. */
export const contactFilter = patch(
  'ContactFilter',
  'Search condition: exactly one of the fields.',
  {},
  // `fromEntries` forgets which name has which type.
  Object.fromEntries(CONDITION_NAMES.map((name) => [name, CONDITIONS[name].input])) as {
    readonly [Name in ConditionName]: (typeof CONDITIONS)[Name]['input'];
  },
);

/** A filter as passed by an API: unchecked. */
export type GivenFilter = {
  readonly [Name in ConditionName]?: Of<typeof contactFilter>[Name] | null;
};

/** Checks a filter: exactly one condition, with a valid value. */
export function readContactFilter(given: GivenFilter): ContactFilter {
  const names = listGiven(given);
  const [name] = names;
  if (name && names.length === 1) return BY_NAME[name].read(given[name]);
  throw new CrossbookError(
    'BAD_REQUEST',
    `The filter must have exactly one condition, such as {"email":"ada@example.com"}, and has ${names.length || 'none'}.`,
  );
}

/** How many people a filter names: 0 if it lists contacts. Unchecked, because costs are estimated first. */
export function countLookUps(given: GivenFilter): number {
  const counts = listGiven(given).map((name) => BY_NAME[name].countLookUps?.(given[name]) ?? 0);
  return Math.max(0, ...counts);
}

function listGiven(given: GivenFilter): readonly ConditionName[] {
  return CONDITION_NAMES.filter((name) => given[name] !== undefined && given[name] !== null);
}

/** Whether a filter lists contacts that the caller does not know yet. */
export function isListing({ by }: ContactFilter): boolean {
  return CONDITIONS[by].isListing === true;
}

/** A unique key of a filter for cursors and the cache. No email or domain starts with a space. */
export function filterCacheKey(filter: ContactFilter): string {
  if (filter.by === 'emails') return filter.emails.join('\n');
  return filter.by === 'emailDomain' ? `@${filter.domain}` : ` ${JSON.stringify(filter)}`;
}

/** The fields to read so that hits can be verified. */
export function verifiedFields({ by }: Pick<ContactFilter, 'by'>): readonly ContactField[] {
  return CONDITIONS[by].verifiedFields ?? [];
}

/** Whether a contact matches, as far as it can be seen. Adapters return no others. */
export function matchesFilter(contact: Contact, filter: ListFilter): boolean {
  const { matches } = BY_NAME[filter.by];
  return matches?.(contact, filter) ?? false;
}

/** The digits of a phone number without leading zeros. */
export function toDigits(phone: string): string {
  return phone.replace(/\D/g, '').replace(/^0+/, '');
}

/** Whether two numbers, as digits, are the same: one may lack the country code. */
export function isSamePhone(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return short === long || (short.length >= MIN_SHARED_DIGITS && long.endsWith(short));
}

/** Fewer digits are a part of too many numbers. */
export const MIN_SHARED_DIGITS = 7;

/** Whether a name, or a word in it, begins so. */
function hasWordPrefix(name: string, prefix: string): boolean {
  for (let at = name.indexOf(prefix); at >= 0; at = name.indexOf(prefix, at + 1))
    if (at === 0 || WORD_DIVIDERS.includes(name.charAt(at - 1))) return true;
  return false;
}

/** The value of a custom field that a filter gives as text. */
export function readFilterValue(type: SourcedField['type'], equals: string): FilterValue {
  const value = readCustomFieldValue(type === 'CHOICES' ? 'CHOICE' : type, equals);
  if (value !== undefined && value !== null && typeof value !== 'object') return value;
  throw unprocessable(`The filter’s custom field has a value that is not a valid ${type}.`);
}

/** The error for a filter that the account cannot answer, because of one of the CRM's fields. */
export class NotFilterableError extends CrossbookError {
  /** Without a name: the field is not the source of a custom field. */
  constructor({ name, source }: { readonly name?: string; readonly source: string }) {
    super(
      'UNPROCESSABLE_ENTITY',
      name === undefined
        ? `This account cannot be searched by the filter: the CRM’s field ${source} is hidden from the connected user, or the CRM cannot filter by it.`
        : `The CRM cannot filter by the custom field "${name}", which is read from ${source}.`,
    );
  }
}

function readEmails(given: readonly string[]): readonly string[] {
  if (given.length > MAX_EMAILS) {
    throw new CrossbookError(
      'BAD_REQUEST',
      `The filter takes at most ${MAX_EMAILS} emails, but has ${given.length}.`,
    );
  }
  const found = new Set<string>();
  for (const [index, text] of given.entries()) {
    const email = readEmail(text);
    if (email === undefined) {
      const which = given.length === 1 ? 'The filter’s email' : `Email ${index + 1} of the filter`;
      throw unprocessable(`${which} is not an email address.`);
    }
    found.add(email);
  }
  // Sorted: the order in which they are given changes neither the result nor its cursors and cache entries.
  return [...found].sort();
}

/** Names are compared without case, and with single spaces. */
function normalizeName(name: string): string {
  return name.normalize('NFC').toLowerCase().replace(SPACES, ' ');
}

const SPACES = /[ \u00a0\u3000]+/g;

/** A word of a name begins after one of these. Adapters search by the same list. */
export const WORD_DIVIDERS: readonly string[] = [
  ' ',
  '\u00a0',
  '\u3000',
  '-',
  '\u2010',
  '\u2011',
  "'",
  '\u2019',
];

function fold(value: CustomFieldValue): CustomFieldValue {
  return typeof value === 'string' ? value.trim().toLowerCase() : value;
}

/** Rounded up: a contact's time has no more than milliseconds, and one before the given time is no hit. */
function toMilliseconds(time: string): number {
  return Date.parse(time) + (/\.\d{3}\d*[1-9]/.test(time) ? 1 : 0);
}

function unprocessable(detail: string): CrossbookError {
  return new CrossbookError('UNPROCESSABLE_ENTITY', detail);
}

const MAX_DOMAIN_LENGTH = 253;
const DOMAIN =
  /^[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?(\.[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?)+$/u;
const MAX_PHONE_LENGTH = 50;
const PHONE = /^[\d\s+()./\-‐-–]+$/;
const MAX_NAME_LENGTH = 100;
const MAX_EQUALS_LENGTH = 255;

/** Checked and canonical. Emails are normalized, unique and sorted. */
export type ContactFilter =
  | LookUpByEmails
  | { readonly by: 'phone'; readonly text: string; readonly digits: string }
  | { readonly by: 'emailDomain'; readonly domain: string }
  | { readonly by: 'namePrefix'; readonly prefix: string }
  /** Milliseconds since 1970. */
  | { readonly by: 'modifiedSince'; readonly since: number }
  | { readonly by: 'customField'; readonly name: string; readonly equals: string }
  | { readonly by: 'all' };

interface LookUpByEmails {
  readonly by: 'emails';
  readonly emails: readonly string[];
}

export type PhoneFilter = Named<'phone'>;

/** A filter by which a CRM's contacts are listed, as adapters get it. */
export type ListFilter =
  | PhoneFilter
  | Named<'emailDomain'>
  | Named<'namePrefix'>
  | ModifiedFilter
  | CustomFieldFilter
  | Named<'all'>;

/** Both ends belong to the period. */
export type ModifiedFilter = Named<'modifiedSince'> & { readonly until: number };

export interface CustomFieldFilter {
  readonly by: 'customField';
  readonly field: SourcedField;
  readonly value: FilterValue;
  /** The type of the CRM's field. Undefined: not known, as for fields of related records. */
  readonly sourceType: ProviderFieldType | undefined;
}

export type FilterValue = string | number | boolean;

type Named<By extends ContactFilter['by']> = Extract<ContactFilter, { readonly by: By }>;
type ListFilterOf<Filter extends ContactFilter> = Extract<
  ListFilter,
  { readonly by: Filter['by'] }
>;

interface AnyCondition {
  read(given: unknown): ContactFilter;
  countLookUps?(given: unknown): number;
  matches?(contact: Contact, filter: ListFilter): boolean;
}
