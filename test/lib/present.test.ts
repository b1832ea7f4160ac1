import { expect, test } from 'vitest';
import { present } from '../../src/lib/present.ts';
import { fc } from '../support/fast-check.ts';

const item = fc.option(fc.integer());

test('lists those that are there, in their order', () => {
  fc.assert(
    fc.property(item, item, item, (a, b, c) => {
      expect(present(a, b, c)).toEqual([a, b, c].filter((one) => one !== null));
    }),
  );
});
