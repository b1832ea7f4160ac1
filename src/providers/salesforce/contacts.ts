import type {
  Address,
  AddressType,
  Contact,
  ContactOrigin,
  EmailAddress,
  PhoneNumber,
} from '../../domain/contact.ts';
import { isRecord } from '../../lib/parse-json.ts';
import { splitStreet } from '../../lib/split-street.ts';
import { trimmed } from '../../lib/trimmed.ts';
import { toTime } from './wire-time.ts';

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

/** Trimmed; null for what is no text, and for text that says nothing. */
function toText(value: unknown): string | null {
  if (typeof value === 'string') return trimmed(value) || null;
  return typeof value === 'number' ? String(value) : null;
}

const PHONES = [
  ['Phone', 'primary'],
  ['MobilePhone', 'mobile'],
  ['Fax', 'fax'],
  ['HomePhone', 'other'],
  ['OtherPhone', 'other'],
  ['AssistantPhone', 'other'],
] as const;

type Row = Readonly<Record<string, unknown>>;

interface Options {
  /** One object for all contacts of a search. */
  readonly source: ContactOrigin;
  readonly rawData: boolean;
}
