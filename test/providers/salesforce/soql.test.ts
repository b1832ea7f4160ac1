import { describe, expect, test } from 'vitest';
import {
  allOf,
  CONTACT,
  compare,
  count,
  endsWith,
  fieldName,
  isFieldName,
  isIn,
  quote,
  select,
} from '../../../src/providers/salesforce/soql.ts';
import { fc } from '../../support/fast-check.ts';
import { readPattern, readQuoted, readQuotedList } from './literal-reader.ts';
import { nastyText } from './nasty-text.ts';

const EMAIL = fieldName('Email');

describe('a quoted value', () => {
  test('is parsed back to itself by the documented grammar', () => {
    fc.assert(
      fc.property(nastyText, (value) => {
        expect(readQuoted(quote(value))).toBe(value);
      }),
      { numRuns: 2_000 },
    );
  });

  test('cannot be broken out of: no part of it becomes part of the query', () => {
    fc.assert(
      fc.property(fc.array(nastyText, { minLength: 1, maxLength: 5 }), (values) => {
        expect(readQuotedList(isIn(EMAIL, values), 'Email IN (')).toEqual(values);
      }),
      { numRuns: 1_000 },
    );
  });

  test('can be sent in a URL, with any content', () => {
    fc.assert(
      fc.property(nastyText, (value) => {
        expect(decodeURIComponent(encodeURIComponent(quote(value)))).toBe(quote(value));
      }),
    );
  });

  test.each([
    ["o'brien@example.com", "'o\\'brien@example.com'"],
    ['back\\slash', "'back\\\\slash'"],
    ["\\' OR Name != '", "'\\\\\\' OR Name != \\''"],
    ['"odd"', '\'\\"odd\\"\''],
    ['a\nb', "'a\\nb'"],
    ['\u0000', "'\\u0000'"],
    ['\ud83d', "'\\ud83d'"],
    ['żółć 😀', "'żółć 😀'"],
    ['100%_', "'100%_'"],
  ])('%j becomes %s', (value, literal) => {
    expect(quote(value)).toBe(literal);
  });
});

describe('a pattern', () => {
  test('matches its literal text as a suffix', () => {
    fc.assert(
      fc.property(nastyText, (ending) => {
        const [head = '', literal = ''] = endsWith(EMAIL, ending).split(/ LIKE (.*)/s);
        expect(head).toBe('Email');
        expect(readPattern(literal)).toEqual(['%', ...(ending === '' ? [] : [{ text: ending }])]);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a query', () => {
  test('is assembled in the order of the grammar', () => {
    const where = allOf([
      endsWith(EMAIL, '@a_b.example'),
      compare(fieldName('Id'), '>=', '003RO0000000001AAA'),
    ]);
    expect(select({ fields: [fieldName('Id'), EMAIL], where, order: 'descending', limit: 3 })).toBe(
      "SELECT Id,Email FROM Contact WHERE Email LIKE '%@a\\_b.example' AND Id >= '003RO0000000001AAA' ORDER BY Id DESC LIMIT 3",
    );
    expect(count(CONTACT, isIn(EMAIL, ['a@b.c']))).toBe(
      "SELECT COUNT() FROM Contact WHERE Email IN ('a@b.c')",
    );
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'rejects a limit of %d',
    (limit) => {
      expect(() => select({ fields: [EMAIL], where: isIn(EMAIL, ['x']), limit })).toThrow(
        RangeError,
      );
    },
  );

  test('rejects an empty list', () => {
    expect(() => isIn(EMAIL, [])).toThrow(RangeError);
  });

  test.each(['Id', 'Favorite_Color__c', 'ns__Field__c', 'Account.Name', 'Region__r.Code__c'])(
    'accepts %s as a field',
    (name) => {
      expect(isFieldName(name)).toBe(true);
    },
  );

  test.each([
    '',
    ' Id',
    'Id ',
    'Id,Name',
    "Id'",
    'a.b.c',
    '1a',
    '_a',
    'Id\n',
    '(SELECT Id FROM Cases)',
    'É',
    'FIELDS(ALL)',
    'a'.repeat(256),
  ])('rejects %j as a field', (name) => {
    expect(isFieldName(name)).toBe(false);
    expect(() => fieldName(name)).toThrow(TypeError);
  });
});
