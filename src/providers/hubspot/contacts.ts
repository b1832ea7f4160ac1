import { readCustomFieldValues } from '../../domain/custom-field-values.ts';
import { normalizeEmail } from '../../domain/email.ts';
import {
  type Address,
  CONTACT,
  type Contact,
  type ContactField,
  type EmailAddress,
  type EmailAddressType,
  LIFECYCLE_STAGES,
  type LifecycleStage,
  type PhoneNumber,
  type PhoneNumberType,
} from '../../domain/records/contact.ts';
import { contactFilters } from '../../domain/records/contact-filter.ts';
import { type RecordOrigin, toRawData } from '../../domain/records/record.ts';
import type { FieldSelection } from '../../domain/records/record-search.ts';
import { isRecord } from '../../lib/json.ts';
import { splitStreet, toText, toTimestamp } from '../../lib/text.ts';
import {
  type HubSpotObject,
  MERGED_IDS,
  type Properties,
  propertiesOf,
  splitList,
} from './object.ts';

/** Maps a HubSpot record to the common shape. */
function toContact(
  record: unknown,
  source: RecordOrigin,
  { rawData, customFields }: FieldSelection,
): Contact | undefined {
  if (!isRecord(record)) return undefined;
  const remoteId = toText(record['id']);
  if (remoteId === null) return undefined;
  const properties = propertiesOf(record);
  const modifiedAt = toTimestamp(properties['lastmodifieddate']);
  const updatedAt = toTimestamp(record['updatedAt']) ?? modifiedAt;
  return {
    source,
    remoteId,
    // Always the primary company, which HubSpot itself maintains in this property.
    accountId: toText(properties['associatedcompanyid']),
    ownerId: toText(properties['hubspot_owner_id']),
    firstName: toText(properties['firstname']),
    lastName: toText(properties['lastname']),
    addresses: toAddresses(properties),
    emailAddresses: toEmailAddresses(properties),
    phoneNumbers: toPhoneNumbers(properties),
    lifecycleStage: toLifecycleStage(toText(properties['lifecyclestage'])),
    lastActivityAt: toTimestamp(properties['notes_last_updated']),
    createdAt: toTimestamp(record['createdAt']) ?? toTimestamp(properties['createdate']),
    updatedAt,
    lastModifiedAt: modifiedAt ?? updatedAt,
    isDeleted: record['archived'] === true,
    rawData: rawData ? toRawData(record) : null,
    ...(customFields && {
      customFields: readCustomFieldValues(customFields, remoteId, (source) => properties[source]),
    }),
  };
}

/** The properties that each contact field is made of. HubSpot sends only requested properties. */
const PROPERTIES_OF: Readonly<Record<ContactField, readonly string[]>> = {
  accountId: ['associatedcompanyid'],
  ownerId: ['hubspot_owner_id'],
  firstName: ['firstname'],
  lastName: ['lastname'],
  addresses: ['address', 'city', 'state', 'zip', 'country'],
  emailAddresses: ['email', 'work_email', 'hs_additional_emails'],
  phoneNumbers: ['phone', 'mobilephone', 'fax'],
  lifecycleStage: ['lifecyclestage'],
  lastActivityAt: ['notes_last_updated'],
  createdAt: ['createdate'],
  updatedAt: ['lastmodifieddate'],
  lastModifiedAt: ['lastmodifieddate'],
  isDeleted: [],
};

export const CONTACT_OBJECT: HubSpotObject<Contact> = {
  kind: CONTACT,
  filters: contactFilters,
  name: 'contacts',
  properties: PROPERTIES_OF,
  nameProperties: ['firstname', 'lastname'],
  keys: ['email', 'hs_additional_emails', 'hs_object_id'],
  modified: 'lastmodifieddate',
  mergedIds: [MERGED_IDS, 'hs_calculated_merged_vids'],
  toRecord: toContact,
};

/**
 * The email addresses that HubSpot matches. The work email is not one of them: counting it would make results depend
 * on the other look-ups of the batch.
 */
export function toLookupEmails(record: unknown): Iterable<string> {
  const properties = propertiesOf(record);
  const email = toText(properties['email']);
  const others = toText(properties['hs_additional_emails']);
  if (others === null) return email === null ? NONE : [normalizeEmail(email)];
  const addresses = [email ?? '', ...splitList(others)].map(normalizeEmail);
  return new Set(addresses.filter((address) => address !== ''));
}

export function toAddresses(properties: Properties): readonly Address[] {
  const [street1, street2] = splitStreet(toText(properties['address']));
  const city = toText(properties['city']);
  const state = toText(properties['state']);
  const postalCode = toText(properties['zip']);
  const country = toText(properties['country']);
  if ((street1 ?? city ?? state ?? postalCode ?? country) === null) return NONE;
  return [{ addressType: 'primary', street1, street2, city, state, postalCode, country }];
}

function toEmailAddresses(properties: Properties): readonly EmailAddress[] {
  const primary = toText(properties['email']);
  const work = toText(properties['work_email']);
  const others = toText(properties['hs_additional_emails']);
  const known = compact(
    toEmailAddress(primary, 'primary'),
    isSame(primary, work) ? null : toEmailAddress(work, 'work'),
    null,
  );
  return others === null ? known : withOthers(known, splitList(others));
}

function withOthers(
  known: readonly EmailAddress[],
  others: readonly string[],
): readonly EmailAddress[] {
  const found = [...known];
  for (const other of others) {
    const emailAddress = other.trim();
    if (emailAddress && !found.some((one) => isSame(one.emailAddress, emailAddress)))
      found.push({ emailAddress, emailAddressType: 'other' });
  }
  return found;
}

function toEmailAddress(
  emailAddress: string | null,
  emailAddressType: EmailAddressType,
): EmailAddress | null {
  return emailAddress === null ? null : { emailAddress, emailAddressType };
}

function isSame(one: string | null, other: string | null): boolean {
  if (one === null || other === null || one.length !== other.length) return false;
  return normalizeEmail(one) === normalizeEmail(other);
}

function toPhoneNumbers(properties: Properties): readonly PhoneNumber[] {
  return compact(
    toPhoneNumber(toText(properties['phone']), 'primary'),
    toPhoneNumber(toText(properties['mobilephone']), 'mobile'),
    toPhoneNumber(toText(properties['fax']), 'fax'),
  );
}

export function toPhoneNumber(
  phoneNumber: string | null,
  phoneNumberType: PhoneNumberType,
): PhoneNumber | null {
  return phoneNumber === null ? null : { phoneNumber, phoneNumberType };
}

/** Custom stages of a portal have numbers as names. */
export function toLifecycleStage(stage: string | null): LifecycleStage | null {
  if (stage === null) return null;
  return STAGES.get(stage.toLowerCase()) ?? 'other';
}

const STAGES: ReadonlyMap<string, LifecycleStage> = new Map(
  LIFECYCLE_STAGES.map((stage) => [stage, stage]),
);
const NONE: readonly never[] = [];

/** The non-null items, in an array of exact size: a growing array would allocate 17 slots. */
export function compact<Item>(a: Item | null, b: Item | null, c: Item | null): readonly Item[] {
  if (c !== null) {
    if (b !== null) return a === null ? [b, c] : [a, b, c];
    return a === null ? [c] : [a, c];
  }
  if (b !== null) return a === null ? [b] : [a, b];
  return a === null ? NONE : [a];
}
