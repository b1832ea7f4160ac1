import type { FieldDefinition, ObjectDefinition } from '../soql/table.ts';
import { INDUSTRIES, ROLES, STAGES } from './choices.ts';
import { addressFields, auditFields, field, picklist, reference, required } from './fields.ts';

export const PREFIXES = {
  Contact: '003',
  Lead: '00Q',
  Account: '001',
  User: '005',
  Opportunity: '006',
  OpportunityStage: '01J',
  OpportunityContactRole: '00K',
  AccountContactRelation: '07k',
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

export const LEAD = define('Lead', [
  required(field('Id', 'id')),
  required(field('IsDeleted', 'boolean')),
  required(field('LastName', 'string', 80)),
  required(field('Company', 'string', 255)),
  field('Email', 'email'),
  required(field('IsConverted', 'boolean')),
  required(reference('OwnerId', 'User')),
  ...auditFields(),
]);

export const ACCOUNT = define('Account', [
  required(field('Id', 'id')),
  required(field('IsDeleted', 'boolean')),
  reference('MasterRecordId', 'Account'),
  required(field('Name', 'string', 255)),
  picklist('Type', 40, ['Prospect', 'Customer - Direct', 'Channel Partner / Reseller', 'Other']),
  reference('ParentId', 'Account', 'ChildAccounts'),
  ...addressFields('Billing', false),
  ...addressFields('Shipping', false),
  field('Phone', 'phone'),
  field('Fax', 'phone'),
  field('AccountNumber', 'string', 40),
  field('Website', 'url'),
  picklist('Industry', 40, INDUSTRIES),
  field('AnnualRevenue', 'currency'),
  field('NumberOfEmployees', 'int'),
  field('Description', 'textarea', 32_000),
  required(reference('OwnerId', 'User')),
  ...auditFields(),
  field('LastActivityDate', 'date'),
]);

/** Unlike accounts and contacts, they cannot be merged. */
export const OPPORTUNITY = define('Opportunity', [
  required(field('Id', 'id')),
  required(field('IsDeleted', 'boolean')),
  reference('AccountId', 'Account', 'Opportunities'),
  required(field('Name', 'string', 120)),
  field('Description', 'textarea', 32_000),
  required(
    picklist(
      'StageName',
      255,
      STAGES.map(({ name }) => name),
    ),
  ),
  field('Amount', 'currency'),
  field('Probability', 'percent'),
  required(field('CloseDate', 'date')),
  picklist('Type', 255, ['New Business', 'Existing Business']),
  field('NextStep', 'string', 255),
  picklist('LeadSource', 255, ['Web', 'Phone Inquiry', 'Partner Referral', 'Other']),
  required(field('IsClosed', 'boolean')),
  required(field('IsWon', 'boolean')),
  picklist('ForecastCategory', 40, ['Omitted', 'Pipeline', 'BestCase', 'Forecast', 'Closed']),
  picklist('ForecastCategoryName', 255, ['Omitted', 'Pipeline', 'Best Case', 'Commit', 'Closed']),
  required(reference('OwnerId', 'User')),
  ...auditFields(),
  field('LastActivityDate', 'date'),
]);

export const OPPORTUNITY_STAGE = define('OpportunityStage', [
  required(field('Id', 'id')),
  required(field('MasterLabel', 'string', 255)),
  required(field('ApiName', 'string', 255)),
  required(field('IsActive', 'boolean')),
  field('SortOrder', 'int'),
  required(field('IsClosed', 'boolean')),
  required(field('IsWon', 'boolean')),
  picklist('ForecastCategoryName', 255, ['Omitted', 'Pipeline', 'Best Case', 'Commit', 'Closed']),
  field('DefaultProbability', 'percent'),
  field('Description', 'string', 255),
  ...auditFields(),
]);

export const OPPORTUNITY_CONTACT_ROLE = define('OpportunityContactRole', [
  required(field('Id', 'id')),
  required(field('IsDeleted', 'boolean')),
  required(reference('OpportunityId', 'Opportunity', 'OpportunityContactRoles')),
  required(reference('ContactId', 'Contact', 'OpportunityContactRoles')),
  picklist('Role', 40, ROLES),
  required(field('IsPrimary', 'boolean')),
  ...auditFields(),
]);

/** Of orgs in which a contact can belong to several accounts. */
export const ACCOUNT_CONTACT_RELATION = define('AccountContactRelation', [
  required(field('Id', 'id')),
  required(field('IsDeleted', 'boolean')),
  required(reference('AccountId', 'Account', 'AccountContactRelations')),
  required(reference('ContactId', 'Contact', 'AccountContactRelations')),
  { ...field('Roles', 'multipicklist', 4_099), values: ROLES },
  required(field('IsDirect', 'boolean')),
  required(field('IsActive', 'boolean')),
  field('StartDate', 'date'),
  field('EndDate', 'date'),
  ...auditFields(),
]);

/** Records have a currency in orgs with several. */
export function withCurrency(definition: ObjectDefinition): ObjectDefinition {
  const currency = picklist('CurrencyIsoCode', 3, ['USD', 'EUR']);
  return {
    ...definition,
    fields: new Map([...definition.fields, [currency.name.toLowerCase(), currency]]),
  };
}

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
  picklist('UserType', 40, ['Standard', 'PowerPartner', 'CspLitePortal', 'AutomatedProcess']),
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
