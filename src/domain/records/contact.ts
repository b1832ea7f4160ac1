import { withNotes } from '../../provider-texts.ts';
import {
  field,
  id,
  listOf,
  moment,
  nullable,
  type Of,
  shape,
  string,
  words,
  wordsOf,
} from '../shape.ts';
import { type CrmRecord, commonFields, type RecordKind, remoteIdField } from './record.ts';

const addressType = words('AddressType', 'Use of a postal address.', {
  primary: 'Main address.',
  mailing: 'Mailing address.',
  other: 'Address whose use is not known.',
  billing: 'Billing address.',
  shipping: 'Shipping address.',
});

const emailAddressType = words('EmailAddressType', 'Use of an email address.', {
  primary: 'Main address.',
  work: 'Work address.',
  other: 'Additional address.',
});

const phoneNumberType = words('PhoneNumberType', 'Type of a phone number.', {
  primary: 'Main number.',
  mobile: 'Mobile phone.',
  fax: 'Fax number.',
  other: 'Additional number.',
});

export const lifecycleStage = words('LifecycleStage', 'Stage on the way to becoming a customer.', {
  subscriber: 'Has subscribed to news.',
  lead: 'Has shown interest.',
  marketingqualifiedlead: 'Qualified by marketing.',
  salesqualifiedlead: 'Qualified by sales.',
  opportunity: 'Associated with a possible deal.',
  customer: 'Has bought something.',
  evangelist: 'A customer who recommends you.',
  other: 'A custom stage, or one that only this CRM has.',
});

export const associatedObject = words(
  'AssociatedObject',
  'Type of record that a contact can be associated with in its CRM.',
  { company: 'A company.', deal: 'A deal.', ticket: 'A support ticket.' },
);

export const address = shape('Address', 'A postal address of a contact or company.', {
  addressType: field(addressType, 'Use of the address.'),
  street1: nullable(string, 'Street and house number.', { example: '12 St James’s Square' }),
  street2: nullable(string, 'Second address line, such as a floor or flat.', { nullInRest: true }),
  city: nullable(string, 'City.', { example: 'London' }),
  state: nullable(string, 'State, county or region.'),
  postalCode: nullable(string, 'Postal code.', { example: 'SW1Y 4JH' }),
  country: nullable(string, 'Country, as written in the CRM.', { example: 'GB' }),
});

export const emailAddress = shape('EmailAddress', 'An email address of a contact.', {
  emailAddress: field(string, 'Email address.', { example: 'ada@example.com' }),
  emailAddressType: field(emailAddressType, 'Use of the address.'),
});

export const phoneNumber = shape('PhoneNumber', 'A phone number of a contact or company.', {
  phoneNumber: field(string, 'Phone number, as written in the CRM.', {
    example: '+44 20 7946 0000',
  }),
  phoneNumberType: field(phoneNumberType, 'Type of the phone number.'),
});

const NOUNS = { noun: 'contact', nouns: 'contacts' };

/** Fields that are requested from a CRM. */
const selectableFields = {
  accountId: nullable(id, 'Id, in the CRM, of the contact’s account or company.', {
    example: '2001',
  }),
  ownerId: nullable(id, 'Id, in the CRM, of the user who owns the contact.', { example: '31' }),
  firstName: nullable(string, 'First name.', { example: 'Ada' }),
  lastName: nullable(string, 'Last name.', { example: 'Lovelace' }),
  addresses: field(listOf(address), 'Postal addresses.', { items: 2 }),
  emailAddresses: field(listOf(emailAddress), 'Email addresses.', { items: 2 }),
  phoneNumbers: field(listOf(phoneNumber), 'Phone numbers.', { items: 2 }),
  lifecycleStage: nullable(
    lifecycleStage,
    withNotes(lifecycleStage.description, 'record.lifecycleStage'),
  ),
  lastActivityAt: nullable(
    moment,
    'Time of the last call, mail or meeting with the contact. ISO 8601, UTC.',
  ),
  ...commonFields(NOUNS),
};

export const contact = shape(
  'Contact',
  'A person in a customer’s CRM, in one common shape for all CRMs.',
  {
    remoteId: remoteIdField(NOUNS, '101'),
    ...selectableFields,
  },
);

/** A CRM record that a contact is associated with. */
export const association = shape('Association', 'A CRM record that a contact is associated with.', {
  object: field(associatedObject, 'Type of the record.'),
  remoteId: field(id, 'Id of the record in the CRM.'),
});

/** A contact of a customer's CRM in the common shape. */
export interface Contact extends CrmRecord, Of<typeof contact> {}

export type ContactField = keyof typeof selectableFields;

/** Selectable fields; source and id are always present. */
export const CONTACT_FIELDS = Object.keys(selectableFields) as readonly ContactField[];

export const CONTACT: RecordKind<Contact> = {
  type: 'CONTACT',
  // None: contacts were the first records.
  key: '',
  ...NOUNS,
  shape: contact,
  fields: CONTACT_FIELDS,
};

export const LIFECYCLE_STAGES = wordsOf(lifecycleStage);
export const ASSOCIATED_OBJECTS = wordsOf(associatedObject);

export type Address = Of<typeof address>;
export type AddressType = Of<typeof addressType>;
export type EmailAddress = Of<typeof emailAddress>;
export type EmailAddressType = Of<typeof emailAddressType>;
export type PhoneNumber = Of<typeof phoneNumber>;
export type PhoneNumberType = Of<typeof phoneNumberType>;
export type LifecycleStage = Of<typeof lifecycleStage>;
export type Association = Of<typeof association>;
export type AssociatedObject = Of<typeof associatedObject>;
