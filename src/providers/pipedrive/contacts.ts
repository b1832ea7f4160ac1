import { normalizeEmail } from '../../domain/email.ts';
import {
  CONTACT,
  type Contact,
  type EmailAddress,
  type EmailAddressType,
} from '../../domain/records/contact.ts';
import { contactFilters } from '../../domain/records/contact-filter.ts';
import { isRecord } from '../../lib/json.ts';
import { toText } from '../../lib/text.ts';
import type { PipedriveObject } from './object.ts';
import { toAddresses, toId, toLabelled, toPhoneNumbers } from './values.ts';

export const CONTACT_OBJECT: PipedriveObject<Contact> = {
  kind: CONTACT,
  filters: contactFilters,
  name: 'persons',
  fields: 'personFields',
  writable: new Set([
    'name',
    'first_name',
    'last_name',
    'owner_id',
    'org_id',
    'label_ids',
    'job_title',
  ]),
  toFields: (person) => ({
    accountId: toId(person['org_id']),
    ownerId: toId(person['owner_id']),
    firstName: toText(person['first_name']),
    lastName: toText(person['last_name']),
    addresses: toAddresses(person['postal_address']),
    emailAddresses: toEmailAddresses(person['emails']),
    phoneNumbers: toPhoneNumbers(person['phones']),
    // Pipedrive has neither.
    lifecycleStage: null,
    lastActivityAt: null,
  }),
};

/** All addresses of a person, in any case and primary or not: Pipedrive searches all of them. */
export function toLookupEmails(person: unknown): ReadonlySet<string> {
  const emails = isRecord(person) ? toLabelled(person['emails']) : [];
  return new Set(emails.map(({ value }) => normalizeEmail(value)));
}

function toEmailAddresses(list: unknown): readonly EmailAddress[] {
  const seen = new Set<string>();
  return toLabelled(list).flatMap(({ value, label, isPrimary }) => {
    const known = seen.has(normalizeEmail(value));
    seen.add(normalizeEmail(value));
    return known ? [] : [{ emailAddress: value, emailAddressType: toEmailType(label, isPrimary) }];
  });
}

export function toEmailType(label: string | null, isPrimary: boolean): EmailAddressType {
  if (isPrimary) return 'primary';
  return label === 'work' ? 'work' : 'other';
}
