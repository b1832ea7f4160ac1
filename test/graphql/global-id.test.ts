import { expect, test } from 'vitest';
import { readGlobalId, toGlobalId } from '../../src/graphql/global-id.ts';
import { fc } from '../support/fast-check.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('a', '"', '\\', 'ü', '明', '\n'), maxLength: 8 }),
);

test('the global id of a contact is read back, whatever is in its parts', () => {
  fc.assert(
    fc.property(text, text, text, (applicationId, customerId, remoteId) => {
      const contact = { type: 'Contact', applicationId, customerId, provider: 'hubspot', remoteId } as const;
      expect(readGlobalId(toGlobalId(contact))).toEqual(contact);
    }),
    { numRuns: 1_000 },
  );
});
