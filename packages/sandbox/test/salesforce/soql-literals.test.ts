import { expect, test } from 'vitest';
import { fc } from '../../../../test/support/fast-check.ts';
import { toPerson } from '../../src/people.ts';
import { openDatabase } from '../../src/salesforce/data/database.ts';
import { SalesforceError } from '../../src/salesforce/errors.ts';
import { salesforceSimulation } from '../../src/salesforce/simulation.ts';
import { executeQuery } from '../../src/salesforce/soql/execute.ts';
import { createTables } from './tables.ts';

const ESCAPED: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
};
const texts = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 60 })
  .filter((text) => text.trim() !== '');

/** As the vendor documents it. */
function escaped(text: string): string {
  return text.replace(/[\\'"\n\r]/g, (character) => ESCAPED[character] ?? '');
}

/** How many of two people a condition matches: one has exactly this name, the other a name that begins with it. */
function countOf(name: string, condition: string): number {
  const people = [name, `${name}x`].map((lastName, place) => toPerson({ lastName }, place + 1));
  const database = openDatabase(createTables(people), salesforceSimulation.quirks);
  const result = executeQuery(`SELECT COUNT() FROM Contact WHERE ${condition}`, {
    database,
    now: 0,
    includeDeleted: false,
  });
  return result.kind === 'count' ? result.total : -1;
}

test('a string escaped as documented matches exactly itself', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(countOf(text, `LastName = '${escaped(text)}'`)).toBe(1);
      expect(countOf(text, `LastName IN ('${escaped(text)}')`)).toBe(1);
    }),
  );
});

test('a string escaped for LIKE, with its wildcards, matches exactly itself', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const pattern = escaped(text).replace(/[%_]/g, '\\$&');
      expect(countOf(text, `LastName LIKE '${pattern}'`)).toBe(1);
      expect(countOf(text, `LastName LIKE '${pattern}%'`)).toBe(2);
    }),
  );
});

test('a literal made of unicode escapes equals the plain string', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const codes = Array.from({ length: text.length }, (_, place) =>
        text.charCodeAt(place).toString(16).padStart(4, '0'),
      );
      expect(countOf(text, `LastName = '${codes.map((code) => `\\u${code}`).join('')}'`)).toBe(1);
    }),
  );
});

test('any query string gets a result or an error, and never crashes', () => {
  const words = fc.constantFrom(
    'Id',
    'Email',
    'Name',
    "'a'",
    'NULL',
    'TRUE',
    '1',
    '2024-01-01',
    '(',
    ')',
    ',',
    '=',
  );
  const keywords = fc.constantFrom(
    'SELECT',
    'FROM',
    'Contact',
    'WHERE',
    'AND',
    'NOT',
    'IN',
    'LIKE',
    'LIMIT',
    'COUNT',
  );
  const queries = fc.oneof(
    fc.string(),
    fc.array(fc.oneof(words, keywords)).map((parts) => parts.join(' ')),
  );
  fc.assert(
    fc.property(queries, (tail) => {
      for (const soql of [
        tail,
        `SELECT Id FROM Contact ${tail}`,
        `SELECT Id FROM Contact WHERE ${tail}`,
      ]) {
        const database = openDatabase(createTables([]), salesforceSimulation.quirks);
        try {
          executeQuery(soql, { database, now: 0, includeDeleted: false });
        } catch (error) {
          expect(error).toBeInstanceOf(SalesforceError);
        }
      }
    }),
  );
});
