import type { Address, Association, EmailAddress, PhoneNumber } from '../../domain/contact.ts';
import { builder } from '../builder.ts';
import {
  AddressTypeEnum,
  AssociatedObjectEnum,
  EmailAddressTypeEnum,
  PhoneNumberTypeEnum,
} from './contact-enums.ts';

export const AddressType = builder.objectRef<Address>('Address').implement({
  description: 'A postal address.',
  fields: (t) => ({
    addressType: t.expose('addressType', { type: AddressTypeEnum, description: 'What it is used for.' }),
    street1: t.exposeString('street1', { nullable: true, description: 'The street and number.' }),
    street2: t.exposeString('street2', { nullable: true, description: 'The second line: a floor, a flat.' }),
    city: t.exposeString('city', { nullable: true, description: 'The city.' }),
    state: t.exposeString('state', { nullable: true, description: 'The state or region.' }),
    postalCode: t.exposeString('postalCode', { nullable: true, description: 'The postal code.' }),
    country: t.exposeString('country', { nullable: true, description: 'The country, as the CRM writes it.' }),
  }),
});

export const EmailAddressType = builder.objectRef<EmailAddress>('EmailAddress').implement({
  description: 'An email address.',
  fields: (t) => ({
    emailAddress: t.exposeString('emailAddress', { description: 'The address itself.' }),
    emailAddressType: t.expose('emailAddressType', {
      type: EmailAddressTypeEnum,
      description: 'What it is used for.',
    }),
  }),
});

export const PhoneNumberType = builder.objectRef<PhoneNumber>('PhoneNumber').implement({
  description: 'A phone number.',
  fields: (t) => ({
    phoneNumber: t.exposeString('phoneNumber', { description: 'The number, as the CRM writes it.' }),
    phoneNumberType: t.expose('phoneNumberType', {
      type: PhoneNumberTypeEnum,
      description: 'What it belongs to.',
    }),
  }),
});

export const AssociationType = builder.objectRef<Association>('Association').implement({
  description: 'A record of the CRM that a contact is linked to.',
  fields: (t) => ({
    object: t.expose('object', { type: AssociatedObjectEnum, description: 'What kind of record it is.' }),
    remoteId: t.exposeID('remoteId', { description: 'The record’s own id in the CRM.' }),
  }),
});
