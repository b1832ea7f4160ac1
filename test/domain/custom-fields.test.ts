import { describe, expect, test } from 'vitest';
import type { Connection } from '../../src/domain/connection.ts';
import {
  type CustomFields,
  findFieldProblems,
  findSources,
  findUnknownObjects,
  isObjectOf,
  isSource,
} from '../../src/domain/custom-fields.ts';
import { RECORDS } from '../../src/domain/records/catalogue.ts';
import { RECORD_TYPES, type RecordType } from '../../src/domain/records/record-type.ts';
import { nastyText } from '../providers/salesforce/nasty-text.ts';
import { createConnection } from '../support/connection.ts';
import { fc } from '../support/fast-check.ts';

const ownOf = (record: RecordType): CustomFields => ({
  record,
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
});
const OWN = ownOf('CONTACT');
const to = (mappedField: string, schemaField = 'color') => [{ schemaField, mappedField }];

/** Each place that can name a source for records of a type, in the order of precedence. */
const placesOf = (record: RecordType, name: string) =>
  [
    ['own', { customFieldMappings: [{ record, field: 'color', source: 'own' }] }],
    [
      'entity',
      {
        entityMappings: [
          {
            entityId: null,
            object: { type: 'standard', name: ` ${name}` },
            fieldMappings: to('entity'),
          },
        ],
      },
    ],
    [
      'common',
      { schemaMappingsConfig: { commonObjects: objects(name, 'common'), standardObjects: null } },
    ],
    [
      'standard',
      {
        schemaMappingsConfig: { commonObjects: null, standardObjects: objects(name, 'standard') },
      },
    ],
  ] as const satisfies readonly (readonly [string, Partial<Connection>])[];

function objects(object: string, source: string) {
  return [{ object, fieldMappings: to(source) }];
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

  const places = RECORD_TYPES.flatMap((record) =>
    [RECORDS[record].nouns, 'Things'].map((name) => [record, name] as const),
  );

  test.each(
    (['hubspot', 'salesforce'] as const).flatMap((provider) =>
      places.flatMap(([record, name]) =>
        combinations.map(
          (bits) => [provider, record, name, bits.toString(2).padStart(5, '0')] as const,
        ),
      ),
    ),
  )(
    'in %s, of a %s that mappings call %s, is the first of own, entity, common, standard, application: %s',
    (provider, record, name, bits) => {
      const given = placesOf(record, name).filter((_, index) => bits[index] === '1');
      const isDeclared = bits[4] === '1';
      const all = ownOf(record);
      const own = isDeclared
        ? all
        : { ...all, definitions: all.definitions.map((field) => ({ ...field, sources: [] })) };
      const connection = createConnection(provider, merge(given.map(([, part]) => part)));
      const expected = given[0]?.[0] ?? (isDeclared ? 'application' : undefined);
      const { fields, problems } = findSources(own, connection, 'thing');
      expect(fields.map(({ source }) => source)).toEqual(expected === undefined ? [] : [expected]);
      expect(problems).toEqual([]);
      // What is mapped for one type of record says nothing about another.
      for (const other of RECORD_TYPES.filter((one) => one !== record)) {
        const found = findSources(ownOf(other), connection, 'Another').fields;
        expect(found.map(({ source }) => source)).toEqual(['application']);
      }
    },
  );

  test('is not that of another provider', () => {
    expect(findSources(OWN, createConnection('zendesk_sell')).fields).toEqual([]);
  });

  test.each([
    ['CONTACT', undefined, ['contact', 'Contact', 'CONTACTS', ' con tacts ']],
    ['COMPANY', 'Account', ['company', 'Companies', ' com panies', 'ACCOUNT', 'accounts']],
    ['COMPANY', undefined, ['company', 'COMPANIES']],
  ] as const)(
    'of %s, which the CRM calls %j, may be of the objects %j',
    (record, object, names) => {
      for (const name of names)
        expect([name, isObjectOf(record, object, name)]).toEqual([name, true]);
    },
  );

  test.each([
    ['CONTACT', undefined, ['', 'account', 'contactss', 'my contact', 'company']],
    ['COMPANY', 'Account', ['', 'contact', 'companys of', 'accountant']],
    ['COMPANY', undefined, ['account']],
  ] as const)(
    'of %s, which the CRM calls %j, is not of the objects %j',
    (record, object, names) => {
      for (const name of names)
        expect([name, isObjectOf(record, object, name)]).toEqual([name, false]);
    },
  );

  test('has the same key where all sources are equal, and another one where one differs', () => {
    const keyOf = (source: string) =>
      findSources(
        OWN,
        createConnection('hubspot', {
          customFieldMappings: [{ record: 'CONTACT', field: 'color', source }],
        }),
      ).key;
    expect(keyOf('one')).toBe(keyOf('one'));
    expect(keyOf('one')).not.toBe(keyOf('other'));
  });
});

describe('mappings that cannot count', () => {
  test('are problems: an unknown field, another object, a custom one, an impossible source', () => {
    const connection = createConnection('salesforce', {
      customFieldMappings: [
        { record: 'CONTACT', field: 'color', source: "x' OR Name != '" },
        { record: 'CONTACT', field: 'gone', source: 'Gone__c' },
        { record: 'COMPANY', field: 'size', source: 'Size__c' },
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
        commonObjects: [{ object: 'campaign', fieldMappings: to('Industry') }],
        standardObjects: [{ object: 'contact', fieldMappings: to('Size__c', 'size') }],
      },
    });
    const { fields, problems } = findSources(OWN, connection);
    expect(fields).toEqual([]);
    expect(problems).toEqual(
      [
        { field: 'color', source: "x' OR Name != '", problem: 'MISSING' },
        { field: 'gone', source: 'Gone__c', problem: 'UNKNOWN_FIELD' },
        { field: 'size', source: 'Size__c', problem: 'UNKNOWN_FIELD' },
      ].map((problem) => ({ record: 'CONTACT', ...problem })),
    );
    expect(findSources(ownOf('COMPANY'), connection, 'Account').problems).toEqual([
      { record: 'COMPANY', field: 'size', source: 'Size__c', problem: 'UNKNOWN_FIELD' },
    ]);
    expect(findUnknownObjects(connection, { COMPANY: 'Account' })).toEqual(
      ['Custom__c', 'Nothing__c', 'Industry'].map((source) => ({
        record: null,
        field: 'color',
        source,
        problem: 'UNKNOWN_OBJECT',
      })),
    );
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
    const found = findFieldProblems('CONTACT', { resolved, known }, (name) => name === 'Fax');
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
