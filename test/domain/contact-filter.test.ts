import { describe, expect, test } from 'vitest';
import { filterCacheKey } from '../../src/domain/records/conditions.ts';
import { contactFilters, isSamePhone, toDigits } from '../../src/domain/records/contact-filter.ts';
import { fc } from '../support/fast-check.ts';

const SAMPLES = {
  email: ' Ada@Example.com',
  emails: ['b@x.example', 'A@x.example', 'b@x.example'],
  emailDomain: 'Example.com',
  phone: '+44 (0) 20 7946-0000',
  namePrefix: ' Jo',
  modifiedSince: '2026-01-31T10:00:00.999+01:00',
  customField: { name: 'plan', equals: 'gold' },
  all: true,
};

describe('a filter', () => {
  test('has a sample here for each of its conditions', () => {
    expect(Object.keys(SAMPLES)).toEqual(Object.keys(contactFilters.input.fields));
  });

  test('is canonical, so that equal searches have equal filters', () => {
    const read = Object.entries(SAMPLES).map(([name, value]) =>
      contactFilters.read({ [name]: value }),
    );
    expect(read).toEqual([
      { by: 'emails', emails: ['ada@example.com'] },
      { by: 'emails', emails: ['a@x.example', 'b@x.example'] },
      { by: 'emailDomain', domain: 'example.com' },
      { by: 'phone', text: '+44 (0) 20 7946-0000', digits: '4402079460000' },
      { by: 'namePrefix', prefix: 'jo' },
      { by: 'modifiedSince', since: Date.UTC(2026, 0, 31, 9, 0, 0, 999) },
      { by: 'customField', name: 'plan', equals: 'gold' },
      { by: 'all' },
    ]);
    expect(new Set(read.map(filterCacheKey)).size).toBe(read.length);
    expect(read.filter(contactFilters.isListing).map(({ by }) => by)).toEqual([
      'namePrefix',
      'modifiedSince',
      'customField',
      'all',
    ]);
  });

  test('has exactly one condition; null is none', () => {
    expect(contactFilters.read({ all: true, email: null, phone: undefined })).toEqual({
      by: 'all',
    });
    for (const given of [{}, { all: null }, { all: true, phone: '5551212' }])
      expect(() => contactFilters.read(given)).toThrow('exactly one condition');
  });

  test('a long prefix of a name is normalized whole, and never cut to a shorter one', () => {
    const spaced = contactFilters.read({ namePrefix: `jo${' '.repeat(100)}hn` });
    expect(spaced).toEqual({ by: 'namePrefix', prefix: 'jo hn' });
    const accented = 'e\u0301'.repeat(60);
    expect(contactFilters.read({ namePrefix: accented })).toEqual({
      by: 'namePrefix',
      prefix: '\u00e9'.repeat(60),
    });
    for (const long of ['x'.repeat(101), `jo${' '.repeat(1_000)}hn`])
      expect(() => contactFilters.read({ namePrefix: long })).toThrow('at most 100 characters');
  });

  test('costs by the people that it names; those that list contacts name none', () => {
    const counts = Object.entries(SAMPLES).map(([name, value]) =>
      contactFilters.countLookUps({ [name]: value }),
    );
    expect(counts).toEqual([1, 3, 0, 1, 0, 0, 0, 0]);
    // A query is estimated before its variables are validated.
    const unchecked = [{ emails: 'a@b.example' }, { emails: 7 }, { email: 7 }, { nobody: 1 }];
    expect(unchecked.map((given) => contactFilters.countLookUps(given as never))).toEqual([
      1, 1, 1, 0,
    ]);
  });

  test('has a key of its own: no text makes one filter look like another', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.emailAddress(), (name, equals, email) => {
        const keys = [
          filterCacheKey({ by: 'customField', name, equals }),
          filterCacheKey({ by: 'namePrefix', prefix: name }),
          filterCacheKey({ by: 'emails', emails: [email] }),
          filterCacheKey({ by: 'emailDomain', domain: email }),
        ];
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });
});

test.each([
  ['+44 7917 528642', '0044 7917 528642', true],
  ['+44 7917 528642', '07917 528642', true],
  ['+1 415 555 1212', '555-1212', true],
  ['+1 415 555 1212', '555-121', false],
  ['00004', '4', true],
  ['12345', '012345', true],
  ['12345', '2345', false],
  ['5551212', '5551213', false],
  ['+1 415 555 1212', '415 555 121', false],
])('the phone numbers %s and %s are the same: %s', (one, other, same) => {
  expect(isSamePhone(toDigits(one), toDigits(other))).toBe(same);
  expect(isSamePhone(toDigits(other), toDigits(one))).toBe(same);
});
