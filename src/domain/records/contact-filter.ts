import { normalizeGiven, readEmail } from '../email.ts';
import { CrossbookError } from '../errors.ts';
import { field, listOf, string } from '../shape.ts';
import {
  all,
  type Condition,
  customField,
  declareFilter,
  type LookUpByEmails,
  modifiedSince,
  type Named,
  unprocessable,
} from './conditions.ts';
import { CONTACT, type Contact } from './contact.ts';

const email: Condition<string, LookUpByEmails, Contact> = {
  input: field(
    string,
    'Email address, compared case-insensitively: in HubSpot with the primary and the additional addresses (not the work email), in Salesforce with the email.',
    { example: 'ada@example.com' },
  ),
  read: (given) => ({ by: 'emails', emails: readEmails([given]) }),
  countLookUps: () => 1,
};

const MAX_EMAILS = 1_000;

const emails: Condition<readonly string[], LookUpByEmails, Contact> = {
  input: field(
    listOf(string),
    'Email addresses, at most 1,000: finds contacts that have any of them.',
    { most: MAX_EMAILS },
  ),
  read: (given) => ({ by: 'emails', emails: readEmails(given) }),
  // Not validated yet: GraphQL takes a single value for a list.
  countLookUps: (given) => (Array.isArray(given) ? given.length : 1),
};

const emailDomain: Condition<string, Named<'emailDomain'>, Contact> = {
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

const phone: Condition<string, Named<'phone'>, Contact> = {
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

const namePrefix: Condition<string, Named<'namePrefix'>, Contact> = {
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

export const CONTACTS = declareFilter(
  CONTACT,
  { name: 'ContactFilter', example: '{"email":"ada@example.com"}' },
  {
    email,
    emails,
    emailDomain,
    phone,
    namePrefix,
    modifiedSince: modifiedSince('contacts'),
    customField,
    all: all('contacts'),
  },
);

export const contactFilters = CONTACTS.filters;

/** A filter as passed by an API: unchecked. */
export type GivenContactFilter = Parameters<typeof contactFilters.read>[0];

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

const MAX_DOMAIN_LENGTH = 253;
const DOMAIN =
  /^[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?(\.[\p{L}\p{N}]([\p{L}\p{N}-]*[\p{L}\p{N}])?)+$/u;
const MAX_PHONE_LENGTH = 50;
const PHONE = /^[\d\s+()./\-‐-–]+$/;
const MAX_NAME_LENGTH = 100;
