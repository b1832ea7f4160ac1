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
  toRawData,
} from '../../domain/contact.ts';
import { type FieldSelection, readSelectedFields } from '../../domain/contact-search.ts';
import { readCustomFieldValues } from '../../domain/custom-field-values.ts';
import { normalizeEmail } from '../../domain/email.ts';
import { isRecord } from '../../lib/json.ts';
import { splitStreet, toText, toTimestamp } from '../../lib/text.ts';
import { type FieldName, fieldName, isFieldName } from './soql.ts';

/**
 * Maps a row in one pass. Invalid values count as missing; only raw data beyond its limits throws. All contacts of a
 * search share `source`.
 */
export function toContact(
  row: Row,
  source: ContactOrigin,
  { rawData, customFields }: FieldSelection,
): Contact {
  const remoteId = toText(row['Id']) ?? '';
  const modifiedAt = toTime(row['LastModifiedDate']);
  return {
    source,
    remoteId,
    accountId: toText(row['AccountId']),
    ownerId: toText(row['OwnerId']),
    firstName: toText(row['FirstName']),
    lastName: toText(row['LastName']),
    addresses: toAddresses(row),
    emailAddresses: toEmailAddresses(row['Email']),
    phoneNumbers: toPhoneNumbers(row),
    // In Salesforce only leads have a status; contacts have no stage.
    lifecycleStage: null,
    lastActivityAt: toTime(row['LastActivityDate']),
    createdAt: toTime(row['CreatedDate']),
    updatedAt: modifiedAt,
    // Changes by automation update only SystemModstamp.
    lastModifiedAt: toTime(row['SystemModstamp']) ?? modifiedAt,
    isDeleted: row['IsDeleted'] === true,
    rawData: rawData ? toRawData(row) : null,
    ...(customFields && {
      customFields: readCustomFieldValues(customFields, remoteId, (name) => readField(row, name)),
    }),
  };
}

/** The email by which a look-up finds the contact, normalized for comparison; empty if missing. */
export function toLookupEmail(row: Row): string {
  const email = row['Email'];
  return typeof email === 'string' ? normalizeEmail(email) : '';
}

/** A field of a row or of a related record. A source may have another case than the field, which rows name as it is. */
function readField(row: Row, source: string): unknown {
  return source
    .split('.')
    .reduce<unknown>((from, name) => (isRecord(from) ? readCaseless(from, name) : null), row);
}

function readCaseless(row: Row, name: string): unknown {
  if (Object.hasOwn(row, name)) return row[name];
  const key = Object.keys(row).find((one) => one.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : row[key];
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
  // A cleared address is an object of nulls.
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
const IS_DELETED = fieldName('IsDeleted');
const MASTER_RECORD_ID = fieldName('MasterRecordId');

/**
 * The fields of the SELECT: the selection, sources of custom fields and, for raw data, mapped fields, without hidden ones.
 * Hidden names are in lower case.
 */
export function selectFields(
  { selection, includesDeleted }: Wanted,
  mappings: readonly FieldMapping[],
  hidden: ReadonlySet<string>,
): readonly FieldName[] {
  const fields = readSelectedFields(selection) ?? CONTACT_FIELDS;
  const merged = includesDeleted ? [IS_DELETED, MASTER_RECORD_ID] : [];
  return unique(
    [...toNames(fields), ...selectOptionalFields(selection, mappings), ...merged],
    hidden,
  );
}

/** The fields that an org may lack: sources of custom fields and, for raw data, fields that were mapped or asked for. */
export function selectOptionalFields(
  { customFields, rawData, rawFields = [] }: FieldSelection,
  mappings: readonly FieldMapping[],
): readonly FieldName[] {
  const sources = customFields?.fields.map(({ source }) => source) ?? [];
  const raw = rawData
    ? [...mappings.map(({ mappedField }) => mappedField.trim()), ...rawFields]
    : [];
  return [...sources, ...raw].filter(isFieldName);
}

/** Removes duplicates, which are an error; field names are case-insensitive. */
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

/** The Salesforce fields of each contact field. Addresses are compound fields: one field each instead of five. */
const NAMES_OF: Readonly<Record<ContactField, readonly string[]>> = {
  accountId: ['AccountId'],
  ownerId: ['OwnerId'],
  firstName: ['FirstName'],
  lastName: ['LastName'],
  emailAddresses: [],
  phoneNumbers: PHONES.map(([field]) => field),
  addresses: ['MailingAddress', 'OtherAddress'],
  // In Salesforce only leads have a status; contacts have no stage.
  lifecycleStage: [],
  lastActivityAt: ['LastActivityDate'],
  createdAt: ['CreatedDate'],
  updatedAt: ['LastModifiedDate'],
  lastModifiedAt: ['SystemModstamp', 'LastModifiedDate'],
  isDeleted: ['IsDeleted'],
};

/** No org can hide these: if one is missing the cause is another. */
const NEVER_HIDDEN: ReadonlySet<string> = new Set([
  'Id',
  'CreatedDate',
  'LastModifiedDate',
  'SystemModstamp',
  'IsDeleted',
]);

/** Fields that may be hidden from the connected user; in lower case. */
export const HIDEABLE_FIELDS: ReadonlySet<string> = new Set(
  [...toNames(CONTACT_FIELDS), MASTER_RECORD_ID]
    .filter((name) => !NEVER_HIDDEN.has(name))
    .map((name) => name.toLowerCase()),
);

/** Standard fields that every org has, besides those that contacts are made of. */
const OTHER_STANDARD_FIELDS = [
  'assistantname',
  'birthdate',
  'department',
  'description',
  'leadsource',
  'mailingcity',
  'mailingcountry',
  'mailingpostalcode',
  'mailingstate',
  'mailingstreet',
  'reportstoid',
  'salutation',
  'title',
];

export function isStandardField(name: string): boolean {
  const key = name.toLowerCase();
  return HIDEABLE_FIELDS.has(key) || OTHER_STANDARD_FIELDS.includes(key);
}

/**
 * The fast path: nearly all of a page's thousands of timestamps look like `2021-12-02T18:22:42.000+0000` and need
 * only another suffix, at a fiftieth of the cost of a `Date`. All others, including days above 28, are parsed.
 */
export function toTime(value: unknown): string | null {
  return typeof value === 'string' && UTC_TIMESTAMP.test(value)
    ? `${value.slice(0, -5)}Z`
    : toTimestamp(value);
}

const UTC_TIMESTAMP =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}\+0000$/;

type Row = Readonly<Record<string, unknown>>;

export interface Wanted {
  readonly selection: FieldSelection;
  /** Deleted contacts too, such as those that were merged into another one, with the id of the other. */
  readonly includesDeleted?: boolean;
}
