import { type Condition, parseQuery } from '@crossbook/sandbox';
import { expect, test } from 'vitest';
import { endsWith, fieldName, isIn, select } from '../../../src/providers/salesforce/soql.ts';
import { fc } from '../../support/fast-check.ts';
import { nastyText } from './nasty-text.ts';

const EMAIL = fieldName('Email');

function conditionOf(where: Parameters<typeof select>[0]['where']): Condition | undefined {
  return parseQuery(select({ fields: [EMAIL], where, order: 'ascending', limit: 1 })).where;
}

test('a list is parsed back to its values by another parser', () => {
  fc.assert(
    fc.property(fc.array(nastyText, { minLength: 1, maxLength: 4 }), (values) => {
      const condition = conditionOf(isIn(EMAIL, values));
      expect(condition?.kind === 'in' && condition.values.map(({ value }) => value)).toEqual(
        values,
      );
    }),
    { numRuns: 2_000 },
  );
});

test('a pattern is read by another parser as a suffix, and matches nothing else', () => {
  fc.assert(
    fc.property(nastyText, nastyText, (ending, other) => {
      const condition = conditionOf(endsWith(EMAIL, `@${ending}`));
      const pattern = condition?.kind === 'like' ? condition.pattern : undefined;
      expect(pattern?.test(`someone@${ending}`)).toBe(true);
      const same = `x${other}`.toLowerCase().endsWith(`@${ending}`.toLowerCase());
      if (!same) expect(pattern?.test(`x@${other}${ending}y`)).toBe(false);
    }),
    { numRuns: 1_000 },
  );
});
