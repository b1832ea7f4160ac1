import { describe, expect, test } from 'vitest';
import {
  type CustomField,
  MAX_CUSTOM_FIELDS,
  MAX_PROVIDER_FIELDS,
  type ProviderField,
} from '../../src/domain/custom-fields.ts';
import { matchCustomFields, toTitle } from '../../src/domain/field-matching.ts';
import { createConnection } from '../support/connection.ts';

const own = (name: string, more: Partial<CustomField> = {}): CustomField => ({
  name,
  type: 'TEXT',
  description: null,
  sources: [],
  customersMayMap: true,
  ...more,
});
const crm = (name: string, more: Partial<ProviderField> = {}): ProviderField => ({
  name,
  label: name,
  type: 'TEXT',
  isCustom: false,
  isFilterable: true,
  choices: [],
  ...more,
});
const KNOWN = [
  crm('jobtitle', { label: 'Job Title' }),
  crm('annual_revenue', { label: 'Annual revenue', type: 'NUMBER' }),
  crm('Favorite_Color__c', { label: 'Colour', isCustom: true }),
  crm('shade', { label: 'A shade', isCustom: true }),
];
const match = (field: CustomField, mappings: { field: string; source: string }[] = []) => {
  const connection = createConnection('hubspot', { customFieldMappings: mappings });
  return matchCustomFields(
    { typedSchema: false, version: 1, definitions: [field] },
    connection,
    KNOWN,
  )[0];
};

describe('the field that is preselected', () => {
  const sources = [{ provider: 'hubspot' as const, field: 'SHADE' }];

  test('is that of the mapping, then of the application’s source, then one of the same name', () => {
    const mapping = [{ field: 'favoriteColor', source: 'jobtitle' }];
    const field = own('favoriteColor', { sources });
    expect(match(field, mapping)).toMatchObject({ selected: 'jobtitle', fallback: 'shade' });
    expect(match(field)).toMatchObject({ selected: 'shade', fallback: 'shade' });
    expect(match(own('favoriteColor'))).toMatchObject({
      selected: 'Favorite_Color__c',
      fallback: null,
    });
    expect(match(own('jobTitle'))?.selected).toBe('jobtitle');
  });

  test('is none where the CRM does not have the source, or has it with a type that does not fit', () => {
    expect(match(own('x', { sources: [{ provider: 'hubspot', field: 'gone' }] }))).toMatchObject({
      selected: null,
      fallback: null,
    });
    const mapping = [{ field: 'annualRevenue', source: 'jobtitle' }];
    expect(match(own('annualRevenue', { type: 'NUMBER' }), mapping)?.selected).toBeNull();
    expect(match(own('annualRevenue', { type: 'BOOLEAN' }))).toMatchObject({
      selected: null,
      options: [],
    });
  });

  test('can be one of a related record, which no list has', () => {
    const mapping = [{ field: 'industry', source: 'Account.Industry' }];
    const connection = createConnection('salesforce', { customFieldMappings: mapping });
    const fields = [own('industry')];
    expect(
      matchCustomFields(
        { typedSchema: false, version: 1, definitions: fields },
        connection,
        KNOWN,
      )[0]?.selected,
    ).toBe('Account.Industry');
  });
});

test('only fields that fit are options, those that the account has added first', () => {
  const names = (field: CustomField) => match(field)?.options.map(({ name }) => name);
  expect(names(own('x', { type: 'NUMBER' }))).toEqual(['annual_revenue']);
  expect(names(own('x'))).toEqual(['shade', 'Favorite_Color__c', 'annual_revenue', 'jobtitle']);
});

test('fields that customers may not map are left out', () => {
  expect(match(own('x', { customersMayMap: false }))).toBeUndefined();
});

test.each([
  ['favoriteColor', 'Favorite color'],
  ['jobTitle', 'Job title'],
  ['annualRevenueUSD', 'Annual revenue USD'],
  ['x', 'X'],
])('%s is shown as %s', (name, title) => {
  expect(toTitle(name)).toBe(title);
});

test('many custom fields are matched with the longest list of a CRM in one short piece of work', () => {
  const fields = Array.from({ length: MAX_CUSTOM_FIELDS }, (_, at) => own(`field${at}`));
  const known = Array.from({ length: MAX_PROVIDER_FIELDS }, (_, at) =>
    crm(`${'n'.repeat(240)}${at}`, { label: `${'é&'.repeat(120)}${(at * 7) % 2_000}` }),
  );
  const connection = createConnection('hubspot', {});
  const before = performance.now();
  const matches = matchCustomFields(
    { typedSchema: false, version: 1, definitions: fields },
    connection,
    known,
  );
  // It took four seconds while each custom field was compared with each field of the CRM.
  expect(performance.now() - before).toBeLessThan(500);
  const [first] = matches;
  expect(first?.options).toHaveLength(MAX_PROVIDER_FIELDS);
  expect(matches.every(({ options }) => options === first?.options)).toBe(true);
});
