import type {
  AddressType,
  AssociatedObject,
  EmailAddressType,
  LifecycleStage,
  PhoneNumberType,
} from '../../domain/contact.ts';
import { builder } from '../builder.ts';
import { toEnumValues } from './enum-values.ts';

export const AddressTypeEnum = builder.enumType('AddressType', {
  description: 'What a postal address is used for.',
  values: toEnumValues<AddressType>({
    primary: 'The main address.',
    mailing: 'Where letters go.',
    other: 'An address without a known use.',
    billing: 'Where invoices go.',
    shipping: 'Where goods go.',
  }),
});

export const EmailAddressTypeEnum = builder.enumType('EmailAddressType', {
  description: 'What an email address is used for.',
  values: toEnumValues<EmailAddressType>({
    primary: 'The main address.',
    work: 'The address at work.',
    other: 'A further address.',
  }),
});

export const PhoneNumberTypeEnum = builder.enumType('PhoneNumberType', {
  description: 'What a phone number belongs to.',
  values: toEnumValues<PhoneNumberType>({
    primary: 'The main number.',
    mobile: 'A mobile phone.',
    fax: 'A fax machine.',
    other: 'A further number.',
  }),
});

export const LifecycleStageEnum = builder.enumType('LifecycleStage', {
  description: 'How far a contact has come on the way to being a customer.',
  values: toEnumValues<LifecycleStage>({
    subscriber: 'Has asked to be kept informed.',
    lead: 'Has shown interest.',
    marketingqualifiedlead: 'Is found worth a closer look by marketing.',
    salesqualifiedlead: 'Is found worth a closer look by sales.',
    opportunity: 'There is a deal in sight.',
    customer: 'Has bought.',
    evangelist: 'Is a customer who recommends.',
    other: 'A stage that only this CRM knows, or that its users made up.',
  }),
});

export const AssociatedObjectEnum = builder.enumType('AssociatedObject', {
  description: 'A kind of record that a contact can be linked to in its CRM.',
  values: toEnumValues<AssociatedObject>({
    company: 'A company.',
    deal: 'A deal.',
    ticket: 'A support ticket.',
  }),
});
