import { describe, expect, test } from 'vitest';
import { CUSTOM_FIELD_TYPES } from '../../src/domain/custom-field.ts';
import { readCustomFieldValue } from '../../src/domain/custom-field-values.ts';
import { fc } from '../support/fast-check.ts';

describe('a value of a CRM', () => {
  test.each([
    ['TEXT', 'x', 'x'],
    ['TEXT', ' two words ', ' two words '],
    ['TEXT', 17, '17'],
    ['TEXT', true, 'true'],
    ['TEXT', '10:00:00.000Z', '10:00:00.000Z'],
    ['NUMBER', '17', 17],
    ['NUMBER', '1.5E7', 15_000_000],
    ['NUMBER', '-0.25', -0.25],
    ['NUMBER', 17.5, 17.5],
    ['BOOLEAN', 'true', true],
    ['BOOLEAN', 'False', false],
    ['BOOLEAN', false, false],
    ['DATE', '2026-01-31', '2026-01-31'],
    ['DATE', '1769817600000', '2026-01-31'],
    ['DATE', '-86400000', '1969-12-31'],
    ['DATE', '2026-01-31T23:30:00-05:00', '2026-02-01'],
    ['DATETIME', '2026-01-31T10:00:00.000Z', '2026-01-31T10:00:00.000Z'],
    ['DATETIME', '2026-01-31T10:00:00Z', '2026-01-31T10:00:00.000Z'],
    ['DATETIME', '2026-01-31T10:00:00.000+0000', '2026-01-31T10:00:00.000Z'],
    ['DATETIME', '2026-01-31T13:00:00+03:00', '2026-01-31T10:00:00.000Z'],
    ['DATETIME', '1769853600000', '2026-01-31T10:00:00.000Z'],
    ['DATETIME', '2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['CHOICE', 'violet', 'violet'],
    ['CHOICES', 'a;b', ['a', 'b']],
    ['CHOICES', ';a;; b ;a;', ['a', 'b']],
    ['CHOICES', ';', null],
    ['CHOICES', ['A', 'B'], ['A', 'B']],
  ] as const)('is read as %s: %j becomes %j', (type, given, read) => {
    expect(readCustomFieldValue(type, given)).toEqual(read);
  });

  test.each(CUSTOM_FIELD_TYPES)('is null as %s if it is missing, unset or cleared', (type) => {
    for (const given of [undefined, null, '', '  '])
      expect(readCustomFieldValue(type, given)).toBeNull();
  });

  test.each([
    ['TEXT', { city: 'London' }],
    ['NUMBER', 'seventeen'],
    ['NUMBER', '0x11'],
    ['NUMBER', '1e999'],
    ['NUMBER', true],
    ['BOOLEAN', 'yes'],
    ['BOOLEAN', 1],
    ['DATE', '2026-02-30'],
    ['DATE', '31.01.2026'],
    ['DATE', '2026'],
    ['DATETIME', 'tomorrow'],
    ['DATETIME', '2026-13-01T00:00:00Z'],
    ['DATETIME', {}],
    ['CHOICE', ['a']],
    ['CHOICES', [1]],
    ['CHOICES', {}],
  ] as const)('does not fit the type %s: %j', (type, given) => {
    expect(readCustomFieldValue(type, given)).toBeUndefined();
  });

  test('is of its own type or does not fit, whatever the CRM sends', () => {
    const expected = {
      TEXT: (value: unknown) => typeof value === 'string',
      NUMBER: (value: unknown) => Number.isFinite(value),
      BOOLEAN: (value: unknown) => typeof value === 'boolean',
      DATE: (value: unknown) => /^\d{4}-\d\d-\d\d$/.test(String(value)),
      DATETIME: (value: unknown) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(value)),
      CHOICE: (value: unknown) => typeof value === 'string',
      CHOICES: (value: unknown) =>
        Array.isArray(value) && value.every((one) => typeof one === 'string'),
    };
    const given = fc.oneof(
      fc.anything(),
      fc.string(),
      fc.double().map(String),
      fc.date().map(String),
    );
    fc.assert(
      fc.property(fc.constantFrom(...CUSTOM_FIELD_TYPES), given, (type, value) => {
        const read = readCustomFieldValue(type, value);
        expect(read === undefined || read === null || expected[type](read)).toBe(true);
      }),
    );
  });
});
