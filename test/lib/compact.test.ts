import { expect, test } from 'vitest';
import { compact } from '../../src/providers/hubspot/contacts.ts';
import { fc } from '../support/fast-check.ts';

const item = fc.option(fc.integer());

test('lists the defined values, in order', () => {
  fc.assert(
    fc.property(item, item, item, (a, b, c) => {
      expect(compact(a, b, c)).toEqual([a, b, c].filter((one) => one !== null));
    }),
  );
});
