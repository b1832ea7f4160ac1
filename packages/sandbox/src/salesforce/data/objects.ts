import type { FieldDefinition, ObjectDefinition } from '../soql/table.ts';
import { addressFields, auditFields, field, picklist, reference, required } from './fields.ts';

export const PREFIXES = {
  Contact: '003',
  Account: '001',
  User: '005',
  Opportunity: '006',
  Subscription__c: 'a00',
  Machine__c: 'a01',
} as const;

/** The Contact object with the custom fields of the org, and state and country codes where enabled. */
export function defineContact(
  customFields: readonly string[],
  withCodes: boolean,
): ObjectDefinition {
  return define('Contact', [
    required(field('Id', 'id')),
    required(field('IsDeleted', 'boolean')),
    reference('MasterRecordId', 'Contact'),
    reference('AccountId', 'Account', 'Contacts'),
    required(field('LastName', 'string', 80)),
    field('FirstName', 'string', 40),
    picklist('Salutation', 40, ['Mr.', 'Ms.', 'Mrs.', 'Dr.', 'Prof.', 'Mx.']),
    required(field('Name', 'string', 121)),
    ...addressFields('Other', withCodes),
    ...addressFields('Mailing', withCodes),
    ...['Phone', 'Fax', 'MobilePhone', 'HomePhone', 'OtherPhone', 'AssistantPhone'].map((name) =>
      field(name, 'phone'),
    ),
    reference('ReportsToId', 'Contact'),
    field('Email', 'email'),
    field('Title', 'string', 128),
    field('Department', 'string', 80),
    field('AssistantName', 'string', 40),
    picklist('LeadSource', 40, [
      'Web',
      'Phone Inquiry',
      'Partner Referral',
      'Purchased List',
      'Other',
    ]),
    field('Birthdate', 'date'),
    required(reference('OwnerId', 'User')),
    ...auditFields(),
    field('LastActivityDate', 'date'),
    field('LastViewedDate', 'datetime'),
    field('LastReferencedDate', 'datetime'),
    field('EmailBouncedReason', 'string', 255),
    field('EmailBouncedDate', 'datetime'),
    required(field('IsEmailBounced', 'boolean')),
    ...customFields.map((name) => field(name, 'string', 255)),
  ]);
}

export const ACCOUNT = define('Account', [
  required(field('Id', 'id')),
  required(field('IsDeleted', 'boolean')),
  reference('MasterRecordId', 'Account'),
  required(field('Name', 'string', 255)),
  picklist('Type', 40, ['Customer', 'Partner', 'Other']),
  picklist('Industry', 40, ['Technology', 'Finance', 'Education']),
  field('Phone', 'phone'),
  field('Website', 'url'),
  required(reference('OwnerId', 'User')),
  ...auditFields(),
]);

/** Unlike accounts and contacts, they cannot be merged. */
export const OPPORTUNITY = defineRecord('Opportunity', [
  picklist('StageName', 255, ['Prospecting', 'Closed Won', 'Closed Lost']),
  field('Amount', 'currency'),
  field('CloseDate', 'date'),
]);
export const SUBSCRIPTION = defineRecord('Subscription__c', [
  field('Plan__c', 'string', 80),
  field('Seats__c', 'double'),
]);
export const MACHINE = defineRecord('Machine__c', [
  field('Serial__c', 'string', 80),
  field('Site__c', 'string', 80),
]);

export const USER = define('User', [
  required(field('Id', 'id')),
  required(field('Username', 'string', 80)),
  required(field('LastName', 'string', 80)),
  field('FirstName', 'string', 40),
  required(field('Name', 'string', 121)),
  required(field('Email', 'email', 128)),
  required(field('IsActive', 'boolean')),
  ...auditFields(),
]);

function defineRecord(
  name: keyof typeof PREFIXES,
  fields: readonly FieldDefinition[],
): ObjectDefinition {
  return define(name, [
    required(field('Id', 'id')),
    required(field('IsDeleted', 'boolean')),
    required(field('Name', 'string', 120)),
    ...fields,
    required(reference('OwnerId', 'User')),
    ...auditFields(),
  ]);
}

function define(name: keyof typeof PREFIXES, fields: readonly FieldDefinition[]): ObjectDefinition {
  return {
    name,
    keyPrefix: PREFIXES[name],
    fields: new Map(fields.map((one) => [one.name.toLowerCase(), one])),
  };
}
