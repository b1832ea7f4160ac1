import { type Connection, findFieldMappings } from '../../domain/connection.ts';
import {
  type Address,
  CONTACT_FIELDS,
  type Contact,
  type ContactField,
  type ContactOrigin,
  type EmailAddress,
  type EmailAddressType,
  LIFECYCLE_STAGES,
  type LifecycleStage,
  type PhoneNumber,
  type PhoneNumberType,
  toRawData,
} from '../../domain/contact.ts';
import {
  type FieldSelection,
  readSelectedFields,
  type SelectedFields,
} from '../../domain/contact-search.ts';
import { readCustomFieldValues } from '../../domain/custom-field-values.ts';
import { isContactObject } from '../../domain/custom-fields.ts';
import { normalizeEmail } from '../../domain/email.ts';
import { isRecord } from '../../lib/json.ts';
import { splitStreet, toText, toTimestamp } from '../../lib/text.ts';

/**
 * Maps a HubSpot record to the common shape. Undefined if it is no record. Throws only for raw data beyond its
 * limits, whatever the response holds.
 */
export function toContact(
  record: unknown,
  source: ContactOrigin,
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

/** The properties to request: also those of custom fields and, with raw data, those that were mapped or asked for. */
export function propertiesFor(
  connection: Connection,
  selection: FieldSelection,
): readonly string[] {
  const common = commonPropertiesFor(connection, selection);
  const sources = selection.customFields?.fields.map(({ source }) => source) ?? NONE;
  return sources.length > 0 ? [...new Set([...common, ...sources])] : common;
}

function commonPropertiesFor(connection: Connection, selection: FieldSelection): readonly string[] {
  const fields = readSelectedFields(selection);
  if (fields) return toProperties(fields);
  if (!selection.rawData) return EVERY_PROPERTY;
  const mapped = withMappedProperties(connection);
  return selection.rawFields ? [...new Set([...mapped, ...selection.rawFields])] : mapped;
}

function toProperties(fields: SelectedFields): readonly string[] {
  const known = remembered.get(fields);
  if (known) return known;
  const properties = new Set(KEYS);
  for (const field of fields) for (const property of PROPERTIES_OF[field]) properties.add(property);
  const names = [...properties];
  remembered.set(fields, names);
  return names;
}

function withMappedProperties(connection: Connection): readonly string[] {
  const mappings = findFieldMappings(connection, isContactObject);
  const mapped = mappings
    .map(({ mappedField }) => mappedField.trim())
    .filter((field) => field !== '');
  return [...new Set([...EVERY_PROPERTY, ...mapped])];
}

/** The properties that HubSpot matches, requested so that hits can be verified. */
const KEYS = ['email', 'hs_additional_emails', 'hs_object_id'];

const remembered = new WeakMap<SelectedFields, readonly string[]>();

const EVERY_PROPERTY = toProperties(new Set(CONTACT_FIELDS));

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

/**
 * The ids of contacts that were merged into this one, under which HubSpot also returns it. Portals have both properties,
 * of which the second has the time of each merge (`501:1700000000000`); a portal that shows neither has no old ids.
 */
export function toMergedIds(record: unknown): readonly string[] {
  const properties = propertiesOf(record);
  return CONTACT_MERGED_IDS.flatMap((name) => splitList(toText(properties[name]) ?? '')).map(
    (id) => id.split(':', 1)[0] ?? '',
  );
}

/** The properties of a record: null if never set, empty if cleared, missing if the portal lacks it. */
export function propertiesOf(record: unknown): Readonly<Record<string, unknown>> {
  return isRecord(record) && isRecord(record['properties']) ? record['properties'] : NOTHING;
}

/** Of every object. Must be requested like any other property. */
export const MERGED_IDS = 'hs_merged_object_ids';
/** Of contacts. */
export const CONTACT_MERGED_IDS = [MERGED_IDS, 'hs_calculated_merged_vids'];

/** Whether it is a valid record id; HubSpot rejects a whole batch for an invalid one. */
export function isRecordId(id: string): boolean {
  return /^[1-9]\d{0,18}$/.test(id);
}

/** Compares ids numerically as strings, because they may exceed exact integers: the longer is the larger. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

function toAddresses(properties: Properties): readonly Address[] {
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

/** A property with several values. HubSpot merges at most 250 contacts into one. */
function splitList(text: string): readonly string[] {
  return text.split(';', MAX_VALUES);
}

const MAX_VALUES = 500;

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

function toPhoneNumber(
  phoneNumber: string | null,
  phoneNumberType: PhoneNumberType,
): PhoneNumber | null {
  return phoneNumber === null ? null : { phoneNumber, phoneNumberType };
}

/** Custom stages of a portal have numbers as names. */
function toLifecycleStage(stage: string | null): LifecycleStage | null {
  if (stage === null) return null;
  return STAGES.get(stage.toLowerCase()) ?? 'other';
}

const STAGES: ReadonlyMap<string, LifecycleStage> = new Map(
  LIFECYCLE_STAGES.map((stage) => [stage, stage]),
);
const NOTHING: Properties = {};
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

type Properties = Readonly<Record<string, unknown>>;
