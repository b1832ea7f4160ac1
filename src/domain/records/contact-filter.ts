import { withNotes } from '../../provider-texts.ts';
import { readEmail } from '../email.ts';
import { field, listOf, string } from '../shape.ts';
import {
  all,
  type Condition,
  customField,
  declareFilter,
  type LookUpByEmails,
  modifiedSince,
  type Named,
  namePrefix,
  readDomain,
  readKeys,
  unprocessable,
} from './conditions.ts';
import { CONTACT, type Contact } from './contact.ts';

const email: Condition<string, LookUpByEmails, Contact> = {
  input: field(string, withNotes('Email address, compared case-insensitively.', 'contact.email'), {
    example: 'ada@example.com',
  }),
  read: (value) => ({ by: 'emails', emails: readEmails([value]) }),
  countLookUps: () => 1,
};

const MAX_EMAILS = 1_000;

const emails: Condition<readonly string[], LookUpByEmails, Contact> = {
  input: field(
    listOf(string),
    'Email addresses, at most 1,000: finds contacts that have any of them.',
    { most: MAX_EMAILS },
  ),
  read: (value) => ({ by: 'emails', emails: readEmails(value) }),
  // Not validated yet: GraphQL takes a single value for a list.
  countLookUps: (value) => (Array.isArray(value) ? value.length : 1),
};

const emailDomain: Condition<string, Named<'emailDomain'>, Contact> = {
  input: field(
    string,
    'Domain after the @, e.g. `example.com`, compared with the same addresses as `email`.',
    { example: 'example.com' },
  ),
  read(value) {
    const domain = readDomain(value);
    if (domain !== undefined) return { by: 'emailDomain', domain };
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
  read(value) {
    const digits = value.length <= MAX_PHONE_LENGTH ? toDigits(value) : '';
    if (PHONE.test(value) && digits.length >= 3 && digits.length <= 20)
      return { by: 'phone', text: value.trim(), digits };
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

export const CONTACTS = declareFilter(
  CONTACT,
  { name: 'ContactFilter', example: '{"email":"ada@example.com"}' },
  {
    email,
    emails,
    emailDomain,
    phone,
    namePrefix: namePrefix<Contact>(
      'Beginning of a word of the first or last name, at least 2 characters, e.g. `jo` for John, Mary Jo, Anne-Joe and O’Jones. Spaces, hyphens and apostrophes divide words. The first and the last name are compared separately: for Ada Lovelace pass `lovelace`, not both names.',
      ['firstName', 'lastName'],
    ),
    modifiedSince: modifiedSince('contacts'),
    customField,
    all: all('contacts'),
  },
);

export const contactFilters = CONTACTS.filters;

/** A filter as passed by an API: unchecked. */
export type ContactFilterInput = Parameters<typeof contactFilters.read>[0];

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

const EMAIL_LIST = {
  noun: 'email',
  nouns: 'emails',
  kind: 'an email address',
  max: MAX_EMAILS,
  read: readEmail,
};

function readEmails(emails: readonly string[]): readonly string[] {
  return readKeys(emails, EMAIL_LIST);
}

const MAX_PHONE_LENGTH = 50;
const PHONE = /^[\d\s+()./\-‐-–]+$/;
