import * as z from 'zod';
import {
  ADDRESS_TYPES,
  type Address,
  type Association,
  type Contact,
  EMAIL_ADDRESS_TYPES,
  LIFECYCLE_STAGES,
  PHONE_NUMBER_TYPES,
} from '../../domain/contact.ts';
import { choice, nullableText, optionalMoment, optionalText, text } from './fields.ts';

export const addressShape = z
  .strictObject({
    address_type: choice(ADDRESS_TYPES, 'What the address is for.'),
    street_1: optionalText('Street and number.', '12 St James’s Square'),
    street_2: nullableText('Second line of the street.'),
    city: optionalText('City.', 'London'),
    state: optionalText('State, county or region.'),
    postal_code: optionalText('Postal code.', 'SW1Y 4JH'),
    country: optionalText('Country, as the provider writes it.', 'GB'),
  })
  .describe('A postal address of a contact.');

export const emailAddressShape = z
  .strictObject({
    email_address: text('The email address.', 'ada@example.com'),
    email_address_type: choice(EMAIL_ADDRESS_TYPES, 'What the email address is for.'),
  })
  .describe('An email address of a contact.');

export const phoneNumberShape = z
  .strictObject({
    phone_number: text('The phone number, as the provider writes it.', '+44 20 7946 0000'),
    phone_number_type: choice(PHONE_NUMBER_TYPES, 'What the phone number is for.'),
  })
  .describe('A phone number of a contact.');

export const associationsShape = z
  .strictObject({
    company: z.array(z.string()).optional().describe('Ids of the companies.'),
    deal: z.array(z.string()).optional().describe('Ids of the deals.'),
    ticket: z.array(z.string()).optional().describe('Ids of the tickets.'),
  })
  .meta({
    description:
      'The provider’s ids of the records that a contact is linked to: one list for each object that was asked for, empty where there is no link or where the provider offers none.',
    examples: [{ company: ['123'], deal: [] }],
  });

export const contactShape = z
  .strictObject({
    id: text('The contact’s id in the provider.', '101'),
    account_id: optionalText('Id of the account that the contact belongs to.', '2001'),
    owner_id: optionalText('Id of the provider’s user who owns the contact.', '31'),
    first_name: optionalText('First name.', 'Ada'),
    last_name: optionalText('Last name.', 'Lovelace'),
    addresses: z.array(addressShape).describe('Postal addresses.'),
    email_addresses: z.array(emailAddressShape).describe('Email addresses.'),
    phone_numbers: z.array(phoneNumberShape).describe('Phone numbers.'),
    lifecycle_stage: z
      .enum(LIFECYCLE_STAGES)
      .optional()
      .describe('How far the contact has come towards being a customer.'),
    last_activity_at: optionalMoment('When something last happened with the contact.'),
    created_at: optionalMoment('When the contact was created in the provider.'),
    updated_at: optionalMoment('When the contact was last updated in the provider.'),
    last_modified_at: optionalMoment('When the contact, or anything it is derived from, last changed.'),
    is_deleted: z.boolean().describe('Is the contact deleted in the provider?'),
    raw_data: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('The record as the provider sent it. Present with include_raw_data=true.'),
    associations: associationsShape.optional().describe('Present with associations_to_fetch.'),
  })
  .describe('A person in a customer’s CRM.');

export type ContactRecord = z.output<typeof contactShape>;

/** What the provider has no value for is `undefined`, which JSON leaves out. */
export function toContactRecord(contact: Contact, extras: Extras): ContactRecord {
  return {
    id: contact.remoteId,
    account_id: contact.accountId ?? undefined,
    owner_id: contact.ownerId ?? undefined,
    first_name: contact.firstName ?? undefined,
    last_name: contact.lastName ?? undefined,
    addresses: contact.addresses.map(toAddressRecord),
    email_addresses: contact.emailAddresses.map((one) => ({
      email_address: one.emailAddress,
      email_address_type: one.emailAddressType,
    })),
    phone_numbers: contact.phoneNumbers.map((one) => ({
      phone_number: one.phoneNumber,
      phone_number_type: one.phoneNumberType,
    })),
    lifecycle_stage: contact.lifecycleStage ?? undefined,
    last_activity_at: contact.lastActivityAt ?? undefined,
    created_at: contact.createdAt ?? undefined,
    updated_at: contact.updatedAt ?? undefined,
    last_modified_at: contact.lastModifiedAt ?? undefined,
    is_deleted: contact.isDeleted,
    ...(extras.rawData && { raw_data: contact.rawData ?? undefined }),
    ...(extras.associations && { associations: extras.associations }),
  };
}

/** One list for each object that was asked for, whether anything was found or not. */
export function toAssociationsRecord(
  asked: readonly Association['object'][],
  found: readonly Association[],
): z.output<typeof associationsShape> {
  const idsOf = (object: Association['object']) =>
    found.filter((one) => one.object === object).map(({ remoteId }) => remoteId);
  return Object.fromEntries(asked.map((object) => [object, idsOf(object)]));
}

function toAddressRecord(address: Address): z.output<typeof addressShape> {
  return {
    address_type: address.addressType,
    street_1: address.street1 ?? undefined,
    street_2: address.street2,
    city: address.city ?? undefined,
    state: address.state ?? undefined,
    postal_code: address.postalCode ?? undefined,
    country: address.country ?? undefined,
  };
}

interface Extras {
  readonly rawData: boolean;
  readonly associations: z.output<typeof associationsShape> | undefined;
}
