import { readCustomFieldValues } from '../../domain/custom-field-values.ts';
import { normalizeEmail } from '../../domain/email.ts';
import {
  type Address,
  type AddressType,
  CONTACT,
  type Contact,
  type ContactField,
  type EmailAddress,
  type PhoneNumber,
  type PhoneNumberType,
} from '../../domain/records/contact.ts';
import { contactFilters } from '../../domain/records/contact-filter.ts';
import { type RecordOrigin, toRawData } from '../../domain/records/record.ts';
import type { FieldSelection } from '../../domain/records/record-search.ts';
import { isRecord } from '../../lib/json.ts';
import { splitStreet, toText } from '../../lib/text.ts';
import { type SalesforceObject, toTime } from './object.ts';
import type { Row } from './query.ts';
import { CONTACT as CONTACT_NAME, fieldName } from './soql.ts';

/** Maps a row to the common shape. */
function toContact(
  row: Row,
  source: RecordOrigin,
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
    phoneNumbers: toPhoneNumbers(row, PHONES),
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
export function readField(row: Row, source: string): unknown {
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

export function addAddress(addresses: Address[], addressType: AddressType, value: unknown): void {
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

export function toPhoneNumbers(
  row: Row,
  phones: readonly (readonly [field: string, type: PhoneNumberType])[],
): readonly PhoneNumber[] {
  const numbers: PhoneNumber[] = [];
  for (const [field, phoneNumberType] of phones) {
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

export const EMAIL = fieldName('Email');

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

export const CONTACT_OBJECT: SalesforceObject<Contact> = {
  kind: CONTACT,
  filters: contactFilters,
  name: CONTACT_NAME,
  idPrefix: '003',
  isMergeable: true,
  names: NAMES_OF,
  nameFields: ['FirstName', 'LastName'].map(fieldName),
  keys: [EMAIL],
  otherStandardFields: [
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
  ],
  toRecord: toContact,
};
