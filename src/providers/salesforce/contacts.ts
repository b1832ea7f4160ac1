import type { FieldMapping } from '../../domain/connection.ts';
import {
  type Address,
  type AddressType,
  CONTACT_FIELDS,
  type Contact,
  type ContactField,
  type ContactOrigin,
  type EmailAddress,
  type PhoneNumber,
} from '../../domain/contact.ts';
import { type FieldSelection, readSelectedFields } from '../../domain/contact-search.ts';
import { isRecord } from '../../lib/json.ts';
import { splitStreet, toText, toTimestamp } from '../../lib/text.ts';
import { type FieldName, fieldName, isFieldName } from './soql.ts';

/** One pass over a row, whatever is in it: a dirty value is a missing one, never a failure. */
export function toContact(row: Row, { source, rawData }: Options): Contact {
  const modifiedAt = toTime(row['LastModifiedDate']);
  return {
    source,
    remoteId: toText(row['Id']) ?? '',
    accountId: toText(row['AccountId']),
    ownerId: toText(row['OwnerId']),
    firstName: toText(row['FirstName']),
    lastName: toText(row['LastName']),
    addresses: toAddresses(row),
    emailAddresses: toEmailAddresses(row['Email']),
    phoneNumbers: toPhoneNumbers(row),
    // Leads have a status in Salesforce, contacts have no stage.
    lifecycleStage: null,
    lastActivityAt: toTime(row['LastActivityDate']),
    createdAt: toTime(row['CreatedDate']),
    updatedAt: modifiedAt,
    // What automation changes moves the stamp alone.
    lastModifiedAt: toTime(row['SystemModstamp']) ?? modifiedAt,
    isDeleted: row['IsDeleted'] === true,
    rawData: rawData ? row : null,
  };
}

function toAddresses(row: Row): readonly Address[] {
  const addresses: Address[] = [];
  addAddress(addresses, 'mailing', row['MailingAddress']);
  addAddress(addresses, 'other', row['OtherAddress']);
  return addresses;
}

function addAddress(addresses: Address[], addressType: AddressType, value: unknown): void {
  if (!isRecord(value)) return;
  const [street1, street2] = splitStreet(toText(value['street']));
  const city = toText(value['city']);
  const state = toText(value['state']);
  const postalCode = toText(value['postalCode']);
  const country = toText(value['country']);
  // An address that was cleared comes as an object of nothing but nulls.
  if ((street1 ?? city ?? state ?? postalCode ?? country) === null) return;
  addresses.push({ addressType, street1, street2, city, state, postalCode, country });
}

function toEmailAddresses(value: unknown): readonly EmailAddress[] {
  const email = toText(value);
  return email === null ? [] : [{ emailAddress: email, emailAddressType: 'primary' }];
}

function toPhoneNumbers(row: Row): readonly PhoneNumber[] {
  const numbers: PhoneNumber[] = [];
  for (const [field, phoneNumberType] of PHONES) {
    const phoneNumber = toText(row[field]);
    if (phoneNumber !== null) numbers.push({ phoneNumber, phoneNumberType });
  }
  return numbers;
}

const PHONES = [
  ['Phone', 'primary'],
  ['MobilePhone', 'mobile'],
  ['Fax', 'fax'],
  ['HomePhone', 'other'],
  ['OtherPhone', 'other'],
  ['AssistantPhone', 'other'],
] as const;

export const ID = fieldName('Id');
export const EMAIL = fieldName('Email');
export const IS_DELETED = fieldName('IsDeleted');
export const MASTER_RECORD_ID = fieldName('MasterRecordId');

/**
 * What is selected: all that is wanted and, for raw data, what the connection maps, without what is hidden. Hidden names are in
 * lower case.
 */
export function selectFields(
  { selection, also, mappings }: Wanted,
  hidden: ReadonlySet<string>,
): readonly FieldName[] {
  const fields = readSelectedFields(selection);
  if (fields) return unique([...toNames(fields), ...also], hidden);
  const mapped = selection.rawData ? mappings.map(({ mappedField }) => mappedField) : [];
  return unique([...DEFAULT_FIELDS, ...mapped.filter(isFieldName), ...also], hidden);
}

/** Field names are case-insensitive, and selecting one twice is an error. */
function unique(names: readonly FieldName[], hidden: ReadonlySet<string>): readonly FieldName[] {
  const byName = new Map<string, FieldName>();
  for (const name of names) {
    const key = name.toLowerCase();
    if (!byName.has(key) && !hidden.has(key)) byName.set(key, name);
  }
  return [...byName.values()];
}

function toNames(fields: Iterable<ContactField>): readonly FieldName[] {
  return [ID, EMAIL, ...[...fields].flatMap((field) => NAMES_OF[field]).map(fieldName)];
}

/** What each field of a contact is made of. The addresses are compounds: one field each instead of five. */
const NAMES_OF: Readonly<Record<ContactField, readonly string[]>> = {
  accountId: ['AccountId'],
  ownerId: ['OwnerId'],
  firstName: ['FirstName'],
  lastName: ['LastName'],
  emailAddresses: [],
  phoneNumbers: PHONES.map(([field]) => field),
  addresses: ['MailingAddress', 'OtherAddress'],
  // Leads have a status in Salesforce, contacts have no stage.
  lifecycleStage: [],
  lastActivityAt: ['LastActivityDate'],
  createdAt: ['CreatedDate'],
  updatedAt: ['LastModifiedDate'],
  lastModifiedAt: ['SystemModstamp', 'LastModifiedDate'],
  isDeleted: ['IsDeleted'],
};

/** No org can hide these: where one is missing, something else is wrong. */
const SYSTEM_FIELDS = new Set(['createddate', 'lastmodifieddate', 'systemmodstamp', 'isdeleted']);

const DEFAULT_FIELDS: readonly FieldName[] = unique(toNames(CONTACT_FIELDS), new Set());
/** Contacts can be read without these; in lower case. */
export const HIDEABLE_FIELDS: ReadonlySet<string> = new Set(
  [...DEFAULT_FIELDS, MASTER_RECORD_ID]
    .filter((name) => name !== ID && name !== EMAIL)
    .map((name) => name.toLowerCase())
    .filter((name) => !SYSTEM_FIELDS.has(name)),
);

/**
 * A page has thousands of times, nearly all of them `2021-12-02T18:22:42.000+0000`: those only need another ending, at
 * a fiftieth of the price of a date. Everything else, days that not every month has too, is read with care.
 */
export function toTime(value: unknown): string | null {
  return typeof value === 'string' && UTC_TIMESTAMP.test(value)
    ? `${value.slice(0, -5)}Z`
    : toTimestamp(value);
}

const UTC_TIMESTAMP =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}\+0000$/;

type Row = Readonly<Record<string, unknown>>;

interface Options {
  /** One object for all contacts of a search. */
  readonly source: ContactOrigin;
  readonly rawData: boolean;
}

interface Wanted {
  readonly selection: FieldSelection;
  /** Fields that are selected whatever is wanted. */
  readonly also: readonly FieldName[];
  readonly mappings: readonly FieldMapping[];
}
