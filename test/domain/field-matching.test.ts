import { describe, expect, test } from 'vitest';
import {
  type CustomField,
  type CustomFields,
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
  crm('hs_object_id'),
  crm('Department'),
];
const toOwn = (definitions: readonly CustomField[]): CustomFields => ({
  record: 'CONTACT',
  typedSchema: false,
  version: 1,
  definitions,
});
const match = (field: CustomField, mappings: { field: string; source: string }[] = []) => {
  const customFieldMappings = mappings.map((one) => ({ record: 'CONTACT' as const, ...one }));
  const connection = createConnection('hubspot', { customFieldMappings });
  return matchCustomFields(toOwn([field]), { connection }, KNOWN)[0];
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
    const mapping = { record: 'CONTACT', field: 'industry', source: 'Account.Industry' } as const;
    const connection = createConnection('salesforce', { customFieldMappings: [mapping] });
    const matches = matchCustomFields(toOwn([own('industry')]), { connection }, KNOWN);
    expect(matches[0]?.selected).toBe('Account.Industry');
  });
});

test('a field of the CRM that has only a technical name is no option, unless it is the source already', () => {
  const field = own('recordId', { sources: [{ provider: 'hubspot', field: 'hs_object_id' }] });
  const matched = match(field);
  expect(matched?.selected).toBe('hs_object_id');
  expect(matched?.options.map(({ name }) => name)).not.toContain('hs_object_id');
});

test('only fields that fit are options, those that the account has added first', () => {
  const names = (field: CustomField) => match(field)?.options.map(({ name }) => name);
  expect(names(own('x', { type: 'NUMBER' }))).toEqual(['annual_revenue']);
  expect(names(own('x'))).toEqual([
    'shade',
    'Favorite_Color__c',
    'annual_revenue',
    'Department',
    'jobtitle',
  ]);
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

test('the fields of a CRM are read once, however many custom fields are matched with them', () => {
  const countReads = (customFields: number) => {
    let reads = 0;
    const counted = (field: ProviderField) =>
      new Proxy(field, {
        get(target, name, receiver) {
          reads += 1;
          return Reflect.get(target, name, receiver);
        },
      });
    const known = Array.from({ length: MAX_PROVIDER_FIELDS }, (_, at) =>
      counted(crm(`${'n'.repeat(240)}${at}`, { label: `${'é&'.repeat(120)}${(at * 7) % 2_000}` })),
    );
    const fields = Array.from({ length: customFields }, (_, at) => own(`field${at}`));
    const connection = createConnection('hubspot', {});
    const matches = matchCustomFields(toOwn(fields), { connection }, known);
    const [first] = matches;
    expect(first?.options).toHaveLength(MAX_PROVIDER_FIELDS);
    expect(matches.every(({ options }) => options === first?.options)).toBe(true);
    return reads;
  };
  expect(countReads(MAX_CUSTOM_FIELDS)).toBe(countReads(1));
});
