import type { HubSpotAccount, SalesforceAccount } from '@crossbook/sandbox';
import type { Connected } from './connect-account.ts';

// An account with a field of each type, and two people: one has a value in each, the other in none.
export const EMAIL = 'ada@own.example';
const CUSTOM = {
  text: 'violet',
  area: 'red',
  number: '17',
  money: '1.5E7',
  flag: 'true',
  day: '2026-01-31',
  moment: '2026-01-31T10:00:00.000Z',
  one: 'A',
  several: 'B;A',
  clock: '10:00:00.000Z',
};
export const PEOPLE = [
  { email: EMAIL, firstName: 'Ada', jobTitle: 'Countess', companyIndex: 1, custom: CUSTOM },
  { email: 'empty@own.example' },
];
const HUBSPOT_TYPES = {
  text: { type: 'string', fieldType: 'text', label: 'Favourite text' },
  area: { type: 'string', fieldType: 'textarea' },
  number: { type: 'number', fieldType: 'number' },
  money: { type: 'number', fieldType: 'calculation_equation' },
  flag: { type: 'bool', fieldType: 'booleancheckbox' },
  day: { type: 'date', fieldType: 'date' },
  moment: { type: 'datetime', fieldType: 'date' },
  one: { type: 'enumeration', fieldType: 'select', options: ['A', 'B'] },
  several: { type: 'enumeration', fieldType: 'checkbox', options: ['A', 'B'] },
  clock: { type: 'json', fieldType: 'text' },
} as const;
const SALESFORCE_TYPES = {
  Text__c: { type: 'string', label: 'Favourite text' },
  Area__c: { type: 'textarea' },
  Number__c: { type: 'int' },
  Money__c: { type: 'currency' },
  Flag__c: { type: 'boolean' },
  Day__c: { type: 'date' },
  Moment__c: { type: 'datetime' },
  One__c: { type: 'picklist', values: ['A', 'B'] },
  Several__c: { type: 'multipicklist', values: ['A', 'B'] },
  Clock__c: { type: 'time' },
} as const;
export const TYPES = {
  text: 'TEXT',
  area: 'TEXT',
  number: 'NUMBER',
  money: 'NUMBER',
  flag: 'BOOLEAN',
  day: 'DATE',
  moment: 'DATETIME',
  one: 'CHOICE',
  several: 'CHOICES',
  clock: 'TEXT',
} as const;
export const VALUES = {
  ...CUSTOM,
  number: 17,
  money: 15_000_000,
  flag: true,
  several: ['B', 'A'],
};
export const FIELDS = Object.entries(TYPES).map(([name, type]) => ({
  name,
  type,
  sources: [
    { provider: 'HUBSPOT', field: name },
    {
      provider: 'SALESFORCE',
      field: `${name.charAt(0).toUpperCase()}${name.slice(1)}__c`,
    },
  ],
}));

/** Gives the account its fields. */
export function setTypesOf(
  account: Connected['account'],
  provider: 'hubspot' | 'salesforce',
): void {
  (account as HubSpotAccount & SalesforceAccount).setQuirks(
    (provider === 'hubspot'
      ? { propertyTypes: HUBSPOT_TYPES }
      : { customFields: SALESFORCE_TYPES }) as never,
  );
}
