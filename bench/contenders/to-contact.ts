import type { HubSpotRecord } from './hubspot.ts';

/** A HubSpot record in the common shape, mapped by hand: used by the floor and by the resolvers of the peers. */
export function toContact({
  id,
  properties,
  createdAt,
  updatedAt,
  archived,
}: HubSpotRecord): Contact {
  const modifiedAt = properties['lastmodifieddate'] || updatedAt;
  return {
    id: Buffer.from(`["Contact","hubspot","${id}"]`).toString('base64url'),
    remoteId: id,
    provider: 'HUBSPOT',
    accountId: properties['associatedcompanyid'] || null,
    ownerId: properties['hubspot_owner_id'] || null,
    firstName: properties['firstname'] || null,
    lastName: properties['lastname'] || null,
    addresses: toAddresses(properties),
    emailAddresses: toEmailAddresses(properties),
    phoneNumbers: toPhoneNumbers(properties),
    lifecycleStage: toLifecycleStage(properties['lifecyclestage']),
    lastActivityAt: properties['notes_last_updated'] || null,
    createdAt,
    updatedAt,
    lastModifiedAt: modifiedAt,
    isDeleted: archived,
  };
}

function toAddresses(properties: Properties) {
  const street1 = properties['address'] || null;
  const city = properties['city'] || null;
  const state = properties['state'] || null;
  const postalCode = properties['zip'] || null;
  const country = properties['country'] || null;
  if (!street1 && !city && !state && !postalCode && !country) return [];
  return [{ addressType: 'PRIMARY', street1, street2: null, city, state, postalCode, country }];
}

function toEmailAddresses(properties: Properties) {
  const found: { emailAddress: string; emailAddressType: string }[] = [];
  const { email, work_email: workEmail, hs_additional_emails: others } = properties;
  if (email) found.push({ emailAddress: email, emailAddressType: 'PRIMARY' });
  if (workEmail && workEmail !== email)
    found.push({ emailAddress: workEmail, emailAddressType: 'WORK' });
  if (others) {
    for (const other of others.split(';'))
      found.push({ emailAddress: other, emailAddressType: 'OTHER' });
  }
  return found;
}

function toPhoneNumbers(properties: Properties) {
  const found: { phoneNumber: string; phoneNumberType: string }[] = [];
  const { phone, mobilephone, fax } = properties;
  if (phone) found.push({ phoneNumber: phone, phoneNumberType: 'PRIMARY' });
  if (mobilephone) found.push({ phoneNumber: mobilephone, phoneNumberType: 'MOBILE' });
  if (fax) found.push({ phoneNumber: fax, phoneNumberType: 'FAX' });
  return found;
}

function toLifecycleStage(stage: string | null | undefined): string | null {
  if (!stage) return null;
  return STAGES.has(stage) ? stage.toUpperCase() : 'OTHER';
}

const STAGES = new Set([
  'subscriber',
  'lead',
  'marketingqualifiedlead',
  'salesqualifiedlead',
  'opportunity',
  'customer',
  'evangelist',
  'other',
]);

type Properties = HubSpotRecord['properties'];
type Contact = Readonly<Record<string, unknown>>;
