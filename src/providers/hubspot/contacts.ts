import * as z from 'zod';
import {
  type Address,
  type Contact,
  type ContactField,
  type ContactOrigin,
  type EmailAddress,
  type EmailAddressType,
  LIFECYCLE_STAGES,
  type LifecycleStage,
  type PhoneNumber,
  type PhoneNumberType,
} from '../../domain/contact.ts';
import { normaliseEmail } from '../../domain/email.ts';
import { toTimestamp } from '../../lib/clock.ts';
import { isRecord } from '../../lib/json.ts';
import { splitStreet, trimmed } from '../../lib/provider-text.ts';

/** A record as HubSpot sent it, in the common shape. Undefined where it is no record: nothing that comes may throw. */
export function toContact(record: unknown, { source, rawData }: Mapping): Contact | undefined {
  if (!isRecord(record)) return undefined;
  const remoteId = toText(record['id']);
  if (remoteId === null) return undefined;
  const properties = propertiesOf(record);
  const modifiedAt = toTimestamp(properties['lastmodifieddate']);
  const updatedAt = toTimestamp(record['updatedAt']) ?? modifiedAt;
  return {
    source,
    remoteId,
    // Always the primary company: HubSpot keeps this property itself.
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
    rawData: rawData ? record : null,
  };
}

/** Which properties each field of a contact is made of. HubSpot sends only what is named. */
export const PROPERTIES_OF: Readonly<Record<ContactField, readonly string[]>> = {
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

/**
 * The addresses that HubSpot finds a contact by. Its work address is not one of them: were it taken for a hit, whether
 * a contact is found would depend on who else is looked up in the same call.
 */
export function toLookupEmails(record: unknown): Iterable<string> {
  const properties = propertiesOf(record);
  const email = toText(properties['email']);
  const others = toText(properties['hs_additional_emails']);
  if (others === null) return email === null ? NONE : [normaliseEmail(email)];
  const addresses = [email ?? '', ...others.split(';')].map(normaliseEmail);
  return new Set(addresses.filter((address) => address !== ''));
}

/** The ids of the contacts that were merged into this one: HubSpot answers to them with it. */
export function toMergedIds(record: unknown): readonly string[] {
  return toText(propertiesOf(record)[MERGED_IDS])?.split(';') ?? [];
}

function propertiesOf(record: unknown): Readonly<Record<string, unknown>> {
  return isRecord(record) && isRecord(record['properties']) ? record['properties'] : NOTHING;
}

/** Has to be asked for like any other property. */
export const MERGED_IDS = 'hs_merged_object_ids';

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
  return others === null ? known : withOthers(known, others.split(';'));
}

function withOthers(known: readonly EmailAddress[], others: readonly string[]): readonly EmailAddress[] {
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
  return normaliseEmail(one) === normaliseEmail(other);
}

function toPhoneNumbers(properties: Properties): readonly PhoneNumber[] {
  return compact(
    toPhoneNumber(toText(properties['phone']), 'primary'),
    toPhoneNumber(toText(properties['mobilephone']), 'mobile'),
    toPhoneNumber(toText(properties['fax']), 'fax'),
  );
}

function toPhoneNumber(phoneNumber: string | null, phoneNumberType: PhoneNumberType): PhoneNumber | null {
  return phoneNumber === null ? null : { phoneNumber, phoneNumberType };
}

/** Portals make stages of their own; HubSpot numbers them. */
function toLifecycleStage(stage: string | null): LifecycleStage | null {
  if (stage === null) return null;
  return STAGES.get(stage) ?? STAGES.get(stage.toLowerCase()) ?? 'other';
}

/** A property that was never set is null, one that was cleared is empty, one that the portal lacks is left out. */
function toText(value: unknown): string | null {
  if (typeof value === 'string') return trimmed(value) || null;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

const STAGES: ReadonlyMap<string, LifecycleStage> = new Map(LIFECYCLE_STAGES.map((stage) => [stage, stage]));
const NOTHING: Properties = {};
const NONE: readonly never[] = [];

// Envelopes only: a record's own fields are read by a mapper that takes whatever comes, because validating twenty
// properties of a thousand contacts would cost more than everything else that is done with them.
/** Ids are documented as strings and some are sent as numbers. */
const id = z.union([z.string(), z.number()]).transform(String);

const paging = z.object({ next: z.object({ after: id.nullish() }).nullish() }).nullish();

/** Most of what is read, so it is looked at and not copied. Undefined for anything else. */
export function toRecords(json: unknown): readonly unknown[] | undefined {
  const results = typeof json === 'object' && json !== null && 'results' in json ? json.results : undefined;
  return Array.isArray(results) ? results : undefined;
}

const wireSearchPage = z.object({
  total: z.number().nullish(),
  results: z.array(z.unknown()),
  paging,
});
export type WireSearchPage = z.infer<typeof wireSearchPage>;
export const toSearchPage = readAs(wireSearchPage);

const wireAssociations = z.object({
  results: z.array(
    z.object({
      from: z.object({ id }),
      to: z.array(z.object({ toObjectId: id })).nullish(),
      paging,
    }),
  ),
});
export type WireAssociations = z.infer<typeof wireAssociations>;
export const toLinks = readAs(wireAssociations);

/** Every field of a refusal is optional, and so is its being one at all. */
export const wireProblem = z
  .object({
    message: z.string().nullish().catch(null),
    category: z.string().nullish().catch(null),
    errorType: z.string().nullish().catch(null),
    policyName: z.string().nullish().catch(null),
    context: z.record(z.string(), z.array(z.unknown())).nullish().catch(null),
  })
  .catch({});
export type WireProblem = z.infer<typeof wireProblem>;

/** What went wrong with parts of a batch. */
export const wireProblems = z.object({ errors: z.array(wireProblem).nullish().catch([]) }).catch({});

export const wireToken = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).nullish(),
  expires_in: z.coerce.number().positive().nullish().catch(null),
});

/** What the token endpoint and introspection say of the user who granted: the older the version, the less of it. */
export const wireGranted = z
  .object({
    hub_id: id.nullish().catch(null),
    hub_domain: z.string().nullish().catch(null),
    user_id: id.nullish().catch(null),
    scopes: z.array(z.string()).nullish().catch(null),
    active: z.boolean().nullish().catch(null),
  })
  .catch({});

export const wireTokenProblem = z
  .object({
    error: z.string().nullish().catch(null),
    error_description: z.string().nullish().catch(null),
    status: z.string().nullish().catch(null),
    message: z.string().nullish().catch(null),
  })
  .catch({});

function readAs<Shape extends z.ZodType>(shape: Shape): (json: unknown) => z.output<Shape> | undefined {
  return (json) => shape.safeParse(json).data;
}

/** Those of three that are there: exactly as long as it has to be, where a list that grows begins with room for 17. */
export function compact<Item>(a: Item | null, b: Item | null, c: Item | null): readonly Item[] {
  if (c !== null) {
    if (b !== null) return a === null ? [b, c] : [a, b, c];
    return a === null ? [c] : [a, c];
  }
  if (b !== null) return a === null ? [b] : [a, b];
  return a === null ? NONE : [a];
}

type Properties = Readonly<Record<string, unknown>>;

interface Mapping {
  readonly source: ContactOrigin;
  readonly rawData: boolean;
}
