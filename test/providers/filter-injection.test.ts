import { type Condition, parseQuery } from '@crossbook/sandbox';
import { expect, test } from 'vitest';
import { CUSTOM_FIELD_TYPES } from '../../src/domain/custom-field.ts';
import {
  type ListFilter,
  readFilterValue,
  WORD_DIVIDERS,
} from '../../src/domain/records/conditions.ts';
import { contactFilters } from '../../src/domain/records/contact-filter.ts';
import { CONTACT_OBJECT as HUBSPOT_CONTACT } from '../../src/providers/hubspot/contacts.ts';
import { toQuery as toHubSpotQuery } from '../../src/providers/hubspot/filters.ts';
import { CONTACT_OBJECT } from '../../src/providers/salesforce/contacts.ts';
import { toQuery as toSalesforceQuery } from '../../src/providers/salesforce/filters.ts';
import { selectFields } from '../../src/providers/salesforce/object.ts';
import { findPhones, isFieldName, select } from '../../src/providers/salesforce/soql.ts';
import { fc } from '../support/fast-check.ts';
import { nastyText } from './salesforce/nasty-text.ts';

const RUNS = 20_000;
const PIECES = ['Id', 'Name', '.', ',', ' ', '(', ')', "'", '\\', '*', '%', '_', '{', '}', '"'];
const WORDS = ['OR', 'AND', 'FROM', 'LIKE', 'IN', 'null', '--', ';', '=', 'Account', 'x__c', '1'];
const injection = fc
  .array(fc.constantFrom(...PIECES, ...WORDS), { maxLength: 10 })
  .map((parts) => parts.join(''));
const plain = fc.constantFrom('violet', 'Favorite_Color__c', 'Account.Industry', '42', 'true');
const day = fc.constantFrom('2026-01-31', '2026-01-31T10:00:00Z', '0001-01-01', '9999-12-31');
const text = fc.oneof(injection, nastyText, plain, day);
const filters = fc.record({
  kind: fc.constantFrom('namePrefix' as const, 'customField' as const),
  text,
  source: fc.oneof(injection, nastyText, plain),
  type: fc.constantFrom(...CUSTOM_FIELD_TYPES),
  sourceType: fc.constantFrom(...CUSTOM_FIELD_TYPES, 'REFERENCE' as const, undefined),
});

test('no text of a filter or source becomes anything but a value or a field of a query, in either CRM', () => {
  const seen = { namePrefix: 0, customField: 0, queries: 0 };
  fc.assert(
    fc.property(filters, (given) => {
      const filter = toFilter(given);
      if (!filter) return;
      seen[given.kind] += 1;
      checkHubSpot(filter);
      for (const { condition } of toSalesforceQuery(filter, CONTACT_OBJECT).anyOf) {
        const soql = select({ fields: [], where: condition, order: 'ascending', limit: 5 });
        const { where, from, limit } = parseQuery(soql.replace('SELECT ', 'SELECT Id'));
        expect([from.text, limit]).toEqual(['Contact', 5]);
        for (const leaf of leavesOf(where)) checkLeaf(leaf, filter);
        seen.queries += 1;
      }
    }),
    { numRuns: RUNS },
  );
  expect(Math.min(seen.namePrefix, seen.customField)).toBeGreaterThan(RUNS / 20);
  expect(seen.queries).toBeGreaterThan(RUNS / 10);
});

test('a name of further raw data never becomes anything but a field of a query', () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.oneof(injection, nastyText, plain), (name) => {
      const selection = { rawData: true, rawFields: [name] };
      const fields = selectFields(CONTACT_OBJECT, { selection }, [], new Set());
      for (const field of fields) expect(field).toMatch(/^[A-Za-z]\w*(?:\.[A-Za-z]\w*)?$/);
      if (!fields.some((field) => field === name)) return;
      accepted += 1;
      parseQuery(select({ fields, where: undefined }));
    }),
    { numRuns: RUNS / 4 },
  );
  expect(accepted).toBeGreaterThan(100);
});

test('a phone number is only digits in a query, whatever the text is', () => {
  let accepted = 0;
  const number = fc.string({ unit: fc.constantFrom(...'0123456789+-() .*}{"\'\\') });
  fc.assert(
    fc.property(fc.oneof(number, text), (given) => {
      const filter = attempt(() => contactFilters.read({ phone: given }));
      if (filter?.by !== 'phone') return;
      accepted += 1;
      expect(findPhones([filter.digits, `0${filter.digits}`], 200)).toMatch(
        /^FIND \{\d+ OR \d+\} IN PHONE FIELDS RETURNING Contact\(Id LIMIT 200\)$/,
      );
      for (const { condition } of toSalesforceQuery(filter, CONTACT_OBJECT).anyOf)
        expect(condition).toMatch(/^\w+ LIKE '(?:%\d)+%'$/);
      for (const { operator, value, values } of toHubSpotQuery(
        filter,
        HUBSPOT_CONTACT,
      ).groups.flat())
        if (operator !== 'EQ') expect(value ?? values?.join('')).toMatch(/^\*?\d+$/);
    }),
    { numRuns: RUNS },
  );
  expect(accepted).toBeGreaterThan(100);
});

/** As a search makes it: undefined if it refuses the input. */
function toFilter({ kind, text: given, source, type, sourceType }: Given): ListFilter | undefined {
  if (kind === 'namePrefix')
    return attempt(() => contactFilters.read({ namePrefix: given }) as ListFilter);
  const value = attempt(() => readFilterValue(type, given));
  if (value === undefined || !isFieldName(source)) return undefined;
  return { by: 'customField', field: { name: 'own', type, source }, value, sourceType };
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Its query is JSON: only a star in a token means something, which matches more, and limits are kept. */
function checkHubSpot(filter: ListFilter): void {
  const { groups } = toHubSpotQuery(filter, HUBSPOT_CONTACT);
  expect(groups.length).toBeLessThanOrEqual(5);
  const names = filter.by === 'customField' ? [filter.field.source] : ['firstname', 'lastname'];
  for (const group of groups) {
    // Two filters more are the range of ids.
    expect(group.length).toBeLessThanOrEqual(4);
    for (const { propertyName, value, values = [], highValue } of group) {
      expect(names).toContain(propertyName);
      for (const operand of [value, highValue, ...values])
        if (operand !== undefined) expect(typeof operand).toBe('string');
    }
  }
}

/** A condition names one field of the filter, and its value is the filter's, as another parser reads it. */
function checkLeaf(leaf: Leaf, filter: ListFilter): void {
  if (filter.by === 'namePrefix') {
    expect(['FirstName', 'LastName']).toContain(leaf.field.text);
    // The prefix at the beginning of the name, or after a divider: one of the patterns, whatever is in it.
    const names = ['', ...WORD_DIVIDERS.map((one) => `x${one}`)].map(
      (start) => `${start}${filter.prefix}x`,
    );
    expect(leaf.kind === 'like' && names.some((name) => leaf.pattern.test(name))).toBe(true);
    expect(leaf.kind === 'like' && leaf.pattern.test(`☃${filter.prefix.slice(1)}`)).toBe(false);
    return;
  }
  if (filter.by !== 'customField') throw new Error('Not this filter.');
  expect(leaf.field.text).toBe(filter.field.source);
  const literals =
    leaf.kind === 'compare' ? [leaf.value] : leaf.kind === 'like' ? [] : [...leaf.values];
  for (const { type, value } of literals)
    if (type === 'string') expect(value).toBe(String(filter.value));
    else expect(['number', 'boolean', 'date', 'datetime']).toContain(type);
  if (leaf.kind === 'like') expect(leaf.pattern.test(`;${filter.value};`)).toBe(true);
}

function leavesOf(condition: Condition | undefined): readonly Leaf[] {
  if (condition === undefined) return [];
  if ('parts' in condition) return condition.parts.flatMap(leavesOf);
  if ('field' in condition) return [condition];
  throw new Error('No filter has a NOT.');
}

type Leaf = Extract<Condition, { readonly field: unknown }>;
type Given = typeof filters extends fc.Arbitrary<infer T> ? T : never;
