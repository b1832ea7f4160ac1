import { expect, test } from 'vitest';
import { readGlobalId, toGlobalId } from '../../src/graphql/global-id.ts';
import { fc } from '../support/fast-check.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('a', '"', '\\', 'ü', '明', '\ud83d', '\n'), maxLength: 8 }),
);

test('a global id is parsed back to its parts, for any parts', () => {
  fc.assert(
    fc.property(text, text, fc.oneof(fc.nat().map(String), text), (applicationId, customerId, remoteId) => {
      const id = { type: 'Contact', applicationId, customerId, provider: 'hubspot', remoteId } as const;
      expect(readGlobalId(toGlobalId(id))).toEqual(id);
    }),
    { numRuns: 1_000 },
  );
});
