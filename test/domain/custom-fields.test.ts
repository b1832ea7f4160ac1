import { describe, expect, test } from 'vitest';
import type { Connection } from '../../src/domain/connection.ts';
import {
  type CustomFields,
  findFieldProblems,
  findSources,
  isContactObject,
  isSource,
} from '../../src/domain/custom-fields.ts';
import { nastyText } from '../providers/salesforce/nasty-text.ts';
import { createConnection } from '../support/connection.ts';
import { fc } from '../support/fast-check.ts';

const OWN: CustomFields = {
  version: 1,
  typedSchema: false,
  definitions: [
    {
      name: 'color',
      type: 'TEXT',
      description: null,
      sources: [
        { provider: 'hubspot', field: 'application' },
        { provider: 'salesforce', field: 'application' },
      ],
      customersMayMap: true,
    },
  ],
};
const to = (mappedField: string, schemaField = 'color') => [{ schemaField, mappedField }];

/** Each place that can name a source, in the order of precedence. */
const PLACES = [
  ['own', { customFieldMappings: [{ field: 'color', source: 'own' }] }],
  [
    'entity',
    {
      entityMappings: [
        {
          entityId: null,
          object: { type: 'standard', name: ' Contacts' },
          fieldMappings: to('entity'),
        },
      ],
    },
  ],
  ['common', { schemaMappingsConfig: { commonObjects: objects('common'), standardObjects: null } }],
  [
    'standard',
    { schemaMappingsConfig: { commonObjects: null, standardObjects: objects('standard') } },
  ],
] as const satisfies readonly (readonly [string, Partial<Connection>])[];

function objects(source: string) {
  return [{ object: 'contact', fieldMappings: to(source) }];
}

function merge(parts: readonly Partial<Connection>[]): Partial<Connection> {
  const configs = parts.flatMap((part) => part.schemaMappingsConfig ?? []);
  const schemaMappingsConfig = {
    commonObjects: configs.find((one) => one.commonObjects)?.commonObjects ?? null,
    standardObjects: configs.find((one) => one.standardObjects)?.standardObjects ?? null,
  };
  return { ...Object.assign({}, ...parts), schemaMappingsConfig };
}

describe('the source of a custom field', () => {
  const combinations = Array.from({ length: 32 }, (_, bits) => bits);

  test.each(
    (['hubspot', 'salesforce'] as const).flatMap((provider) =>
      combinations.map((bits) => [provider, bits.toString(2).padStart(5, '0')] as const),
    ),
  )('in %s is the first of own, entity, common, standard, application: %s', (provider, bits) => {
    const given = PLACES.filter((_, index) => bits[index] === '1');
    const isDeclared = bits[4] === '1';
    const own = isDeclared
      ? OWN
      : { ...OWN, definitions: OWN.definitions.map((field) => ({ ...field, sources: [] })) };
    const connection = createConnection(provider, merge(given.map(([, part]) => part)));
    const expected = given[0]?.[0] ?? (isDeclared ? 'application' : undefined);
    const { fields, problems } = findSources(own, connection);
    expect(fields.map(({ source }) => source)).toEqual(expected === undefined ? [] : [expected]);
    expect(problems).toEqual([]);
  });

  test('is not that of another provider', () => {
    expect(findSources(OWN, createConnection('pipedrive')).fields).toEqual([]);
  });

  test.each(['contact', 'Contact', 'CONTACTS', ' con tacts '])(
    'may be of the object %j',
    (name) => {
      expect(isContactObject(name)).toBe(true);
    },
  );

  test.each([null, '', 'account', 'contactss', 'my contact'])('is not of the object %j', (name) => {
    expect(isContactObject(name)).toBe(false);
  });

  test('has the same key where all sources are equal, and another one where one differs', () => {
    const keyOf = (source: string) =>
      findSources(
        OWN,
        createConnection('hubspot', { customFieldMappings: [{ field: 'color', source }] }),
      ).key;
    expect(keyOf('one')).toBe(keyOf('one'));
    expect(keyOf('one')).not.toBe(keyOf('other'));
  });
});

describe('mappings that cannot count', () => {
  test('are problems: an unknown field, another object, a custom one, an impossible source', () => {
    const connection = createConnection('salesforce', {
      customFieldMappings: [
        { field: 'color', source: "x' OR Name != '" },
        { field: 'gone', source: 'Gone__c' },
      ],
      entityMappings: [
        {
          entityId: null,
          object: { type: 'custom', name: 'Contact' },
          fieldMappings: to('Custom__c'),
        },
        { entityId: null, object: null, fieldMappings: to('Nothing__c') },
      ],
      schemaMappingsConfig: {
        commonObjects: [{ object: 'account', fieldMappings: to('Industry') }],
        standardObjects: [{ object: 'contact', fieldMappings: to('Size__c', 'size') }],
      },
    });
    const { fields, problems } = findSources(OWN, connection);
    expect(fields).toEqual([]);
    expect(problems).toEqual([
      { field: 'color', source: "x' OR Name != '", problem: 'MISSING' },
      { field: 'gone', source: 'Gone__c', problem: 'UNKNOWN_FIELD' },
      { field: 'size', source: 'Size__c', problem: 'UNKNOWN_FIELD' },
      { field: 'color', source: 'Custom__c', problem: 'UNKNOWN_OBJECT' },
      { field: 'color', source: 'Nothing__c', problem: 'UNKNOWN_OBJECT' },
      { field: 'color', source: 'Industry', problem: 'UNKNOWN_OBJECT' },
    ]);
  });

  test('are cut and counted: no more than 200, with texts that can be stored', () => {
    const fieldMappings = Array.from({ length: 300 }, (_, index) => ({
      schemaField: `n${index}`,
      mappedField: `${'x'.repeat(254)}😀`,
    }));
    const connection = createConnection('hubspot', {
      schemaMappingsConfig: {
        commonObjects: [{ object: 'contact', fieldMappings }],
        standardObjects: null,
      },
    });
    const { problems } = findSources(OWN, connection);
    expect(problems).toHaveLength(200);
    expect(problems[0]?.source).toBe('x'.repeat(254));
  });

  test('are found by the fields of the CRM', () => {
    const known = ['Title', 'Size__c'].map((name) => ({
      name,
      label: name,
      type: name === 'Title' ? ('TEXT' as const) : ('NUMBER' as const),
      isCustom: false,
      isFilterable: true,
      choices: [],
    }));
    const resolved = (['title', 'Size__c', 'Gone__c', 'Fax', 'Account.Any'] as const).map(
      (source) => ({ name: 'color', type: 'BOOLEAN' as const, source }),
    );
    const found = findFieldProblems(resolved, known, (name) => name === 'Fax');
    expect(found.map(({ source, problem }) => [source, problem])).toEqual([
      ['title', 'TYPE_MISMATCH'],
      ['Size__c', 'TYPE_MISMATCH'],
      ['Gone__c', 'MISSING'],
      ['Fax', 'HIDDEN'],
    ]);
  });
});

test('no source has a character that means something in a query', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        nastyText,
        nastyText.map((text) => `A.${text}`),
      ),
      (text) => {
        if (isSource(text)) expect(text).toMatch(/^\w+(?:\.\w+)?$/);
      },
    ),
    { numRuns: 20_000 },
  );
});
