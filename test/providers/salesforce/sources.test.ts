import { parseQuery } from '@crossbook/sandbox';
import { expect, test } from 'vitest';
import { CONTACT_OBJECT } from '../../../src/providers/salesforce/contacts.ts';
import { selectFields } from '../../../src/providers/salesforce/object.ts';
import { compare, fieldName, select } from '../../../src/providers/salesforce/soql.ts';
import { fc } from '../../support/fast-check.ts';
import { nastyText } from './nasty-text.ts';

const PIECES = [
  'Id',
  'Name',
  'Account',
  '.',
  ',',
  ' ',
  '(',
  ')',
  '--',
  ';',
  'FROM',
  'Limit',
  'null',
  'TYPEOF',
  'WHERE',
  "'",
  '1',
];
const injection = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 8 })
  .map((parts) => parts.join(''));

test('a source of a custom field or a mapped field never becomes anything but a field of the query', () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.oneof(injection, nastyText), fc.boolean(), (source, isOwn) => {
      const custom = {
        key: '',
        names: ['x'],
        fields: [{ name: 'x', type: 'TEXT' as const, source }],
        onProblem: () => undefined,
      };
      const selection = isOwn ? { rawData: false, custom } : { rawData: true };
      const mappings = [{ schemaField: 'x', mappedField: source }];
      const fields = selectFields(CONTACT_OBJECT, { selection }, mappings, new Set());
      const soql = select({ fields, where: compare(fieldName('Id'), '>', '0') });
      expect(soql).toBe(`SELECT ${fields.join(',')} FROM Contact WHERE Id > '0'`);
      for (const field of fields) expect(field).toMatch(/^[A-Za-z]\w*(?:\.[A-Za-z]\w*)?$/);
      if (!fields.some((field) => field === source.trim())) return;
      accepted += 1;
      parseQuery(soql);
    }),
    { numRuns: 20_000 },
  );
  expect(accepted).toBeGreaterThan(100);
});
