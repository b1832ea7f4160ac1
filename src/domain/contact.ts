import type { ProviderName } from './provider-names.ts';
import {
  boolean,
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
} from './shape.ts';

const addressType = words('AddressType', 'What a postal address is used for.', {
  primary: 'The main address.',
  mailing: 'Where letters go.',
  other: 'An address without a known use.',
  billing: 'Where invoices go.',
  shipping: 'Where goods go.',
});

const emailAddressType = words('EmailAddressType', 'What an email address is used for.', {
  primary: 'The main address.',
  work: 'The address at work.',
  other: 'A further address.',
});

const phoneNumberType = words('PhoneNumberType', 'What a phone number belongs to.', {
  primary: 'The main number.',
  mobile: 'A mobile phone.',
  fax: 'A fax machine.',
  other: 'A further number.',
});

const lifecycleStage = words('LifecycleStage', 'How far a contact has come on the way to being a customer.', {
  subscriber: 'Has asked to be kept informed.',
  lead: 'Has shown interest.',
  marketingqualifiedlead: 'Is found worth a closer look by marketing.',
  salesqualifiedlead: 'Is found worth a closer look by sales.',
  opportunity: 'There is a deal in sight.',
  customer: 'Has bought.',
  evangelist: 'Is a customer who recommends.',
  other: 'A stage that only this CRM knows, or that its users made up.',
});

export const associatedObject = words(
  'AssociatedObject',
  'A kind of record that a contact can be linked to in its CRM.',
  { company: 'A company.', deal: 'A deal.', ticket: 'A support ticket.' },
);

export const address = shape('Address', 'A postal address of a contact.', {
  addressType: field(addressType, 'What it is used for.'),
  street1: nullable(string, 'The street and number.', { example: '12 St James’s Square' }),
  street2: nullable(string, 'The second line: a floor, a flat.', { nullInRest: true }),
  city: nullable(string, 'The city.', { example: 'London' }),
  state: nullable(string, 'The state, county or region.'),
  postalCode: nullable(string, 'The postal code.', { example: 'SW1Y 4JH' }),
  country: nullable(string, 'The country, as the CRM writes it.', { example: 'GB' }),
});

export const emailAddress = shape('EmailAddress', 'An email address of a contact.', {
  emailAddress: field(string, 'The address itself.', { example: 'ada@example.com' }),
  emailAddressType: field(emailAddressType, 'What it is used for.'),
});

export const phoneNumber = shape('PhoneNumber', 'A phone number of a contact.', {
  phoneNumber: field(string, 'The number, as the CRM writes it.', { example: '+44 20 7946 0000' }),
  phoneNumberType: field(phoneNumberType, 'What it belongs to.'),
});

/** What a CRM is asked for by name. Moments are RFC 3339 in UTC with milliseconds. */
const askedFields = {
  accountId: nullable(id, 'The CRM’s id of the account or company that the contact belongs to.', {
    example: '2001',
  }),
  ownerId: nullable(id, 'The CRM’s id of the user who looks after the contact.', { example: '31' }),
  firstName: nullable(string, 'The first name.', { example: 'Ada' }),
  lastName: nullable(string, 'The last name.', { example: 'Lovelace' }),
  addresses: field(listOf(address), 'Postal addresses.', { items: 2 }),
  emailAddresses: field(listOf(emailAddress), 'Email addresses.', { items: 2 }),
  phoneNumbers: field(listOf(phoneNumber), 'Phone numbers.', { items: 2 }),
  lifecycleStage: nullable(lifecycleStage, lifecycleStage.description),
  lastActivityAt: nullable(moment, 'When somebody last dealt with the contact: a call, a mail, a meeting.'),
  createdAt: nullable(moment, 'When the contact was created in the CRM.'),
  updatedAt: nullable(moment, 'When the contact was last changed in the CRM.'),
  lastModifiedAt: nullable(
    moment,
    'When the contact was last changed in the CRM, by a user or by the CRM itself.',
  ),
  isDeleted: field(boolean, 'Has the contact been deleted in the CRM?'),
};

export const contact = shape(
  'Contact',
  'A person in a customer’s CRM, in the same shape whichever CRM it is.',
  {
    remoteId: field(id, 'The contact’s own id in the CRM.', { restName: 'id', example: '101' }),
    ...askedFields,
  },
);

/** A record of the CRM that a contact is linked to. */
export const association = shape('Association', 'A record of the CRM that a contact is linked to.', {
  object: field(associatedObject, 'What kind of record it is.'),
  remoteId: field(id, 'The record’s own id in the CRM.'),
});

/** A person in a customer's CRM, in the one common shape. Plain data: the faces read it as it is. */
export interface Contact extends Of<typeof contact> {
  /** Whose contact it is and where it lives: shared by all contacts of one search. */
  readonly source: ContactOrigin;
  /** The record as the provider sent it; null unless it was wanted. */
  readonly rawData: Readonly<Record<string, unknown>> | null;
}

export interface ContactOrigin {
  readonly applicationId: string;
  readonly customerId: string;
  readonly provider: ProviderName;
}

export type ContactField = keyof typeof askedFields;
/** Whose contact it is, and its id, are known always. */
export const CONTACT_FIELDS = Object.keys(askedFields) as readonly ContactField[];

export const ADDRESS_TYPES = wordsOf(addressType);
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
