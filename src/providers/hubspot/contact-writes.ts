import type { ContactChangeField } from '../../domain/records/contact-changes.ts';
import type { AddressParts, ChangeTable } from '../../domain/records/writable.ts';
import type { DeclaredWrites } from './writes.ts';

/** Also of companies. */
export const ADDRESS: AddressParts = {
  street: 'address',
  city: 'city',
  state: 'state',
  postalCode: 'zip',
  country: 'country',
};

const FIELDS: ChangeTable<ContactChangeField> = {
  accountId: { readOnly: 'cannot be written in HubSpot: link the contact and the company.' },
  ownerId: { to: 'hubspot_owner_id' },
  firstName: { to: 'firstname' },
  lastName: { to: 'lastname' },
  addresses: { addresses: { primary: ADDRESS } },
  // HubSpot itself maintains additional addresses.
  emailAddresses: {
    type: 'emailAddressType',
    value: 'emailAddress',
    entries: { primary: 'email', work: 'work_email' },
  },
  phoneNumbers: {
    type: 'phoneNumberType',
    value: 'phoneNumber',
    entries: { primary: 'phone', mobile: 'mobilephone', fax: 'fax' },
  },
  lifecycleStage: { to: 'lifecyclestage' },
};

export const CONTACT_WRITES: DeclaredWrites = {
  fields: FIELDS,
  keyField: 'email',
  requiresOneOf: ['email', 'firstname', 'lastname'],
  isUpsertAtomic: true,
};
